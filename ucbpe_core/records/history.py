"""The file of a search or a `Trace`: what is searched, then every step taken.

Each step that is read is checked against those before it, at a cost in proportion to what it says.
"""

from __future__ import annotations

import json
import os
from bisect import bisect
from contextlib import suppress
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ucbpe_core.edits import moved
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.inputs import Category, Integer, Real
from ucbpe_core.plan import Edit, Plan
from ucbpe_core.records import files
from ucbpe_core.records.schema import Document, FileRecord
from ucbpe_core.records.tables import REMEDY, as_table, converter, from_plain, name_kinds, to_plain
from ucbpe_core.steps import Batch, Changed, Course, Step, Trial
from ucbpe_core.validation import choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_core.records.files import PathLike, PathOrFile

FORMAT, VERSIONS = "ucbpe-history", (1,)
_WHAT = "a saved search"
_TIME = "2024-05-31T14:05:00+00:00"
_UNFITTED = ("fit", "never")


def head_text(document: Document) -> str:
    """The part of the file that no step changes, as JSON without the last brace.

    The file is `head_text(document) + history_text(document)`: a caller that keeps the head of a
    large table need not write it again at every step.
    """
    head = {"format": FORMAT, "version": max(VERSIONS), **_fields(document)}
    return files.dumps({**head, "checksum": files.digest(head)}, _WHAT)[:-1]


def history_text(document: Document) -> str:
    """The rest of the file: the steps, and the last brace."""
    return f',"history":{files.dumps(_history(document), _WHAT)}}}\n'


def save(document: Document, path: PathOrFile, *, overwrite: bool = False) -> None:
    """Implements `AskTell.save` and `Trace.save`."""
    choice(overwrite, "overwrite", False, True)
    history = history_text(document)
    content = head_text(document) + history
    if not isinstance(path, (str, os.PathLike)):
        path.write(content)
        return
    files.require_regular(path)
    # No other process may write between the check and the write.
    with files.locked(path):
        if not overwrite and os.path.exists(path):  # noqa: PTH110 - errors are those of the write
            _check_nothing_lost(document.id, history, path)
        files.write(content, path)


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
    with files.building(path):
        _prepare()
        content = files.parse(path, _WHAT, FORMAT, VERSIONS)
        record = from_plain(content, FileRecord)
        _check_sums(content, record)
        steps = record.history.steps
        entries = sum(step.entries for step in steps)
        if most is not None and entries > most:
            wanted = f"a history of at most {grouped(most)} steps and results"
            raise InputError(wanted, grouped(entries), "open it in Python, which has no limit")
        table, box, run = record.table, record.box, record.run
        place = table or run
        size = (0, 0) if place is None else place.size
        width = None if box is None else sum(part.width for part in box.inputs)
        if record.kind != "experiment" and any(step.edits for step in steps):
            raise InputError("edits in an experiment alone", f"some of a {record.kind}", REMEDY)
        steps = _checked(steps, size, width)
        return Document(record.kind, record.id, steps, record.name, table, box, run)


def _fields(document: Document) -> dict[str, Any]:
    _prepare()
    found: dict[str, Any] = {"kind": document.kind, "id": document.id}
    for name in ("name", "table", "box", "run"):
        if value := getattr(document, name):
            found[name] = to_plain(value)
    return found


def _history(document: Document) -> dict[str, Any]:
    _prepare()
    steps = to_plain(document.steps, tuple[Step, ...])
    return {"checksum": files.digest([document.id, steps]), "steps": steps}


def _check_sums(content: dict[str, Any], record: FileRecord) -> None:
    """Refuse altered content; a file without a checksum is not checked."""
    head = {key: value for key, value in content.items() if key not in ("checksum", "history")}
    steps = [record.id, content["history"]["steps"]]
    files.check_digest(record.checksum, head, "checksum")
    files.check_digest(record.history.checksum, steps, "history.checksum")


