"""Himmelblau's function, tilted so that one of its four equal peaks is the highest."""

from __future__ import annotations

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF
from ucbpe_core.problems.base import Problem, regular_grid


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
