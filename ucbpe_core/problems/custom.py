"""A user's own problem: any function over bounds, or any table of candidates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core import streams
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import Matern
from ucbpe_core.problems.base import Problem, regular_grid, require_points
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, non_negative, points, sign_of
from ucbpe_core.validation import values as checked_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Direction, Floats


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
    box = checked_bounds(bounds, "bounds")
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
    values = checked_values(
        [function(x.copy()) for x in candidates], "the function", len(candidates)
    )
    problem = from_table(
        candidates, values, noise_variance=noise_variance, gp=gp, name=name, axes=axes,
        direction=direction,
    )  # fmt: skip
    return replace(problem, citation="a function given by the user", grid=grid)


def from_table(
    candidates: ArrayLike,
    values: ArrayLike,
    *,
    noise_variance: float = 0.0,
    gp: GaussianProcess | None = None,
    name: str = "Your table",
    axes: tuple[str, ...] = (),
    direction: Direction = "maximize",
) -> Problem:
    """A problem from a table: candidates (M, d) and their values (M,), of a cost to "minimize".

    Raises
    ------
    InputError
        For shapes that do not agree, NaN or infinities.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.from_table(
    ...     [[20.0], [40.0], [60.0]], [0.3, 0.8, 0.5], axes=("temperature (°C)", "yield")
    ... )
    >>> problem.optimum_index, problem.axes
    (1, ('temperature (°C)', 'yield'))
    """
    X = points(candidates, "candidates")
    f = checked_values(values, "values", count(len(X), "the number of candidates"))
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


def suggested_gp(X: Floats, values: Floats, noise_variance: float) -> GaussianProcess:
    """Matérn 5/2 with a fifth of each extent as lengthscale, mean and variance of the values.

    A starting point before any fit. A noise variance of 0 becomes 1e-6 of the variance, which
    keeps repeated points well conditioned.
    """
    extent = np.ptp(X, axis=0)
    lengthscale = tuple((0.2 * np.where(extent > 0, extent, 1.0)).tolist())
    variance = float(np.var(values)) or 1.0
    kernel = Matern(nu=2.5, lengthscale=lengthscale, variance=variance)
    return GaussianProcess(kernel, max(noise_variance, 1e-6 * variance), float(np.mean(values)))
