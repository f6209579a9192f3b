"""Candidates and problems in a file; candidates on a grid are written as its axes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.problems.base import Problem
from ucbpe_core.records.convert import REMEDY
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Floats


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
    """The problem of a `Trace`, and the seed of its initial points and noise."""

    problem: ProblemRecord
    seed: int

    @property
    def size(self) -> tuple[int, int]:
        """M and d."""
        return len(self.problem.values), len(self.problem.axes) - 1


def _mesh(axes: Sequence[Sequence[float]]) -> Floats:
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
