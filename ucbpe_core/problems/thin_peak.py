"""A thin peak beside a broad hill, which a search with an overconfident band misses."""

from __future__ import annotations

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import Matern
from ucbpe_core.problems.base import Problem, regular_grid
from ucbpe_core.validation import positive


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
