"""The file of a search or a `Trace`: what is searched, then every step taken.

Steps are taken again when a file is read, each through the verb of `History` that made it: a step
that the verb refuses, or of which it makes something else than the file says, is refused.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.files import text as files
from ucbpe_core.files.schema import Document, FileRecord
from ucbpe_core.files.tables import REMEDY, as_table, converter, from_plain, name_kinds, to_plain
from ucbpe_core.history.history import History
from ucbpe_core.history.plan import Edit, Plan
from ucbpe_core.history.steps import Batch, Changed, Course, Step, Trial
from ucbpe_core.spaces.inputs import Category, Integer, Real
from ucbpe_core.support.validation import choice, indices, points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.files.text import PathLike, PathOrFile


class Replay:
    """The history of a search, after some of the steps in its file."""

    def __init__(self, document: Document) -> None:
        self.boxed = document.kind == "box"
        self.rows, self.width = document.size
        self.history, self.course = History(()), Course()

    def taken(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps, taken one after the other, with the trials as they were before.

        Raises
        ------
        InputError
            For a step that cannot be taken, or that does something else; it has the path.
        """
        if not steps:
            raise InputError("a step at $.history.steps", "none", REMEDY)
        made = list[Step]()
        for number, step in enumerate(steps):
            path = f"$.history.steps[{number}]"
            with at(path):
                made.append(self._taken(step))
            require_same(made[-1], step, path)
        return tuple(made)

    def _taken(self, step: Step) -> Step:
        """Take a step; return what it did."""
        before = self.history
        if step.kind:
            target = self.course.target(step.kind)
            back = step.kind == "undo"
            self.history = before.before([target]) if back else before.after([target])
            made = Step(step.time, step.kind)
        else:
            self.history = self._after(self._completed(step))
            made = self.history.since(before, step.time)
            self._check_places(made.trials)
        self.course.add(made)
        return made

    def _completed(self, step: Step) -> Step:
        """The step with the trials that it changed as they were before."""
        trials, changes = self.history.trials, list[Changed]()
        for number, trial, _ in step.changed:
            if not 0 <= number < len(trials):
                raise InputError("a change of a trial that was there before", str(number), REMEDY)
            changes.append(Changed(number, trial, trials[number]))
        step = step._replace(changed=tuple(changes))
        if not (step.plans or step.edits or step.batches or step.told or changes):
            raise InputError("a step that changes something", "none", REMEDY)
        if not (step.plans or self.history.plans):
            raise InputError("a plan before anything else", "none", REMEDY)
        return step

    def _after(self, step: Step) -> History:
        """The history after a step, by the verb that made it."""
        history, trials, time = self.history, step.trials, _time_of(step)
        match step.verb:
            case "plan" | "fit":
                return history.planned(step.plans[0], step.plans[0].fitted)
            case "edit":
                edit, rows = step.edits[0], self._rows
                if len(indices(edit.removed, rows)) != len(edit.points):
                    raise InputError("a point for each row removed", str(len(edit.points)), REMEDY)
                return history.edited(edit, rows, time)
            case "ask":
                return asked(history, step.batches[0], step.added, numbered=self.boxed)
            case "tell":
                data = [trial.datum for trial in trials if trial.place >= len(history.measured)]
                return history.told(data, time)
            case "withdraw":
                return history.withdrawn([trial.index for trial in trials], time)
            case "fail":
                return history.failed([trial.index for trial in trials], trials[0].reason, time)
            case "allow":
                return history.allowed([trial.index for trial in trials])
            case _:
                return history.corrected(trials[0].place, trials[0].y)

    @property
    def _rows(self) -> int:
        """The number of candidates, after the changes of the table."""
        return self.rows + sum(edit.growth for edit in self.history.edits)

    def _check_places(self, trials: Sequence[Trial]) -> None:
        """Raise InputError unless trials are at candidates, or at points of the right width."""
        rows = _picks(self.history) if self.boxed else self._rows
        found = [trial for trial in trials if trial.index != -1 or trial.state == "pending"]
        indices([trial.index for trial in found], rows)
        apart = [trial for trial in trials if self.boxed or trial.index == -1 or trial.point]
        if apart:
            X: Any = [trial.point for trial in apart]
            points(X, "points", self.width)


