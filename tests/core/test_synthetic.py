"""Problems that are computed: draws by circulant embedding, Mackey-Glass, and tsunamis."""

from __future__ import annotations

import hashlib
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.core.reference import covariance
from tests.core.strategies import Floats
from ucbpe_core import RBF, GaussianProcess, InputError, Matern, fit_hyperparameters, problems
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.problems import synthetic, tsunami
from ucbpe_core.problems.base import regular_grid
from ucbpe_core.problems.simulated import integrate, read_table
from ucbpe_core.problems.synthetic import stationary_draw

LINE, PLANE = np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 2.0]])


class Impulse:
    """Instead of noise: 0 everywhere but at one position."""

    def __init__(self, position: int) -> None:
        self.position, self.size = position, 0

    def standard_normal(self, shape: tuple[int, ...]) -> Floats:
        self.size = int(np.prod(shape))
        noise = np.zeros(self.size)
        noise[self.position] = 1.0
        return noise.reshape(shape)


def exact_covariance(kernel: Stationary, bounds: Floats, resolution: int) -> Floats:
    """A draw is A times standard normal noise; impulses give A column by column."""
    columns, size = [], 1
    while len(columns) < size:
        impulse = Impulse(len(columns))
        columns.append(stationary_draw(kernel, bounds, resolution, impulse))
        size = impulse.size
    A = np.array(columns).T
    return A @ A.T


@pytest.mark.parametrize(
    ("kernel", "bounds", "resolution"),
    [
        (Matern(0.2, nu=0.5), LINE, 9),
        (Matern(0.25, 2.0, nu=3.0), LINE, 12),
        (RBF(0.1, 1.5), LINE, 12),
        (Matern(0.3, nu=1.5), PLANE, 4),
        (RBF((0.1, 0.4)), PLANE, 4),
    ],
    ids=repr,
)
def test_the_covariance_is_exact(kernel: Stationary, bounds: Floats, resolution: int) -> None:
    """Every pair of grid points has covariance k(x_i, x_j), to rounding."""
    X, _ = regular_grid(bounds, resolution)
    computed = exact_covariance(kernel, bounds, resolution)
    np.testing.assert_allclose(computed, covariance(kernel, X, X), atol=1e-10)


def test_a_fine_line_is_no_trouble() -> None:
    """In one dimension a long period costs little, so fine grids and long lengthscales work."""
    rng = np.random.default_rng(0)
    assert stationary_draw(Matern(0.25, nu=3.0), LINE, 5000, rng).shape == (5000,)
    assert stationary_draw(Matern(5.0, nu=2.5), LINE, 101, rng).shape == (101,)