def _check_nothing_lost(identity: str, history: str, path: PathLike) -> None:
    """Refuse to replace anything but a file of this search, with no steps that it lacks.

    Another process has saved there meanwhile, or this is an earlier state.
    """
    there = _steps_in(path, identity)
    steps = json.loads(history.removeprefix(',"history":').rstrip()[:-1])["steps"]
    if steps[: len(there)] != there:
        pairs = enumerate(zip(steps, there, strict=False))
        same = next((i for i, (mine, theirs) in pairs if mine != theirs), len(steps))
        raise InputError(
            f"a search with the {len(there)} steps in {path}",
            f"one without {len(there) - same} of them",
            "load that file and take the step again, or save to another path",
        )


def _steps_in(path: PathLike, identity: str) -> list[Any]:
    """The steps in a file of this search; `InputError` for any other file."""
    got = "another file"
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        text = files.read(path, _WHAT)
        got = got if text else "an empty file"
        there = json.loads(text)
        got = "another search" if there["format"] == FORMAT else got
        if there["id"] == identity:
            return list(there["history"]["steps"])
    remedy = "save to another path, or pass overwrite=True to replace what is there"
    raise InputError(f"a file of this search at {path}, or none", got, remedy)


def _checked(steps: Sequence[Step], size: tuple[int, int], width: int | None) -> tuple[Step, ...]:
    """The steps of a file, with the trials as they were before.

    Parameters
    ----------
    size : M and d of the candidates
    width : d of a box, or None

    Raises
    ------
    InputError
        For a history that no search can have; the message gives the number of the step.
    """
    if not steps:
        raise InputError("a step at $.history.steps", "none", REMEDY)
    replay, found = _Replay(size, width), list[Step]()
    for number, step in enumerate(steps):
        try:
            found.append(replay.take(step))
        except InputError as error:
            wanted = f"{error.expected} at $.history.steps[{number}]"
            raise InputError(wanted, error.got, REMEDY) from None
    return tuple(found)


