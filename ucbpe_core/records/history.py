"""The file of a search or a `Trace`: what is searched, then every step taken."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.history import History
from ucbpe_core.inputs import Category, Integer, Real
from ucbpe_core.records import atomic, text
from ucbpe_core.records.convert import REMEDY, from_plain, to_plain
from ucbpe_core.records.problem import Candidates, RunRecord
from ucbpe_core.records.replay import checked, prepare
from ucbpe_core.space import Space
from ucbpe_core.steps import Course, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.plan import Plan
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.validation import Floats

FORMAT, VERSIONS = "ucbpe-history", (1,)
_WHAT = "a saved search"
Kind = Literal["bandit", "box", "experiment", "trace"]
# For each kind, the class that opens it, and the part of the file that it needs.
_OPENED_BY = {
    "bandit": ("Bandit", "table"),
    "box": ("BoxBandit", "box"),
    "experiment": ("Experiment", "table"),
    "trace": ("Trace", "run"),
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

    def space(self, feasible: Callable[[Any], Any] | None) -> Space:
        """The space; `InputError` without the function of a constrained one."""
        if self.constrained and feasible is None:
            remedy = "pass load(path, feasible=..) the function of the saved bandit"
            raise InputError("the function feasible, which no file holds", "none", remedy)
        if not self.inputs or len(self.inputs) != len(self.names):
            raise InputError("a name for each input at $.box", str(list(self.names)), REMEDY)
        return Space(self.inputs, self.names, feasible, self.named)


@dataclass(frozen=True)
class HistoryRecord:
    """The steps, with a checksum specific to this search."""

    steps: tuple[Step, ...]
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
    table: TableRecord | None = None
    box: BoxRecord | None = None
    run: RunRecord | None = None
    checksum: str | None = None


@dataclass(frozen=True)
class Document:
    """What a file says."""

    kind: Kind
    id: str
    steps: tuple[Step, ...]
    name: str = ""
    table: TableRecord | None = None
    box: BoxRecord | None = None
    run: RunRecord | None = None
    feasible: Callable[[Any], Any] | None = None  # of a box; in no file

    @property
    def plan(self) -> Plan:
        """The first plan."""
        return self.steps[0].plans[0]

    @property
    def history(self) -> History:
        """The history that the steps in force lead to."""
        return History(()).after(Course(self.steps).done)

    def check(self, kind: Kind) -> None:
        """Raise InputError unless it is of that kind, with all its parts."""
        wanted, part = _OPENED_BY[kind]
        if self.kind != kind:
            found, _ = _OPENED_BY[self.kind]
            raise InputError(f"a file of {wanted}", f"one of {found}", f"use {found}.load")
        if getattr(self, part) is None:
            raise InputError(f"a field at $.{part}", "none", REMEDY)


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
        prepare()
        content = text.parse(path, _WHAT, FORMAT, VERSIONS)
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
        steps = checked(steps, size, width)
        return Document(record.kind, record.id, steps, record.name, table, box, run)


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
    return {"checksum": text.digest([document.id, steps]), "steps": steps}


def _check_sums(content: dict[str, Any], record: FileRecord) -> None:
    """Refuse altered content; a file without a checksum is not checked."""
    head = {key: value for key, value in content.items() if key not in ("checksum", "history")}
    steps = [record.id, content["history"]["steps"]]
    text.check_digest(record.checksum, head, "checksum")
    text.check_digest(record.history.checksum, steps, "history.checksum")


def _check_nothing_lost(identity: str, history: str, path: Path) -> None:
    """Refuse to replace a file of this search with steps that it lacks.

    Another process has saved there meanwhile, or this is an earlier state. Any other file is
    replaced.
    """
    try:
        there = json.loads(path.read_text(encoding="utf-8-sig"))
        found = list(there["history"]["steps"]) if there["id"] == identity else []
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    steps = json.loads(history.removeprefix(',"history":').rstrip()[:-1])["steps"]
    if steps[: len(found)] != found:
        pairs = enumerate(zip(steps, found, strict=False))
        same = next((i for i, (mine, theirs) in pairs if mine != theirs), len(steps))
        raise InputError(
            f"a search with the {len(found)} steps in {path}",
            f"one without {len(found) - same} of them",
            "load that file and take the step again, or save to another path",
        )