def test_far_beyond_the_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lengthscale that no period can hold is refused, with a remedy."""
    monkeypatch.setattr(synthetic, "_LARGEST_EMBEDDING", 2**16)  # the usual one takes seconds
    with pytest.raises(IllConditionedError, match="shorten the lengthscale"):
        stationary_draw(RBF(50.0), PLANE, 20, np.random.default_rng(0))


LAGS = (0, 6, 12, 18, 24, 30)
AHEAD = 85
SAMPLES = 1500


def samples(transient: float = 1000.0) -> Floats:
    """The series as the table is cut from it: every 6 time units, 1500 times."""
    x = integrate(round(transient * 10) + (SAMPLES - 1) * 60)
    return x[round(transient * 10) :: 60]


def test_the_table_is_the_series_in_lagged_columns() -> None:
    """1385 rows of s_n, s_{n-6}, .., s_{n-30}, each with s_{n+85}; no noise."""
    problem, s = problems.mackey_glass(), samples()
    assert problem.candidates.shape == (1385, 6)
    assert len(s) == SAMPLES
    for row, n in enumerate(range(30, SAMPLES - AHEAD)):
        np.testing.assert_array_equal(problem.candidates[row], [s[n - lag] for lag in LAGS])
        assert problem.values[row] == s[n + AHEAD]
    assert problem.noise_variance == 0
    assert problem.axes == (
        "s(n)", "s(n - 6)", "s(n - 12)", "s(n - 18)", "s(n - 24)", "s(n - 30)", "s(n + 85)"
    )  # fmt: skip


def test_the_same_bits_everywhere() -> None:
    """A chaotic series shows any difference in arithmetic: this one was computed once for all."""
    digest = hashlib.sha256(samples().astype("<f8").tobytes()).hexdigest()
    assert digest == "ddce10fba92cd0973f739aa0d97025a733cf2cb9808e5818d870781cb9bdc19e"


def by_method_of_steps(delays: int, history: float) -> list:
    """x on each delay interval, from SciPy's Runge-Kutta method of order 8 with dense output.

    On [17 m, 17 (m + 1)] the delayed value is a known function, so this is one ordinary
    differential equation after the other.
    """
    pieces: list = [lambda t: np.array([history])]
    for m in range(delays):
        past = pieces[-1]

        def slope(t: float, x: Floats, past=past) -> Floats:
            delayed = past(t - 17)
            return 0.2 * delayed / (1 + delayed**10) - 0.1 * x

        solution = solve_ivp(
            slope,
            (17 * m, 17 * (m + 1)),
            pieces[-1](17 * m),
            method="DOP853",
            dense_output=True,
            rtol=1e-13,
            atol=1e-14,
            max_step=0.25,
        )
        pieces.append(solution.sol)
    return pieces[1:]


@pytest.mark.parametrize("history", [1.2, 0.5])
def test_the_order_is_four(history: float) -> None:
    """Over eight delays, against SciPy: halving the step divides the error by sixteen.

    The smooth stretches must not hide a loss of order where the history's kink comes back at
    each delay, so the error is the greatest over all times of the coarsest grid.
    """
    delays, coarsest = 8, 85
    times = 17 * np.arange(1, delays * coarsest + 1) / coarsest
    interval = np.minimum((np.arange(len(times)) + 1) // coarsest, delays - 1)
    pieces = by_method_of_steps(delays, history)
    truth = np.array([pieces[m](t)[0] for m, t in zip(interval, times, strict=True)])

    def error(refinement: int) -> float:
        lag = coarsest * refinement
        x = integrate(delays * lag, history=history, steps_per_delay=lag)
        return float(np.abs(x[refinement::refinement] - truth).max())

    errors = [error(refinement) for refinement in (1, 2, 4)]
    assert errors[1] < 3e-9  # the step of 0.1 that the table uses
    for coarse, fine in itertools.pairwise(errors):
        assert 3.7 < math.log2(coarse / fine) < 4.3


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"transient": -1.0}, "transient of at least 0"),
        ({"history": 0.0}, "history above 0"),
        ({"history": 1.0}, "a series that varies; got x = 1 at all times"),
    ],
)
def test_bad_parameters(arguments: dict[str, float], what: str) -> None:
    """No time before the start, no history at or below 0, none at rest."""
    with pytest.raises(InputError, match=what):
        problems.mackey_glass(**arguments)
    with pytest.raises(InputError, match="steps of at least 0"):
        integrate(-1)


def test_values_are_run_up_behind_the_island_over_run_up_far_from_it():
    rows, problem = read_table(), tsunami()
    assert problem.candidates.shape == (512, 5)
    np.testing.assert_array_equal(problem.values, rows[:, 5] / rows[:, 6])
    assert (rows[:, 5:] > 0).all()


def test_candidates_are_the_parameters_in_the_units_of_the_axes():
    rows, problem = read_table(), tsunami()
    slopes, far, deep, omega = problem.candidates[:, :2], *problem.candidates[:, 2:].T
    np.testing.assert_allclose(slopes * [0.1, 0.4], rows[:, :2])
    np.testing.assert_allclose(far * 5000, rows[:, 2], atol=1e-9)
    np.testing.assert_allclose(deep * 1000, rows[:, 3])
    np.testing.assert_allclose(np.exp(omega), rows[:, 4])
    low, high = rows[:, :5].min(axis=0), rows[:, :5].max(axis=0)
    np.testing.assert_allclose(low, [0.05, 0.05, 0, 100, 0.002], rtol=0.01, atol=20)
    np.testing.assert_allclose(high, [0.2, 0.2, 5000, 1000, 0.1], rtol=0.01)


def test_long_waves_are_amplified_and_short_ones_are_not():
    """What linear theory says of a shadow, and of waves much longer than the island."""
    rows, values = read_table(), tsunami().values
    omega = rows[:, 4]
    assert np.median(values[omega < 0.01]) > 1.03
    assert np.median(values[omega > 0.04]) < 0.9
    assert values[omega < 0.0025].max() < values[omega < 0.008].max()


@pytest.mark.slow
def test_suggested_prior_has_maximum_marginal_likelihood():
    problem = tsunami()
    data = problem.candidates, problem.values
    fit = fit_hyperparameters(GaussianProcess(RBF()), *data, priors=None)
    kernel, suggested = fit.gp.kernel, problem.gp
    assert suggested.kernel.lengthscale == pytest.approx(kernel.lengthscale, rel=0.1)
    assert suggested.kernel.variance == pytest.approx(kernel.variance, rel=0.2)
    assert suggested.mean == pytest.approx(fit.gp.mean, abs=0.03)
    # What one lengthscale cannot follow, and the noise of a measurement.
    unexplained = fit.gp.noise_variance + problem.noise_variance
    assert suggested.noise_variance == pytest.approx(unexplained, rel=0.1)
