"""Functions with a formula: one in the plane, and two curves for teaching."""

from __future__ import annotations

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF, Matern
from ucbpe_core.problems.base import Problem, regular_grid
from ucbpe_core.validation import positive


def himmelblau(*, noise_variance: float = 1.0) -> Problem:
    """f(x, y) = -[(x^2 + y - 11)^2 + (x + y^2 - 7)^2 + 0.1 ((x - 3)^2 + (y - 2)^2)].

    On [-5, 5]^2, 101 points per axis; the only maximum is 0 at (3, 2), which is a candidate. The
    suggested prior is rougher than the one of maximum marginal likelihood (RBF, lengthscale 5.7
    on 300 candidates), which nearly determines a polynomial of degree 4 after twenty points.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.himmelblau()
    >>> problem.grid, problem.candidates[problem.optimum_index].round(3)
    ((101, 101), array([3., 2.]))
    """
    candidates, grid = regular_grid([(-5, 5), (-5, 5)], 101)
    x, y = candidates.T
    tilt = 0.1 * ((x - 3) ** 2 + (y - 2) ** 2)
    return Problem(
        name="Himmelblau, tilted",
        candidates=candidates,
        values=0.0 - ((x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2 + tilt),
        noise_variance=noise_variance,
        gp=GaussianProcess(RBF(lengthscale=2.0, variance=4e4), noise_variance, mean=-150.0),
        citation="Himmelblau, Applied Nonlinear Programming, 1972; tilt: Contal et al. 2013",
        axes=("x", "y", "f"),
        grid=grid,
    )


def multimodal(*, noise_variance: float = 0.01) -> Problem:
    """f(x) = -sin(x) - sin(10 x / 3) on [2.7, 7.5]; 481 points, maximum near 1.8996 at 5.15.

    The suggested prior has maximum marginal likelihood on 300 noisy candidates, rounded.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.multimodal()
    >>> round(problem.optimum, 2), problem.candidates[problem.optimum_index].round(2)
    (1.9, array([5.15]))
    """
    candidates, grid = regular_grid([(2.7, 7.5)], 481)
    x = candidates[:, 0]
    return Problem(
        name="Multimodal curve",
        candidates=candidates,
        values=-np.sin(x) - np.sin(10 * x / 3),
        noise_variance=noise_variance,
        gp=GaussianProcess(RBF(lengthscale=0.65, variance=2.3), noise_variance),
        citation="Torn and Zilinskas, Global Optimization, 1989 (its negative is minimised there)",
        axes=("x", "f"),
        grid=grid,
    )


def thin_peak(*, width: float = 0.015, noise_variance: float = 0.0025) -> Problem:
    """f(x) = 0.8 exp(-((x - 0.35) / 0.18)^2 / 2) + exp(-((x - 0.82) / width)^2 / 2) on [0, 1].

    A broad hill of height 0.8 at 0.35 and a thin peak of height 1 at 0.82; 401 points. The
    suggested prior suits the hill and is too smooth for the peak, as a prior fitted before the
    peak was seen would be.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.thin_peak(width=0.01)
    >>> round(problem.optimum, 3), problem.candidates[problem.optimum_index].round(2)
    (1.026, array([0.82]))
    """
    candidates, grid = regular_grid([(0, 1)], 401)
    x = candidates[:, 0]
    hill = 0.8 * np.exp(-(((x - 0.35) / 0.18) ** 2) / 2)
    peak = np.exp(-(((x - 0.82) / positive(width, "width")) ** 2) / 2)
    return Problem(
        name="Thin peak",
        candidates=candidates,
        values=hill + peak,
        noise_variance=noise_variance,
        gp=GaussianProcess(Matern(nu=2.5, lengthscale=0.12, variance=0.25), noise_variance),
        citation="a teaching example of this project",
        axes=("x", "f"),
        grid=grid,
    )