class _Replay:
    """The parts of a history, and how many picks and measurements it has, after some steps."""

    def __init__(self, size: tuple[int, int], width: int | None) -> None:
        self.size, self.width = size, width
        self.course = Course()
        self.parts = list[Plan](), list[Trial](), list[Batch](), list[Edit]()
        self.picks = self.measured = 0

    def take(self, step: Step) -> Step:
        """Take a step that can be taken, and return it with the trials as they were before."""
        if not _is_time(step.time):
            raise InputError(f"a time as in {_TIME}", repr(step.time), REMEDY)
        taken = self.course.target(step.kind) if step.kind else self._completed(step)
        back = step.kind == "undo"
        (taken.revert if back else taken.take)(*self.parts)
        if step.kind:
            _require(step.entries == 1, f"nothing else in a step to {step.kind}")
        else:
            step = taken
            self._check(step)
        self.picks += (-1 if back else 1) * sum(batch.size for batch in taken.batches)
        self.measured += (-1 if back else 1) * len(taken.told)
        self.course.add(step)
        return step

    def _completed(self, step: Step) -> Step:
        """The step with the trials that it changed as they were before."""
        trials, found = self.parts[1], list[Changed]()
        right: dict[int, Trial] = {}  # what a change of the table makes of the trials
        for edit in step.edits:
            right = moved(trials, edit, self._rows, step.time)
            same = right == {number: trial for number, trial, _ in step.changed}
            _require(same and len(step.edits) == 1, "the trials of the changed table")
        for number, trial, _ in step.changed:
            before = trials[number] if 0 <= number < len(trials) else None
            if before is None or (not right and before.proposal != trial.proposal):
                wanted = "a change of a trial that was there before"
                raise InputError(wanted, f"number {number} with index {trial.index}", REMEDY)
            found.append(Changed(number, trial, before))
        return step._replace(changed=tuple(found))

    def _check(self, step: Step) -> None:
        """Refuse a step just taken that no search can take."""
        plans, _, batches, _ = self.parts
        _require(all(edit.since == len(batches) for edit in step.edits), "edits in order")
        since = [plan.since for plan in plans[-1 - len(step.plans) :]]
        ordered = bool(plans) and plans[0].since == 0 and since == sorted(since)
        _require(ordered and since[-1] <= len(batches), "plans in order")
        ts = [batch.t for batch in batches[-1 - len(step.batches) :]]
        ts = [0, *ts] if len(batches) == len(step.batches) else ts
        advances = all(after - before in (0, 1) for before, after in pairwise(ts))
        _require(advances and 0 not in ts[1:], "batches that count from t = 1")
        picks = [trial for trial in step.added if trial.t > 0]
        asked = [(batch.t, k) for batch in step.batches for k in range(max(batch.size, 0))]
        _require([(pick.t, pick.k) for pick in picks] == asked, "the picks of each batch, in order")
        places = list(range(self.measured, self.measured + len(step.told)))
        measured = [(new.place, old.place) for _, new, old in step.changed if old.place >= 0]
        same = all(new == old for new, old in measured)
        _require(step.told == places and same, "measurements that count from 0")
        trials = [*(trial for _, trial, _ in step.changed), *step.added]
        _require(self._are_inside(trials, picks), "trials at candidates, or in the box")
        _require(all(map(_is_whole, trials)), "an outcome for each trial")
        numbers = range(len(batches) - len(step.batches), len(batches))
        rules = [
            plans[bisect(plans, number, key=_since) - 1].rules
            for number in numbers
            for _ in range(batches[number].size)
        ]
        right = all(pick.role in named for pick, named in zip(picks, rules, strict=True))
        _require(right, "roles of the policy that picked")
        times = [*(trial.time for trial in trials), *(batch.time for batch in step.batches)]
        _require(all(map(_is_time, times)), f"times as in {_TIME}")
        changes = {number for number, new, old in step.changed if new != old}
        changed = step.entries > 1 and len(changes) == len(step.changed)
        _require(changed, "a step that changes something")

    @property
    def _rows(self) -> int:
        """The number of candidates, after the changes of the table."""
        return self.size[0] + sum(edit.growth for edit in self.parts[3])

    def _are_inside(self, new: Iterable[Trial], picks: Sequence[Trial]) -> bool:
        if self.width is not None:
            numbers = range(self.picks, self.picks + len(picks))
            numbered = [pick.index for pick in picks] == list(numbers)
            return numbered and all(trial.point and len(trial.point) == self.width for trial in new)
        M, (_, d) = self._rows, self.size
        asked = set(picks)
        return all(
            (0 <= trial.index < M or (trial.index == -1 and trial not in asked and trial.point))
            and (trial.point is None or len(trial.point) == d)
            for trial in new
        )


def _since(plan: Plan) -> int:
    return plan.since


def _require(possible: bool, wanted: str) -> None:
    if not possible:
        raise InputError(wanted, "others", REMEDY)


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


@cache
def _prepare() -> None:
    """In a file, steps, trials and batches are tables without fields that have their default."""
    from cattrs import override
    from cattrs.cols import namedtuple_dict_structure_factory, namedtuple_dict_unstructure_factory
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

    made = converter()
    # In a file "never" is the default of `fit`: those from before there was a choice lack it.
    fill_plan = make_dict_structure_fn(Plan, made, _cattrs_forbid_extra_keys=True)
    made.register_structure_hook(
        Plan, lambda value, kind: fill_plan({"fit": "never", **as_table(value, "a plan")}, kind)
    )
    said = override(omit_if_default=False)
    write_plan = make_dict_unstructure_fn(Plan, made, _cattrs_omit_if_default=True, fit=said)
    made.register_unstructure_hook(
        Plan,
        lambda plan: {
            name: value for name, value in write_plan(plan).items() if (name, value) != _UNFITTED
        },
    )
    name_kinds(Real | Integer | Category, {Real: "real", Integer: "integer", Category: "category"})
    for kind in (Trial, Batch, Edit, Changed, Step):
        left_out = {"before": override(omit=True)} if kind is Changed else {}
        fill = namedtuple_dict_structure_factory(kind, made, "from_converter", True, **left_out)
        made.register_structure_hook(kind, fill)
        written = namedtuple_dict_unstructure_factory(kind, made, True, **left_out)
        made.register_unstructure_hook(kind, written)
