"""A curve drawn by its points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import PchipInterpolator

from ucbpe_core.errors import InputError
from ucbpe_core.problems import Problem, from_table
from ucbpe_core.support.validation import read_only, real

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

LEFT, RIGHT = 0.0, 10.0  # where the curve is defined
LOW, HIGH = -2.0, 2.0  # what the frame shows at least
SIZE = 401  # candidates, on a regular grid
FEWEST, MOST = 2, 40
_APART = 1e-3  # between neighbours along x
_LARGEST = 1e6

Point = tuple[float, float]
_FIRST: tuple[Point, ...] = (
    (0.0, -0.6), (1.5, 0.5), (3.0, -0.4), (5.0, 0.9), (6.5, 0.1), (8.3, 1.5), (10.0, -0.9),
)  # fmt: skip


@dataclass(frozen=True)
class DrawnCurve:
    """Points (x, y) in the order of x, and the smooth curve through them.

    Monotone between two neighbours (Fritsch and Carlson's cubic): it never overshoots what was
    drawn. Left of the first point and right of the last it stays level.

    Raises
    ------
    InputError
        For too few or too many points, two at one x, or one outside the frame.
    """

    points: tuple[Point, ...] = _FIRST

    def __post_init__(self) -> None:
        points = sorted((real(x, "x"), real(y, "y")) for x, y in self.points)
        if not FEWEST <= len(points) <= MOST:
            remedy = "add points" if len(points) < FEWEST else "remove points"
            raise InputError(f"{FEWEST} to {MOST} points", str(len(points)), remedy)
        for x, y in points:
            if not LEFT <= x <= RIGHT:
                remedy = "move the point inside"
                raise InputError(f"x from {LEFT:g} to {RIGHT:g}", f"{x:g}", remedy)
            if abs(y) > _LARGEST:
                raise InputError(f"y up to {_LARGEST:g} in size", f"{y:g}", "lower it")
        for (left, _), (right, _) in pairwise(points):
            if right - left < _APART:
                remedy = "move one of them to the side"
                raise InputError("points at different x", f"two at {left:.4g}", remedy)
        object.__setattr__(self, "points", tuple(points))

    def values(self, x: Floats) -> Floats:
        """The curve at places x (m,)."""
        at, y = np.array(self.points).T
        # The slope of a nearly level piece is a mean of reciprocals, which may overflow: it is 0.
        with np.errstate(over="ignore"):
            smooth: Floats = PchipInterpolator(at, y)(np.clip(x, at[0], at[-1]))
        return smooth

    @property
    def line(self) -> tuple[Floats, Floats]:
        """The curve at its candidates: x and y, shape (401,) each."""
        x = np.linspace(LEFT, RIGHT, SIZE)
        return read_only(x), read_only(self.values(x))

    def problem(self, noise_variance: float) -> Problem:
        """The curve as a problem over a regular grid.

        Raises
        ------
        InputError
            For a negative noise variance.
        """
        x, y = self.line
        problem = from_table(
            x[:, None], y, noise_variance=noise_variance, name="Drawn curve", axes=("x", "f")
        )
        return replace(problem, grid=(SIZE,))
