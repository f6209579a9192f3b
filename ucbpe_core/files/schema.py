"""What a file holds: candidates or a box, the problem of a `Trace`, and the steps taken."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ucbpe_core.errors import InputError
from ucbpe_core.files.tables import REMEDY
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.history.history import History
from ucbpe_core.history.steps import Course, Step
from ucbpe_core.history.workers import BATCHES, Workers
from ucbpe_core.problems.base import Problem
from ucbpe_core.spaces.design import Design
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import count
from ucbpe_core.support.validation import points as checked_points
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.history.plan import Plan
    from ucbpe_core.support.validation import Floats

Kind = Literal["bandit", "box", "experiment", "trace"]
# For each kind, the class that opens it, and the part of the file that it needs.
_OPENED_BY = {
    "bandit": ("Bandit", "table"),
    "box": ("BoxBandit", "box"),
    "experiment": ("Experiment", "table"),
    "trace": ("Trace", "run"),
}


@dataclass(frozen=True)
class CandidatesRecord:
    """Points (M, d), one row for each."""

    points: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, points: Floats) -> CandidatesRecord:
        return cls(tuple(map(tuple, points.tolist())))

    @property
    def size(self) -> tuple[int, int]:
        """M and d."""
        return len(self.points), len(self.points[0]) if self.points else 0


@dataclass(frozen=True)
class ProblemRecord:
    """A `Problem`."""

    name: str
    citation: str
    axes: tuple[str, ...]
    noise_variance: float
    unique: bool
    grid: tuple[int, ...]
    candidates: CandidatesRecord
    values: tuple[float, ...]
    observed: tuple[int, ...]
    observed_y: tuple[float, ...]
    gp: GaussianProcess
    direction: Literal["maximize", "minimize"] = "maximize"

    @classmethod
    def of(cls, problem: Problem) -> ProblemRecord:
        plain = {field.name: getattr(problem, field.name) for field in fields(cls)}
        for name in ("values", "observed", "observed_y"):
            plain[name] = tuple(plain[name].tolist())
        return cls(
            **plain
            | {
                "noise_variance": float(problem.noise_variance),
                "unique": bool(problem.unique),
                "grid": tuple(count(m, "a length of problem.grid") for m in problem.grid),
                "candidates": CandidatesRecord.of(problem.candidates),
            }
        )

    def problem(self) -> Problem:
        """The problem itself; `InputError` for content that no problem can have."""
        for length in self.grid:
            count(length, "a length at $.run.problem.grid")
        if not self.axes:  # `Problem` would choose names
            wanted = "a name for each input and the output at $.run.problem.axes"
            raise InputError(wanted, "none", REMEDY)
        X = self.candidates.points
        return Problem(**vars(self) | {"candidates": X, "observed": [*self.observed]})


@dataclass(frozen=True)
class RunRecord:
    """The problem of a `Trace`, the seed of its initial points and noise, and its workers."""

    problem: ProblemRecord
    seed: int
    workers: Workers = BATCHES


@dataclass(frozen=True)
class LabelRecord:
    """A column that identifies the candidates to people."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class TableRecord:
    """The candidates; `index` has the labels of a frame, `inputs` the names of its columns.

    `design` says which settings they stand for, where these are not plain numbers.
    """

    candidates: CandidatesRecord
    inputs: tuple[str, ...] | None = None
    output: str = "y"
    labels: tuple[LabelRecord, ...] = ()
    index: tuple[str, ...] | None = None
    design: Design | None = None

    @classmethod
    def of(cls, points: Floats, inputs: tuple[str, ...] | None, **others: Any) -> TableRecord:
        """That of candidates (M, d)."""
        return cls(CandidatesRecord.of(points), inputs, **others)

    @classmethod
    def of_table(cls, table: Table) -> TableRecord:
        """That of a table, without its values, which are measurements."""
        labels = tuple(LabelRecord(name, texts) for name, texts in table.labels)
        return cls.of(
            table.candidates, table.inputs,
            output=table.output, labels=labels, design=table.design,
        )  # fmt: skip

    def table(self) -> Table:
        """The table."""
        labels = tuple((label.name, label.texts) for label in self.labels)
        X = checked_points(self.candidates.points, "candidates")
        return Table(self.inputs or (), X, self.output, labels, self.design)


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
    sums: tuple[SumConstraint, ...] = ()

    def space(self, feasible: Callable[[Any], Any] | None) -> Space:
        """The space; `InputError` without the function of a constrained one."""
        if self.constrained and feasible is None:
            remedy = "pass load(path, feasible=..) the function of the saved bandit"
            raise InputError("the function feasible, which no file holds", "none", remedy)
        if not self.inputs or len(self.inputs) != len(self.names):
            raise InputError("a name for each input at $.box", str(list(self.names)), REMEDY)
        return Space(self.inputs, self.names, feasible, self.named, self.sums)


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
    def size(self) -> tuple[int, int]:
        """M and d of the table as it was first; 0 and D of a box."""
        if self.box is not None:
            return 0, sum(part.width for part in self.box.inputs)
        return (0, 0) if self.table is None else self.table.candidates.size

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
