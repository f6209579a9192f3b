"""A problem: data that describe a function to maximise over finitely many candidates.

One of a user's own is made from any function over bounds, or from any table of candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.gp.kernels import Matern
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import require
from ucbpe_core.support.validation import (
    all_equal,
    count,
    direction_of,
    frozen_copy,
    indices,
    non_negative,
    points,
    sign_of,
)
from ucbpe_core.support.validation import bounds as box_of
from ucbpe_core.support.validation import values as values_of
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Direction, Floats, Integers


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
    axes : names of the d inputs and of the output, units included where there are any; without
        any, x or x1, .., xd, and f
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
        f = values_of(self.values, "values", len(X))
        observed = indices(self.observed, len(X), "observed")
        observed_y = values_of(self.observed_y, "observed_y", len(observed))
        d = X.shape[1]
        axes = self.axes or (*(f"x{i + 1}" if d > 1 else "x" for i in range(d)), "f")
        if self.grid and int(np.prod(self.grid)) != len(X):
            raise InputError(f"a grid of {len(X)} points", str(self.grid), "leave grid empty")
        if len(axes) != X.shape[1] + 1:
            raise InputError(f"{X.shape[1] + 1} axis names", str(len(axes)), "inputs, then output")
        non_negative(self.noise_variance, "noise_variance")
        direction_of(self.direction)
        arrays = {"candidates": X, "values": f, "observed": observed, "observed_y": observed_y}
        for name, array in arrays.items():
            object.__setattr__(self, name, frozen_copy(array, array.dtype))
        object.__setattr__(self, "axes", axes)

    @property
    def dimension(self) -> int:
        return int(self.candidates.shape[1])

    @cached_property
    def bounds(self) -> Floats:
        """Least and greatest coordinate along each input, shape (d, 2), read-only."""
        box = np.stack([self.candidates.min(axis=0), self.candidates.max(axis=0)], axis=1)
        box.flags.writeable = False
        return box

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


def from_callable(
    function: Callable[[Floats], float],
    bounds: ArrayLike,
    *,
    size: int | None = None,
    noise_variance: float = 0.0,
    gp: GaussianProcess | None = None,
    name: str = "Your function",
    axes: tuple[str, ...] = (),
    direction: Direction = "maximize",
    seed: int = 0,
) -> Problem:
    """A problem from `function(x)`, x of shape (d,), over bounds (d, 2).

    Candidates are a regular grid in one (401 points) and two dimensions (101 per axis), and
    `size` (default 4096) scrambled Sobol points beyond.

    Parameters
    ----------
    size : points per axis of the grid, or number of Sobol points
    gp : suggested prior; see `suggested_gp` for the default
    axes : names of the d inputs and of the output, with their units
    direction : "minimize" if the function is a cost
    seed : of the Sobol scramble

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high, or a function that returns NaN, an
        infinity or something that is not a number.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.from_callable(lambda x: 3 - (x[0] - 1) ** 2, [(-2, 2)], size=41)
    >>> problem.optimum, problem.candidates[problem.optimum_index].round(3)
    (3.0, array([1.]))
    """
    box = box_of(bounds, "bounds")
    grid: tuple[int, ...] = ()
    if len(box) <= 2:
        default = 401 if len(box) == 1 else 101
        resolution = count(default if size is None else size, "size", minimum=2)
        candidates, grid = regular_grid(box, resolution)
    else:
        number = count(4096 if size is None else size, "size")
        require_points(number, len(box))
        sobol = scipy.stats.qmc.Sobol(len(box), rng=streams.function(seed))
        # Whole powers of 2 only: SciPy warns of any other number.
        unit = sobol.random_base2((number - 1).bit_length())[:number]
        candidates = scipy.stats.qmc.scale(unit, box[:, 0], box[:, 1])
    # Copies: a function may change its x.
    values = values_of([function(x.copy()) for x in candidates], "the function", len(candidates))
    problem = from_table(
        candidates, values, noise_variance=noise_variance, gp=gp, name=name, axes=axes,
        direction=direction,
    )  # fmt: skip
    return replace(problem, citation="a function given by the user", grid=grid)


def from_table(
    candidates: ArrayLike | pd.DataFrame | Table,
    values: ArrayLike | None = None,
    *,
    noise_variance: float = 0.0,
    gp: GaussianProcess | None = None,
    name: str = "Your table",
    axes: tuple[str, ...] = (),
    direction: Direction = "maximize",
) -> Problem:
    """A problem from a table: candidates (M, d) and their values (M,), of a cost to "minimize".

    It can be a `Table` that has all values, as `Table.read` makes one. Or a frame of pandas, and
    `values` the name of its column of f: all other columns of numbers are the inputs, and their
    names are the axes.

    Raises
    ------
    InputError
        For shapes that do not agree, NaN or infinities, a column that is missing, and a `Table`
        without the value of each row.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.from_table(
    ...     [[20.0], [40.0], [60.0]], [0.3, 0.8, 0.5], axes=("temperature (°C)", "yield")
    ... )
    >>> problem.optimum_index, problem.axes
    (1, ('temperature (°C)', 'yield'))
    """
    if isinstance(candidates, Table):
        values = _complete(candidates) if values is None else values
        axes = axes or (*candidates.inputs, candidates.output)
        candidates = candidates.candidates
    if isinstance(values, str):
        candidates, values, named = _columns(candidates, values)
        axes = axes or named
    X = points(candidates, "candidates")
    values = () if values is None else values
    f = values_of(values, "values", count(len(X), "the number of candidates"))
    noise_variance, sign = non_negative(noise_variance, "noise_variance"), sign_of(direction)
    return Problem(
        name=name,
        candidates=X,
        values=f,
        noise_variance=noise_variance,
        gp=gp or suggested_gp(X, f, noise_variance),
        citation="a table given by the user",
        unique=bool(np.count_nonzero(f == (sign * f).max() * sign) == 1),
        axes=axes,
        direction=direction,
    )


def _complete(table: Table) -> Floats:
    """The values of a table, if all are known."""
    if table.y is None or not table.complete:
        got = f"{grouped(len(table.known[0]))} of {grouped(len(table))}"
        remedy = "choose a complete value column, or run an experiment with what is measured"
        raise InputError("the value of every row, to simulate", got, remedy)
    return table.y


def _columns(frame: Any, output: str) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """The inputs and the output of a frame, and the names of both."""
    if not hasattr(frame, "select_dtypes"):
        remedy = "pass the values, or a frame of pandas"
        raise InputError("a frame for the name of a column", type(frame).__name__, remedy)
    if output not in frame.columns:
        columns = ", ".join(map(str, frame.columns))
        raise InputError(f"a column among {columns}", output, "name the column of f")
    inputs = frame.drop(columns=output).select_dtypes("number")
    return inputs, frame[output], (*map(str, inputs.columns), output)


def suggested_gp(X: Floats, values: Floats, noise_variance: float) -> GaussianProcess:
    """Matérn 5/2 with a fifth of each extent as lengthscale, mean and variance of the values.

    A starting point before any fit. A noise variance of 0 becomes 1e-6 of the variance, which
    keeps repeated points well conditioned.
    """
    extent = np.ptp(X, axis=0)
    lengthscale = tuple((0.2 * np.where(extent > 0, extent, 1.0)).tolist())
    variance = 1.0 if all_equal(values) else float(np.var(values)) or 1.0
    kernel = Matern(nu=2.5, lengthscale=lengthscale, variance=variance)
    return GaussianProcess(kernel, max(noise_variance, 1e-6 * variance), float(np.mean(values)))
