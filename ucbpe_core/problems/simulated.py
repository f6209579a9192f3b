"""Tables from simulations: a chaotic series, computed here, and tsunamis, computed beforehand.

Mackey-Glass is to be predicted 85 samples ahead from six of its past values. Of a tsunami the value
is the run-up on a beach behind an island, relative to that without the island.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import RBF
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.problems.base import Problem
from ucbpe_core.support.validation import count, non_negative, positive

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

_DELAY = 17.0
_STEPS_PER_DELAY = 170  # a step of 0.1
_STEPS_PER_SAMPLE = 60  # one sample every 6 time units
_LONGEST_TRANSIENT = 1e6
_SAMPLES = 1500
_LAGS = (0, 6, 12, 18, 24, 30)  # of the features, in samples
_AHEAD = 85  # of the target, in samples

_TABLE = Path(__file__).with_name("tsunami.csv")

# One unit of each input is near its lengthscale of maximum marginal likelihood, so that one
# lengthscale serves all five.
_ISLAND, _BEACH, _DISTANCE, _DEPTH = 0.1, 0.4, 5000.0, 1000.0
_TSUNAMI_AXES = (
    "island slope (tan, 0.1)",
    "beach slope (tan, 0.4)",
    "island to beach (5 km)",
    "depth (km)",
    "ln ω (rad/s)",
    "run-up amplification",
)


def mackey_glass(*, transient: float = 1000.0, history: float = 1.2) -> Problem:
    """Rows (s_n, s_{n-6}, .., s_{n-30}) with value s_{n+85}, of 1500 samples s_n = x(t_0 + 6 n).

    x solves dx/dt = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x(t), see `integrate`. Thirty
    samples have too short a past and 85 too short a future, so 1385 rows in 6 dimensions
    remain. There is no noise. The maximum is unique: the series never repeats itself.

    The literature on this table leaves the history and the transient open; both are parameters
    here. The suggested prior has maximum marginal likelihood on 300 rows of the default table
    (`default_rng(0).choice` without replacement, `fit_hyperparameters` with an RBF), rounded; its
    noise variance stands for what one lengthscale cannot represent.

    Parameters
    ----------
    transient : t_0, time before the first sample, rounded to the step of 0.1
    history : x(t) for t <= 0, above 0

    Raises
    ------
    InputError
        For a transient that is negative or above 1e6, which takes ten seconds, or a history from
        which x does not move: 1 is an equilibrium.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.mackey_glass()
    >>> problem.candidates.shape, round(problem.optimum, 3)
    ((1385, 6), 1.317)
    """
    if non_negative(transient, "transient") > _LONGEST_TRANSIENT:
        wanted = f"a transient of at most {_LONGEST_TRANSIENT:g}"
        raise InputError(wanted, f"{transient:g}", "pass less: the series forgets its history")
    first = round(transient / _DELAY * _STEPS_PER_DELAY)
    x = integrate(first + (_SAMPLES - 1) * _STEPS_PER_SAMPLE, history=history)
    samples = x[first::_STEPS_PER_SAMPLE]
    if np.ptp(samples) == 0:
        raise InputError(
            "a series that varies",
            f"x = {samples[0]:g} at all times from history {history:g}",
            "pass a history away from the equilibrium 1",
        )
    now = np.arange(_LAGS[-1], _SAMPLES - _AHEAD)
    return Problem(
        name="Mackey-Glass",
        candidates=np.stack([samples[now - lag] for lag in _LAGS], axis=1),
        values=samples[now + _AHEAD],
        noise_variance=0.0,
        gp=GaussianProcess(RBF(lengthscale=0.38, variance=0.033), 0.0146, 0.99),
        citation="Mackey and Glass, Science 197, 1977; as in Contal et al., ECML 2013, section 5.2",
        axes=("s(n)", *(f"s(n - {lag})" for lag in _LAGS[1:]), f"s(n + {_AHEAD})"),
    )


def integrate(
    steps: int, *, history: float = 1.2, steps_per_delay: int = _STEPS_PER_DELAY
) -> Floats:
    """x at times 0, h, 2 h, .., `steps` h, shape (steps + 1,), with h = 17 / steps_per_delay.

    The classical Runge-Kutta method of order 4. At whole steps x(t - 17) is a value already
    computed; at half steps it is the cubic Hermite interpolant of the two values and slopes
    around it, x(t + h/2) = (x_0 + x_1) / 2 + h (x_0' - x_1') / 8, whose error O(h^4) keeps the
    order. x' jumps at t = 0 alone, where the constant history ends and which is a whole step.

    A difference in one last bit makes trajectories of a chaotic system diverge: 1e-16 grows to the
    size of x within some 6000 time units. Powers are therefore multiplied out and every operation
    is one of IEEE arithmetic, so that all machines compute the same table; `pow` may differ between
    mathematical libraries.

    Parameters
    ----------
    steps : number of steps
    history : x(t) for t <= 0, above 0
    steps_per_delay : steps in the delay of 17 time units

    Raises
    ------
    InputError
        For a negative number of steps, no steps per delay, or a history that is not positive.
    """
    steps, lag = count(steps, "steps", minimum=0), count(steps_per_delay, "steps_per_delay")
    h = _DELAY / lag
    new = positive(history, "history")
    # The production by x at whole and at half steps; entry n acts a delay later, during step n.
    whole, half = [_production(new)] * (lag + 1), [_production(new)] * lag
    x = [new]
    for n in range(steps):
        old, start, middle, end = new, whole[n], half[n], whole[n + 1]
        k1 = start - 0.1 * old
        k2 = middle - 0.1 * (old + h / 2 * k1)
        k3 = middle - 0.1 * (old + h / 2 * k2)
        k4 = end - 0.1 * (old + h * k3)
        new = old + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        x.append(new)
        between = (old + new) / 2 + h / 8 * (k1 - (end - 0.1 * new))
        whole.append(_production(new))
        half.append(_production(between))
    return np.array(x)


def _production(x: float) -> float:
    """0.2 x / (1 + x^10)."""
    square = x * x
    fourth = square * square
    return 0.2 * x / (1 + fourth * fourth * square)


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
        axes=_TSUNAMI_AXES,
    )


def read_table() -> Floats:
    """The table as it is stored, shape (512, 7), in SI units.

    Columns: slope of the island and of the beach, distance, depth, omega, run-up behind the
    island and far from it.
    """
    return np.loadtxt(_TABLE, delimiter=",", skiprows=1)
