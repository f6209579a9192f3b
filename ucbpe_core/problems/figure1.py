"""The paper's Figure 1: four observations of an unknown function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import Matern
from ucbpe_core.problems.base import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PRINTED = Path(__file__).with_name("figure1.csv")  # from the same vector data

# Extracted from the figure's vector data (arXiv 1304.5350); points x and values y.
OBSERVED_X = (-0.9432, -0.153621012262113, 0.360257825320531, 1.24252251138805)
OBSERVED_Y = (-1.2543, -0.4043, -0.0198877954270356, -1.70980966938825)


def figure1(seed: int = 0) -> Problem:
    """The four observations of Figure 1, with a true f that is consistent with them.

    The paper prints no true curve, so f is one draw, of the given seed, of the posterior that
    Figure 1 shows: Matérn nu = 3/2, lengthscale 1, variance 1, noise variance 0.01, mean 0.
    The observations are extracted from the figure's vector data. The candidates are the points of
    the printed curve (-1.2 to 1.3 in steps of 0.025) and the four observed points.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.figure1()
    >>> problem.candidates[problem.observed].ravel().round(3), problem.observed_y.round(3)
    (array([-0.943, -0.154,  0.36 ,  1.243]), array([-1.254, -0.404, -0.02 , -1.71 ]))
    """
    gp = GaussianProcess(Matern(nu=1.5, lengthscale=1.0, variance=1.0), noise_variance=0.01)
    x = np.sort(np.concatenate([np.linspace(-1.2, 1.3, 101), OBSERVED_X]))[:, None]
    truth = gp.condition(np.array(OBSERVED_X), OBSERVED_Y).sample(x, seed)
    return Problem(
        name="Paper, Figure 1",
        candidates=x,
        values=truth,
        noise_variance=gp.noise_variance,
        gp=gp,
        citation="Contal et al., ECML 2013, Figures 1 and 2",
        axes=("x", "f"),
        observed=np.searchsorted(x[:, 0], OBSERVED_X),
        observed_y=np.array(OBSERVED_Y),
    )


def printed_figure1() -> NDArray[np.float64]:
    """The curves of Figure 1 as the paper prints them, shape (51, 3).

    Each row has x, the posterior mean mu and the upper edge of the band of a measurement,
    mu + 2 sqrt(sigma^2 + noise variance).

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> x, mean, upper = problems.printed_figure1().T
    >>> len(x), float(mean[0].round(3)), float(upper[0].round(3))
    (51, -1.187, -0.421)
    """
    return np.loadtxt(_PRINTED, delimiter=",", skiprows=1)
