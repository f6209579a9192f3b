"""The file of a search or a `Trace`: what is searched, then how its history grew.

Trials, batches and plans are only added to a history, and what came of a trial changes: so each
step has what it added, and the outcomes that it changed. A bandit or trace keeps one step; an
experiment, which can be undone, all of them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.history import Batch, Course, History, Point, State, Step, Trial
from ucbpe_core.inputs import Category, Integer, Real
from ucbpe_core.plan import Plan
from ucbpe_core.records import atomic, text
from ucbpe_core.records.convert import REMEDY, converter, from_plain, name_kinds, to_plain
from ucbpe_core.records.problem import Candidates, RunRecord
from ucbpe_core.space import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.validation import Floats

FORMAT, VERSIONS = "ucbpe-history", (1,)
_WHAT = "a saved search"
Kind = Literal["bandit", "box", "experiment", "trace"]
_TIME = "2024-05-31T14:05:00+00:00"
_OPENED_BY = {
    "bandit": "Bandit",
    "box": "BoxBandit",
    "experiment": "Experiment",
    "trace": "Trace",
}


@dataclass(frozen=True)
class LabelRecord:
    """A column that identifies the candidates to people."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class TableRecord:
    """The candidates; `index` has the labels of a frame, `inputs` the names of its columns."""

    candidates: Candidates
    inputs: tuple[str, ...] | None = None
    output: str = "y"
    labels: tuple[LabelRecord, ...] = ()
    index: tuple[str, ...] | None = None

    @classmethod
    def of(cls, points: Floats, inputs: tuple[str, ...] | None, **others: Any) -> TableRecord:
        """That of candidates (M, d)."""
        return cls(Candidates.pack(points), inputs, **others)

    @property
    def points(self) -> Floats:
        """The candidates, shape (M, d)."""
        return self.candidates.unpack(len(self.candidates.points), "$.table.candidates")

    @property
    def size(self) -> tuple[int, int]:
        """M and d."""
        M = len(self.candidates.points)
        return M, len(self.candidates.points[0]) if M else 0


@dataclass(frozen=True)
class BoxRecord:
    """The inputs of a box, and the options of its search.

    `constrained` says that it has a function `feasible`, which is not kept.
    """

    inputs: tuple[Real | Integer | Category, ...]
    names: tuple[str, ...]
    seed: int
    samples: int
    starts: int
    tolerance: float
    named: bool = False
    constrained: bool = False

    @classmethod
    def of(cls, space: Space, options: dict[str, Any]) -> BoxRecord:
        """That of a space, and of the options of `BoxBandit`."""
        constrained = space.feasible is not None
        return cls(space.inputs, space.names, **options, named=space.named, constrained=constrained)

    @property
    def options(self) -> dict[str, Any]:
        """Those of the search."""
        return {name: getattr(self, name) for name in ("seed", "samples", "starts", "tolerance")}

    def space(self, feasible: Callable[[Any], Any] | None) -> Space:
        """The space; `InputError` without the function of a constrained one."""
        if self.constrained and feasible is None:
            remedy = "pass load(path, feasible=..) the function of the saved bandit"
            raise InputError("the function feasible, which no file holds", "none", remedy)
        if not self.inputs or len(self.inputs) != len(self.names):
            raise InputError("a name for each input at $.box", str(list(self.names)), REMEDY)
        return Space(self.inputs, self.names, feasible, self.named)


class Outcome(NamedTuple):
    """What came of trial `number`, counted from 0, in the step that changed it."""

    number: int
    index: int  # type: ignore[assignment] # a tuple has a method of this name
    point: Point | None = None
    y: float | None = None
    noise_variance: float | None = None
    state: State = "pending"
    place: int = -1
    time: str = ""
    reason: str = ""
    allowed: bool = False


_CAME = Outcome._fields[1:]


