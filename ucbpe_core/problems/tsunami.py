"""Tsunamis: run-up on a beach behind an island, relative to that without the island."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF
from ucbpe_core.problems.base import Problem

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats

_TABLE = Path(__file__).with_name("tsunami.csv")

# One unit of each input is near its lengthscale of maximum marginal likelihood, so that one
# lengthscale serves all five.
_ISLAND, _BEACH, _DISTANCE, _DEPTH = 0.1, 0.4, 5000.0, 1000.0
_AXES = (
    "island slope (tan, 0.1)",
    "beach slope (tan, 0.4)",
    "island to beach (5 km)",
    "depth (km)",
    "ln ω (rad/s)",
    "run-up amplification",
)


def tsunami() -> Problem:
    """512 simulated scenes: run-up behind a conical island over the run-up without it.

    A wave eta = 1.5 sech^2(omega t) m travels over a flat bottom to an island, whose crest is 100 m
    above the water, and a plane beach behind it. The value is the highest ground reached by the
    water on the beach, on the axis behind the island, divided by the same far to the side.

    The inputs, scrambled Sobol points: tangents of the slopes of island and beach, 0.05 to 0.2;
    distance of their feet, 0 to 5000 m; depth, 100 to 1000 m; omega, 0.002 to 0.1 rad/s, uniform in
    its logarithm. As candidates they have the units that `Problem.axes` names. Long waves are
    amplified, short ones are shadowed by the island: values are 0.49 to 1.22, with a unique
    maximum.

    The table was computed for this project by `tools/tsunami` (nonlinear shallow water,
    second-order finite volumes), since the data of the paper are not public. Against a grid twice
    as fine the values of eight designs that span the box are off by 0.005 (root mean square) and by
    0.009 (largest); noise of variance 1e-4 stands for a measurement of about that quality. The
    suggested prior has maximum marginal likelihood on the table (`fit_hyperparameters` with an
    RBF), rounded, with that noise added.

    References
    ----------
    Stefanakis, Contal, Vayatis, Dias and Synolakis, Can small islands protect nearby coasts from
    tsunamis? An active experimental design approach, Proc. R. Soc. A 470, 2014. The parametrisation
    is theirs, and so are, as far as known, the ranges, except that of omega, which is our own: it
    extends below their 0.01 rad/s, to where the amplification is greatest. They report that it
    never falls below 1, which is not found here.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.tsunami()
    >>> problem.candidates.shape, problem.values.min().round(2).item(), round(problem.optimum, 2)
    ((512, 5), 0.49, 1.22)
    """
    rows = read_table()
    return Problem(
        name="Tsunamis",
        candidates=np.column_stack(
            [
                rows[:, 0] / _ISLAND,
                rows[:, 1] / _BEACH,
                rows[:, 2] / _DISTANCE,
                rows[:, 3] / _DEPTH,
                np.log(rows[:, 4]),
            ]
        ),
        values=rows[:, 5] / rows[:, 6],
        noise_variance=1e-4,
        gp=GaussianProcess(RBF(lengthscale=1.0, variance=0.047), 1.1e-4, 0.93),
        citation=(
            "own shallow-water simulations, after Stefanakis et al., Proc. R. Soc. A 470, 2014; "
            "as in Contal et al., ECML 2013, section 5.2"
        ),
        axes=_AXES,
    )


def read_table() -> Floats:
    """The table as it is stored, shape (512, 7), in SI units.

    Columns: slope of the island and of the beach, distance, depth, omega, run-up behind the
    island and far from it.
    """
    return np.loadtxt(_TABLE, delimiter=",", skiprows=1)
