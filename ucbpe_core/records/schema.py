"""What a file holds: candidates or a box, the problem of a `Trace`, and the steps taken.

Candidates on a grid are written as its axes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ucbpe_core.design import Design
from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.history import History
from ucbpe_core.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.problems.base import Problem
from ucbpe_core.records.tables import REMEDY
from ucbpe_core.space import Space
from ucbpe_core.steps import Course, Step
from ucbpe_core.validation import count
from ucbpe_core.workers import BATCHES, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.plan import Plan
    from ucbpe_core.validation import Floats

Kind = Literal["bandit", "box", "experiment", "trace"]
# For each kind, the class that opens it, and the part of the file that it needs.
_OPENED_BY = {
    "bandit": ("Bandit", "table"),
    "box": ("BoxBandit", "box"),
    "experiment": ("Experiment", "table"),
    "trace": ("Trace", "run"),
}


@dataclass(frozen=True)
class Candidates:
    """Points (M, d): by the axes of a grid, whose last input moves fastest, or one row for each."""

    axes: tuple[tuple[float, ...], ...] = ()
    points: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def pack(cls, points: Floats, grid: Sequence[int] = ()) -> Candidates:
        """By axes if the points are exactly a grid of that shape."""
        if len(grid) == points.shape[1]:
            axes = tuple(
                tuple(np.moveaxis(column.reshape(grid), i, 0).reshape(grid[i], -1)[:, 0].tolist())
                for i, column in enumerate(points.T)
            )
            if _mesh(axes).tobytes() == np.ascontiguousarray(points).tobytes():
                return cls(axes=axes)
        return cls(points=tuple(map(tuple, points.tolist())))

    def unpack(self, size: int, path: str, grid: Sequence[int] = ()) -> Floats:
        """The points (size, d); axes have the lengths of the grid.

        Raises
        ------
        InputError
            For rows of different lengths, axes of other lengths or another number of points.
        """
        # A few long axes could make more points than memory holds: count before making them.
        lengths = [*map(len, self.axes)]
        found = prod(lengths) if lengths else len(self.points)
        if found != size or size == 0 or (self.axes and self.points):
            wanted = f"{size} points at {path}, one for each value"
            raise InputError(wanted, str(found), REMEDY)
        if self.axes:
            if lengths != [*grid]:
                raise InputError(f"axes of lengths {[*grid]} at {path}", str(lengths), REMEDY)
            return _mesh(self.axes)
        widths = sorted({len(row) for row in self.points})
        if len(widths) != 1:
            raise InputError(f"rows of one length at {path}.points", f"{widths}", REMEDY)
        return np.array(self.points)


@dataclass(frozen=True)
class ProblemRecord:
    """A `Problem`."""

    name: str
    citation: str
    axes: tuple[str, ...]
    noise_variance: float
    unique: bool
    grid: tuple[int, ...]
    candidates: Candidates
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
                "candidates": Candidates.pack(problem.candidates, problem.grid),
            }
        )

    def problem(self) -> Problem:
        """The problem itself; `InputError` for content that no problem can have."""
        for length in self.grid:
            count(length, "a length at $.run.problem.grid")
        if not self.axes:  # `Problem` would choose names
            wanted = "a name for each input and the output at $.run.problem.axes"
            raise InputError(wanted, "none", REMEDY)
        X = self.candidates.unpack(len(self.values), "$.run.problem.candidates", self.grid)
        return Problem(**vars(self) | {"candidates": X, "observed": [*self.observed]})


@dataclass(frozen=True)
class RunRecord:
    """The problem of a `Trace`, the seed of its initial points and noise, and its workers."""

    problem: ProblemRecord
    seed: int
    workers: Workers = BATCHES

    @property
    def size(self) -> tuple[int, int]:
        """M and d."""
        return len(self.problem.values), len(self.problem.axes) - 1


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

    candidates: Candidates
    inputs: tuple[str, ...] | None = None
    output: str = "y"
    labels: tuple[LabelRecord, ...] = ()
    index: tuple[str, ...] | None = None
    design: Design | None = None

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


def _mesh(axes: Sequence[Sequence[float]]) -> Floats:
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
