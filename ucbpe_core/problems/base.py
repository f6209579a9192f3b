"""A problem: data that describe a function to maximise over finitely many candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.limits import require
from ucbpe_core.validation import (
    count,
    frozen_copy,
    indices,
    non_negative,
    points,
    sign_of,
    values,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Direction, Floats, Integers


@dataclass(frozen=True, eq=False)
class Problem(Frozen):
    """A function f, known on a finite candidate set, and how measurements of it behave.

    Attributes
    ----------
    name : display name
    candidates : points, shape (M, d)
    values : true f at the candidates, shape (M,); policies never see it
    noise_variance : of a measurement y = f(x) + e, e ~ N(0, noise_variance)
    gp : a suitable prior
    citation : its source
    unique : whether exactly one candidate attains the optimum
    axes : names of the d inputs and of the output, units included where there are any
    grid : (m_1, .., m_d) if the candidates are a regular grid in C order, else empty
    observed, observed_y : candidates (n,) measured before anything else, and the values (n,)
    direction : "maximize", or "minimize" where f is a cost; all values are those of f itself

    Raises
    ------
    InputError
        For shapes that do not agree, NaN or infinities, a negative noise variance.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.himmelblau()
    >>> problem.candidates.shape, problem.optimum, problem.candidates[problem.optimum_index]
    ((10201, 2), 0.0, array([3., 2.]))
    >>> problem.regret(problem.values).max().round(1).item()
    891.3
    """

    name: str
    candidates: Floats = field(repr=False)
    values: Floats = field(repr=False)
    noise_variance: float
    gp: GaussianProcess
    citation: str
    unique: bool = True
    axes: tuple[str, ...] = ()
    grid: tuple[int, ...] = ()
    observed: Integers = field(default_factory=lambda: np.empty(0, np.intp), repr=False)
    observed_y: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    direction: Direction = "maximize"

    def __post_init__(self) -> None:
        X = points(self.candidates, "candidates")
        count(len(X), "the number of candidates")
        f = values(self.values, "values", len(X))
        observed = indices(self.observed, len(X), "observed")
        observed_y = values(self.observed_y, "observed_y", len(observed))
        axes = self.axes or (*(f"x{i + 1}" for i in range(X.shape[1])), "f")
        if self.grid and int(np.prod(self.grid)) != len(X):
            raise InputError(f"a grid of {len(X)} points", str(self.grid), "leave grid empty")
        if len(axes) != X.shape[1] + 1:
            raise InputError(f"{X.shape[1] + 1} axis names", str(len(axes)), "inputs, then output")
        non_negative(self.noise_variance, "noise_variance")
        sign_of(self.direction)
        arrays = {"candidates": X, "values": f, "observed_y": observed_y}
        for name, array in arrays.items():
            object.__setattr__(self, name, frozen_copy(array))
        object.__setattr__(self, "observed", frozen_copy(observed, np.intp))
        object.__setattr__(self, "axes", axes)

    @property
    def dimension(self) -> int:
        return int(self.candidates.shape[1])

    @property
    def bounds(self) -> Floats:
        """Least and greatest coordinate along each input, shape (d, 2)."""
        return np.stack([self.candidates.min(axis=0), self.candidates.max(axis=0)], axis=1)

    @property
    def optimum(self) -> float:
        """f*, the maximum of f over the candidates; the minimum if `direction` is "minimize"."""
        return float(self.values[self.optimum_index])

    @property
    def optimum_index(self) -> int:
        """The candidate that attains it, the lowest index if several do."""
        return int(np.argmax(sign_of(self.direction) * self.values))

    def regret(self, f: Floats | float) -> Floats:
        """f* - f for values f of any shape; f - f* if `direction` is "minimize"."""
        return np.asarray(sign_of(self.direction) * (self.optimum - f))


def require_points(number: int, dimension: int) -> None:
    """Raise `TooLargeError` unless so many candidates and what is made of them fit in memory.

    `InputError` for more than ten billion, which no machine holds.
    """
    count(number, "the number of candidates", maximum=10**10)
    needed = 2 * number * (dimension + 1) * np.dtype(float).itemsize
    require(needed, f"{grouped(number)} candidates", "use fewer")


def regular_grid(bounds: ArrayLike, resolution: int) -> tuple[Floats, tuple[int, ...]]:
    """`resolution` points per axis over bounds (d, 2): points (resolution^d, d) and the shape.

    Raises `TooLargeError` if they do not fit in memory.
    """
    box = np.asarray(bounds, dtype=float)
    require_points(int(resolution) ** len(box), len(box))
    axes = [np.linspace(low, high, resolution) for low, high in box]
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.stack([part.ravel() for part in mesh], axis=1), tuple(len(axis) for axis in axes)