@contextmanager
def at(path: str) -> Iterator[None]:
    """Give the errors of verbs the path of their step."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error.expected} at {path}", error.got, REMEDY) from None


def asked(
    history: History, batch: Batch, picks: Sequence[Trial], *, numbered: bool = False
) -> History:
    """After a recorded batch: its counts and, over a box, its indices follow from the history."""
    rules, t, first = history.plan.rules, history.next_t, _picks(history)
    for role in {pick.role for pick in picks}.difference(rules):
        raise InputError(f"roles among {', '.join(rules)}", f"{role!r:.60}", REMEDY)
    made = [
        Trial(
            first + k if numbered else pick.index, pick.point, t, k, pick.role, pick.std,
            pick.score, pick.in_region_plus, pick.known, time=pick.time,
        )
        for k, pick in enumerate(picks)
    ]  # fmt: skip
    n = len(history.data) + len(history.outstanding)
    return history.asked(batch._replace(t=t, size=len(picks), n=n), made)


def require_same(made: Step, said: Step, path: str) -> None:
    """Raise InputError for the first field in which a file says something else than was done."""
    _compare(to_plain(made), to_plain(said), path)


def _compare(right: Any, found: Any, path: str) -> None:
    if right == found:
        return
    if isinstance(right, dict) and isinstance(found, dict):
        for name in {**right, **found}:
            _compare(right.get(name), found.get(name), f"{path}.{name}")
    if isinstance(right, list | tuple) and isinstance(found, list | tuple):
        for i, pair in enumerate(zip(right, found, strict=False)):
            _compare(*pair, f"{path}[{i}]")
    wanted, got = ("no field" if one is None else f"{one!r:.60}" for one in (right, found))
    raise InputError(f"{wanted} at {path}", got, REMEDY)


def _picks(history: History) -> int:
    return sum(batch.size for batch in history.batches)


def _time_of(step: Step) -> str:
    """When its trials changed their state, which may be just before it was taken."""
    times = [after.time for _, after, before in step.changed if after.state != before.state]
    return next(iter(times or [trial.time for trial in step.added]), step.time)


FORMAT, VERSIONS = "ucbpe-history", (1,)
_WHAT = "a saved search"
_TIME = "2024-05-31T14:05:00+00:00"
_UNFITTED = ("fit", "never")
_NEVER_BELOW_0 = ("std", "noise_variance", "beta", "beta_next")


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
    """Implements `Search.save` and `Trace.save`."""
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
        As `Search.load`, and for a file that says more.
    """
    with files.building(path):
        prepare()
        content = files.parse(path, _WHAT, FORMAT, VERSIONS)
        record = _record(content)
        steps = record.history.steps
        entries = sum(step.entries for step in steps)
        if most is not None and entries > most:
            wanted = f"a history of at most {grouped(most)} steps and results"
            raise InputError(wanted, grouped(entries), "open it in Python, which has no limit")
        table, box, run = record.table, record.box, record.run
        if record.kind != "experiment" and any(step.edits for step in steps):
            raise InputError("edits in an experiment alone", f"some of a {record.kind}", REMEDY)
        document = Document(record.kind, record.id, steps, record.name, table, box, run)
        document.check(record.kind)
        if record.kind == "trace":  # of one step, which `files.trace` takes apart
            return document
        return replace(document, steps=Replay(document).taken(steps))


def _fields(document: Document) -> dict[str, Any]:
    prepare()
    found: dict[str, Any] = {"kind": document.kind, "id": document.id}
    for name in ("name", "table", "box", "run"):
        if value := getattr(document, name):
            found[name] = to_plain(value)
    return found


def _history(document: Document) -> dict[str, Any]:
    prepare()
    steps = to_plain(document.steps, tuple[Step, ...])
    return {"checksum": files.digest([document.id, steps]), "steps": steps}


def _record(content: dict[str, Any]) -> FileRecord:
    """The record in a file: altered content is refused; without a checksum it is not checked."""
    head = {key: value for key, value in content.items() if key not in ("checksum", "history")}
    try:
        record = from_plain(content, FileRecord)
    except InputError as error:
        # Nobody altered it, no plugin is missing, and yet it is none: builds before the first
        # release wrote others.
        whole = "checksum" in content and content["checksum"] == files.digest(head)
        if whole and "plugin" not in error.remedy:
            raise files.unreleased(f"expected {error.expected}; got {error.got}") from None
        raise
    steps = [record.id, content["history"]["steps"]]
    files.check_digest(record.checksum, head, "checksum")
    files.check_digest(record.history.checksum, steps, "history.checksum")
    return record


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


def _time(value: Any, kind: type[str]) -> str:
    text = converter().structure(value, kind)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        if text:  # else nobody said when
            raise InputError(f"a time as in {_TIME}", repr(text), REMEDY) from None
    return text


def _at_least_0(value: Any, kind: Any) -> Any:
    number = converter().structure(value, kind)
    if number is not None and number < 0:
        raise InputError("a number of at least 0", repr(number), REMEDY)
    return number


@cache
def prepare() -> None:
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
    checks = {"time": _time, **dict.fromkeys(_NEVER_BELOW_0, _at_least_0)}
    for kind in (Trial, Batch, Edit, Changed, Step):
        left_out = {"before": override(omit=True)} if kind is Changed else {}
        own = {name: override(struct_hook=checks[name]) for name in kind._fields if name in checks}
        fill = namedtuple_dict_structure_factory(
            kind, made, "from_converter", True, **left_out, **own
        )
        made.register_structure_hook(kind, fill)
        written = namedtuple_dict_unstructure_factory(kind, made, True, **left_out)
        made.register_unstructure_hook(kind, written)