@dataclass(frozen=True)
class StepRecord:
    """What a step added to the history before it; undo and redo add nothing."""

    time: str = ""
    kind: Literal["", "undo", "redo"] = ""
    plans: tuple[Plan, ...] = ()
    batches: tuple[Batch, ...] = ()
    trials: tuple[Trial, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def entries(self) -> int:
        """How much it says."""
        return 1 + sum(map(len, (self.plans, self.batches, self.trials, self.outcomes)))


@dataclass(frozen=True)
class HistoryRecord:
    """The steps, with a checksum specific to this search."""

    steps: tuple[StepRecord, ...]
    checksum: str | None = None


@dataclass(frozen=True)
class FileRecord:
    """The whole file; its checksum covers everything but the history."""

    format: str
    version: int
    kind: Kind
    id: str
    history: HistoryRecord
    name: str = ""
    created: str = ""
    table: TableRecord | None = None
    box: BoxRecord | None = None
    run: RunRecord | None = None
    checksum: str | None = None


@dataclass(frozen=True)
class Document:
    """What a file says, with the histories themselves."""

    kind: Kind
    id: str
    steps: tuple[Step, ...]
    name: str = ""
    created: str = ""
    table: TableRecord | None = None
    box: BoxRecord | None = None
    run: RunRecord | None = None
    feasible: Callable[[Any], Any] | None = None  # of a box; in no file

    @property
    def plan(self) -> Plan:
        """The first plan."""
        return self.steps[0].history.plans[0]

    def table_of(self, kind: Kind) -> TableRecord:
        """The table of a file of that kind; `InputError` for another kind."""
        self._require(kind)
        if self.table is None:
            raise InputError("a field at $.table", "none", REMEDY)
        return self.table

    def box_of(self, kind: Kind) -> BoxRecord:
        """The box of a file of that kind; `InputError` for another kind."""
        self._require(kind)
        if self.box is None:
            raise InputError("a field at $.box", "none", REMEDY)
        return self.box

    @property
    def run_of_trace(self) -> RunRecord:
        """The run of a trace; `InputError` for another kind."""
        self._require("trace")
        if self.run is None:
            raise InputError("a field at $.run", "none", REMEDY)
        return self.run

    def _require(self, kind: Kind) -> None:
        if self.kind != kind:
            wanted, found = _OPENED_BY[kind], _OPENED_BY[self.kind]
            raise InputError(f"a file of {wanted}", f"one of {found}", f"use {found}.load")


def head_text(document: Document) -> str:
    """The part of the file that no step changes, as JSON without the last brace.

    The file is `head_text(document) + history_text(document)`: a caller that keeps the head of a
    large table need not write it again at every step.
    """
    head = {"format": FORMAT, "version": max(VERSIONS), **_fields(document)}
    return text.dumps({**head, "checksum": text.digest(head)}, _WHAT)[:-1]


def history_text(document: Document) -> str:
    """The rest of the file: the steps, and the last brace."""
    return f',"history":{text.dumps(_history(document), _WHAT)}}}\n'


def save(document: Document, path: PathOrFile) -> None:
    """Implements `AskTell.save`."""
    history = history_text(document)
    content = head_text(document) + history
    if not isinstance(path, (str, os.PathLike)):
        path.write(content)
        return
    # No other process may write between the check and the write.
    with atomic.locked(path):
        _check_nothing_lost(document.id, history, Path(path))
        text.write(content, path)


def read(path: PathOrFile, most: int | None = None) -> Document:
    """What a file says; nothing is computed from it.

    Parameters
    ----------
    path : the file, or a text file open for reading
    most : how many plans, batches, trials, outcomes and steps it may have; None for any number

    Raises
    ------
    InputError
        As `AskTell.load`, and for a file that says more.
    """
    with text.building(path):
        _prepare()
        content = text.parse(path, _WHAT, FORMAT, VERSIONS)
        record = from_plain(content, FileRecord)
        _check_sums(content, record)
        if not _is_time(record.created):
            raise InputError(f"a time as in {_TIME} at $.created", repr(record.created), REMEDY)
        entries = sum(step.entries for step in record.history.steps)
        if most is not None and entries > most:
            wanted = f"a history of at most {grouped(most)} steps and results"
            raise InputError(wanted, grouped(entries), "open it in Python, which has no limit")
        steps = tuple(_steps(record))
        names = ("kind", "id", "name", "created", "table", "box", "run")
        return Document(steps=steps, **{name: getattr(record, name) for name in names})


def _fields(document: Document) -> dict[str, Any]:
    _prepare()
    found: dict[str, Any] = {"kind": document.kind, "id": document.id}
    for name in ("name", "created", "table", "box", "run"):
        if value := getattr(document, name):
            found[name] = to_plain(value)
    return found


def _history(document: Document) -> dict[str, Any]:
    _prepare()
    before, records = History(()), list[StepRecord]()
    for history, time, kind in document.steps:
        new = StepRecord() if kind else _added(before, history)
        records.append(replace(new, time=time, kind=kind))
        before = history
    steps = to_plain(tuple(records), tuple[StepRecord, ...])
    return {"checksum": text.digest([document.id, steps]), "steps": steps}


def _added(before: History, after: History) -> StepRecord:
    """What a history has that an earlier one has not."""
    pairs = zip(before.trials, after.trials, strict=False)
    changed = [(i, new) for i, (old, new) in enumerate(pairs) if old is not new and old != new]
    return StepRecord(
        plans=after.plans[len(before.plans) :],
        batches=after.batches[len(before.batches) :],
        trials=after.trials[len(before.trials) :],
        outcomes=tuple(
            Outcome(i, **{name: getattr(new, name) for name in _CAME}) for i, new in changed
        ),
    )


def _steps(record: FileRecord) -> Iterator[Step]:
    """The histories that the steps of a file lead to."""
    course = Course()
    for number, one in enumerate(record.history.steps):
        where = f"$.history.steps[{number}]"
        if not _is_time(one.time):
            raise InputError(f"a time as in {_TIME} at {where}.time", repr(one.time), REMEDY)
        try:
            if one.kind:
                history = course.target(one.kind)
            else:
                before = course.done[-1].history if course.done else History(())
                history = _after(before, one)
                _check(history, before, record)
        except InputError as error:
            raise InputError(f"{error.expected} at {where}", error.got, REMEDY) from None
        course.add(step := Step(history, one.time, one.kind))
        yield step
    if not course.done:
        raise InputError("a step at $.history.steps", "none", REMEDY)


def _after(before: History, record: StepRecord) -> History:
    """The history after a step of a file."""
    trials = list(before.trials)
    for one in record.outcomes:
        if not 0 <= one.number < len(trials) or trials[one.number].index != one.index:
            wanted = "an outcome of a trial that was there before"
            raise InputError(wanted, f"number {one.number} with index {one.index}", REMEDY)
        came = cast("Any", dict(zip(_CAME, one[1:], strict=True)))
        trials[one.number] = trials[one.number]._replace(**came)
    return History(
        (*before.plans, *record.plans),
        (*trials, *record.trials),
        (*before.batches, *record.batches),
    )


def _check(history: History, before: History, record: FileRecord) -> None:
    """Refuse a history that no search can have, given that the one before it was accepted."""
    since, ts = [plan.since for plan in history.plans], [batch.t for batch in history.batches]
    if since[:1] != [0] or since != sorted(since) or since[-1] > len(ts):
        raise _impossible("plans in order")
    if 0 in ts or any(b - a not in (0, 1) for a, b in zip([0, *ts], ts, strict=False)):
        raise _impossible("batches that count from t = 1")
    picks = [one for one in history.trials if one.t > 0]
    asked = [(batch.t, k) for batch in history.batches for k in range(max(batch.size, 0))]
    if [(one.t, one.k) for one in picks] != asked:
        raise _impossible("the picks of each batch, in order")
    # Not `history.measured`, which each of the histories would keep.
    places = sorted(one.place for one in history.trials if one.place >= 0)
    if places != list(range(len(places))):
        raise _impossible("measurements that count from 0")
    if not _are_inside(history.trials, picks, record):
        raise _impossible("trials at candidates, or in the box")
    new = set(history.trials).difference(before.trials)
    if not all(map(_is_whole, new)):
        raise _impossible("an outcome for each trial")
    if not all(one.t == 0 or one.role in history.plan_of(one).policy.rules for one in new):
        raise _impossible("roles of the policy that picked")
    times = [*(one.time for one in new), *(batch.time for batch in history.batches)]
    if not all(map(_is_time, times)):
        raise _impossible(f"times as in {_TIME}")
    if (history.plans, history.trials) == (before.plans, before.trials):
        raise _impossible("a step that changes something")


def _impossible(wanted: str) -> InputError:
    return InputError(wanted, "others", REMEDY)


def _is_whole(trial: Trial) -> bool:
    """Whether the fields of a trial fit each other."""
    asked, done = trial.t > 0, trial.state == "done"
    return (
        (asked or done)
        and done == (trial.place >= 0)
        and (done or trial.y is None)
        and (not asked or (trial.std is not None and trial.std >= 0))
        and (trial.noise_variance is None or trial.noise_variance >= 0)
    )


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return not text  # where nobody said when
    return True


def _are_inside(trials: Sequence[Trial], picks: Sequence[Trial], record: FileRecord) -> bool:
    if record.box is not None:
        d = sum(part.width for part in record.box.inputs)
        numbered = [one.index for one in picks] == list(range(len(picks)))
        return numbered and all(one.point and len(one.point) == d for one in trials)
    place = record.table or record.run
    M, d = (0, 0) if place is None else place.size
    return all(
        (0 <= one.index < M or (one.index == -1 and one.t == 0 and one.point is not None))
        and (one.point is None or len(one.point) == d)
        for one in trials
    )


def _check_sums(content: dict[str, Any], record: FileRecord) -> None:
    """Refuse altered content; a file without a checksum is not checked."""
    head = {key: value for key, value in content.items() if key not in ("checksum", "history")}
    steps = [record.id, content["history"]["steps"]]
    text.check_digest(record.checksum, head, "checksum")
    text.check_digest(record.history.checksum, steps, "history.checksum")


def _check_nothing_lost(identity: str, history: str, path: Path) -> None:
    """Refuse to replace a file of this search with picks or results that it lacks.

    Another process has saved there meanwhile, or this is an earlier state. Any other file is
    replaced.
    """
    try:
        there = json.loads(path.read_text(encoding="utf-8-sig"))
        found = _facts(there["history"]) if there["id"] == identity else set[str]()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    lacking = found - _facts(json.loads(history.removeprefix(',"history":').rstrip()[:-1]))
    if lacking:
        raise InputError(
            f"a search with the {len(found)} picks and results in {path}",
            f"one without {len(lacking)} of them",
            "load that file and take the step again, or save to another path",
        )


def _facts(history: dict[str, Any]) -> set[str]:
    """Every pick and every result that the steps of a file have."""
    picks, results = ("t", "k", "index", "std"), ("place", "index", "point", "y", "noise_variance")
    found = set()
    for step in history["steps"]:
        for one in (*step.get("trials", ()), *step.get("outcomes", ())):
            if "t" in one:
                found.add(json.dumps([one.get(name) for name in picks]))
            if "y" in one:
                found.add(json.dumps([one.get(name) for name in results]))
    return found


@cache
def _prepare() -> None:
    """In a file, trials, batches and outcomes are tables without fields that have their default."""
    from cattrs.cols import namedtuple_dict_structure_factory, namedtuple_dict_unstructure_factory

    made = converter()
    name_kinds(Real | Integer | Category, {Real: "real", Integer: "integer", Category: "category"})
    for kind in (Trial, Outcome, Batch):
        fill = namedtuple_dict_structure_factory(kind, made, "from_converter", True)
        made.register_structure_hook(kind, fill)
        written = namedtuple_dict_unstructure_factory(kind, made, True)
        made.register_unstructure_hook(kind, written)
