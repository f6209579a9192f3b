"""A multimodal curve: two sines of unrelated periods."""

from __future__ import annotations

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF
from ucbpe_core.problems.base import Problem, regular_grid


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
