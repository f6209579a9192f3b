"""Noise 0, near-duplicates and lengthscales beyond the domain: what double precision still holds.

The bounds are those of `linalg.rounding`: with relative noise s, n points and eta = (n + 1) 2^-52
/ s, the error of the mean is at most eta ||w|| std, and that of the variance 3 eta of itself.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    GaussianProcess,
    IllConditionedError,
    IllConditionedWarning,
    Kernel,
    KnownValuesWarning,
    Matern,
    Policy,
    Posterior,
    RandomSearch,
    problems,
    simulate,
)
from ucbpe_core.box import BoxBandit
from ucbpe_core.linalg import NOISE_FLOOR, ROUNDING, rounding

from . import exact
from .reference import NotACovariance

GRID = np.linspace(0, 1, 101)[:, None]
AT = np.arange(3, 101, 14)
EPSILON = np.finfo(float).eps


def wave(X: np.ndarray) -> np.ndarray:
    return np.sin(7 * X[:, 0])


def data(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of n candidates and values there."""
    rng = np.random.default_rng(n)
    chosen = rng.permutation(len(GRID))[:n]
    if kind == "repeats":
        chosen = np.concatenate([chosen[: n // 2]] * 2)
    if kind == "rough":
        return chosen, rng.standard_normal(n)
    return chosen, wave(GRID[chosen])


# Expected where values do not fit the prior: the tests are about what is said there too.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")
@pytest.mark.parametrize("scale", [1.0, 1e8])
@pytest.mark.parametrize("kind", ["smooth", "rough", "repeats", "near"])
@pytest.mark.parametrize("noise", [0.0, 1e-14, 1e-10, 1e-8, 1e-6])
@pytest.mark.parametrize("lengthscale", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [RBF(), Matern(nu=2.5), Matern(nu=0.5)], ids=str)
def test_errors_are_covered_by_the_deviation(
    kernel: Kernel, lengthscale: float, noise: float, kind: str, scale: float
) -> None:
    """Against 50 digits: the mean is off by less than std says, and std is not too small."""
    n = 24
    kernel = kernel.with_log_parameters(np.log([lengthscale, 1.0]))
    gp = GaussianProcess(kernel, noise)
    candidates = GRID
    chosen, y = data(kind, n)
    if kind == "near":
        candidates = GRID.copy()
        candidates[chosen[12:]] = candidates[chosen[:12]] + 1e-9
    y = scale * y
    effective = max(noise, NOISE_FLOOR)
    truth = exact.posterior(kernel, effective, candidates[chosen], y, candidates[AT])
    latent = np.array([float(one) for one in truth.std])

    belief = Posterior.prior(gp, candidates).observe(chosen, y)
    dense = gp.condition(candidates[chosen], y).predict(candidates[AT])
    eta = (n + 1) * EPSILON / effective
    size = np.linalg.norm(belief.state.data.residuals)
    for mean, std in ((belief.mean[AT], belief.std[AT]), (dense.mean, dense.std)):
        off = exact.distance(truth.mean, mean)
        # Writing a number down rounds as well: 4 units in the last place of the largest mean.
        written = 4 * EPSILON * np.abs(mean).max()
        assert (off <= eta * size * latent * 1.01 + written).all()
        assert (off <= std + written).all()
        assert (std >= latent * (1 - 1.5 * eta)).all()
        most = np.maximum(latent * (1 + 1.5 * eta), np.sqrt(ROUNDING))
        assert (std <= most * np.hypot(1, eta * size) * (1 + 4 * EPSILON)).all()


# Two hundred points within a lengthscale: rounding may move the mean by two deviations.
@pytest.mark.filterwarnings("ignore:rounding may move:ucbpe_core.IllConditionedWarning")
@pytest.mark.parametrize("lengthscale", [0.05, 0.1, 0.2, 0.5, 1.0])
def test_noise_free_posteriors_agree_with_a_dense_solve(lengthscale: float) -> None:
    """20 designs of 30 to 200 points on a fine grid: rows and the dense factor say the same."""
    X = np.linspace(0, 1, 401)[:, None]
    gp = GaussianProcess(RBF(lengthscale), 0.0)
    for seed in range(20):
        n = (30, 60, 100, 200)[seed % 4]
        chosen = np.random.default_rng(seed).permutation(len(X))[:n]
        belief = Posterior.prior(gp, X).observe(chosen, wave(X[chosen]))
        dense = gp.condition(X[chosen], wave(X[chosen])).predict(X)
        # Each may be off by `rounded` deviations.
        assert (np.abs(belief.mean - dense.mean) <= 2 * belief.rounded * belief.std).all()
        np.testing.assert_allclose(belief.std, dense.std, rtol=1e-2)
        # A residual is s^2 |alpha_i|, at most s ||w|| with s^2 the noise floor.
        residual = np.abs(belief.mean[chosen] - wave(X[chosen]))
        assert residual.max() <= np.sqrt(NOISE_FLOOR) * np.linalg.norm(belief.state.data.residuals)


def test_a_noise_free_batch_is_finite() -> None:
    """Sixty values of a smooth function without noise: every pick comes from a finite score."""
    X = np.linspace(0, 1, 401)[:, None]
    bandit = Bandit(X, GaussianProcess(RBF(0.5), 0.0), GPUCBPE(10), ConstantBeta(4.0))
    known = np.random.default_rng(1).permutation(401)[:60]
    bandit.tell(known, wave(X[known]))
    with pytest.warns(KnownValuesWarning):  # sixty values are enough
        decision = bandit.ask()
    assert np.isfinite([*decision.stds, *decision.scores, decision.y_dot]).all()
    assert decision.region[np.argmax(wave(X))]
    assert abs(decision.y_dot - 1.0) < 1e-3


@pytest.mark.parametrize("policy", [GPUCBPE(10), RandomSearch(10)], ids=lambda one: one.name)
def test_a_noise_free_run_is_finite(policy: Policy) -> None:
    """A 41 x 41 grid, 200 initial points, ten batches."""
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 41)] * 2), axis=-1).reshape(-1, 2)
    values = np.sin(5 * grid[:, 0]) * np.cos(3 * grid[:, 1])
    gp = GaussianProcess(RBF(0.5), 0.0)
    problem = problems.from_table(grid, values, gp=gp)
    for seed in range(3):
        trace = simulate(problem, policy, batches=10, initial=200, seed=seed)
        for made in (iteration.decision for iteration in trace.iterations):
            assert np.isfinite(made.stds).all()
            assert np.isfinite(made.y_dot)
            assert made.region_plus.any()
        assert np.abs(trace.posterior.mean - values).max() < 1e-4


def test_no_threshold_changes_the_posterior_in_silence() -> None:
    """Below the floor every noise gives one posterior, and a noise above 0 is named."""
    chosen, y = data("smooth", 40)

    def mean(noise: float) -> np.ndarray:
        return Posterior.prior(GaussianProcess(RBF(0.3), noise), GRID).observe(chosen, y).mean

    expected = mean(0.0)
    for noise in (1e-16, 9e-14, 1.1e-13, 1e-12):
        with pytest.warns(IllConditionedWarning, match=r"noise_variance .* 1e-10 is used instead"):
            np.testing.assert_array_equal(mean(noise), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        just_above = mean(1.0001e-10)
    np.testing.assert_allclose(just_above, expected, atol=1e-6)
    with pytest.warns(IllConditionedWarning, match="1e-10 is used instead"):
        GaussianProcess(RBF(), 1e-12).condition([0.0], [1.0])


def test_values_far_from_the_prior_are_named() -> None:
    """A lengthscale of a hundred domains and a wave: rounding decides, and is said to."""
    chosen, y = data("smooth", 40)
    belief = Posterior.prior(GaussianProcess(RBF(100.0), 0.0), GRID)
    with pytest.warns(IllConditionedWarning, match="rounding may move the posterior mean by"):
        after = belief.observe(chosen, y)
    assert after.rounded > 1
    assert after.at(0).rounded == 0
    # Known before any value is seen, a hallucination cannot change it.
    assert after.hallucinate([3, 4]).rounded == after.rounded


def test_a_negative_pivot_is_refused() -> None:
    """Both ways name the remedy, and the posterior and the bandit stay as they were."""
    gp, X = GaussianProcess(NotACovariance(), 0.0), np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(IllConditionedError, match="raise noise_variance"):
        gp.condition(X, [0.0, 1.0, 2.0])
    bandit = Bandit(X, gp, GPUCBPE(1), ConstantBeta(4.0))
    bandit.tell([0], [0.0])
    for indices, y in (([2], [1.0]), ([1, 2], [0.5, 1.0])):
        with pytest.raises(IllConditionedError, match="raise noise_variance"):
            bandit.tell(indices, y)
        assert bandit.posterior.n == 1


class Linear(NotACovariance):
    """k(x, z) = x z: f(0) = 0 is known before any data."""

    def cross(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return X @ Z.T

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        return np.einsum("nd,nd->n", X, X)


def test_where_the_prior_knows_f_data_change_nothing() -> None:
    """Prior variance 0 and no noise: the row is 0, not 0 / 0."""
    gp, X = GaussianProcess(Linear(), 0.0), np.array([[0.0], [1.0], [2.0]])
    belief = Posterior.prior(gp, X).observe([0, 1], [5.0, 3.0])
    np.testing.assert_allclose(belief.mean, [0.0, 3.0, 6.0], atol=1e-8)
    dense = gp.condition(X[:2], [5.0, 3.0]).predict(X)
    np.testing.assert_allclose(dense.mean, belief.mean, atol=1e-8)


def test_repeats_without_noise_are_averaged_both_ways() -> None:
    """Values that contradict each other count alike, in rows and in the dense factor."""
    gp = GaussianProcess(RBF(0.3), 0.0)
    chosen, y = [10, 60, 10], [1.0, -0.5, 2.0]
    belief = Posterior.prior(gp, GRID).observe(chosen, y)
    dense = gp.condition(GRID[chosen], y).predict(GRID)
    assert belief.mean[10] == pytest.approx(1.5, abs=1e-4)
    np.testing.assert_allclose(belief.mean, dense.mean, atol=1e-4)
    np.testing.assert_allclose(belief.std, dense.std, rtol=1e-6)


def test_picks_of_known_values_are_flagged() -> None:
    """Only a candidate measured before is left in R+: no pick of it tells anything new."""
    X = np.arange(4.0)[:, None]
    gp = GaussianProcess(RBF(0.1), 0.0)
    bandit = Bandit(X, gp, GPUCBPE(4), ConstantBeta(1.0))
    bandit.tell([0, 1, 2], [0.0, 9.0, 1.0])
    with pytest.warns(KnownValuesWarning):
        decision = bandit.ask()
    np.testing.assert_array_equal(decision.indices, [1] * 4)
    np.testing.assert_array_equal(decision.known, [True] * 4)
    fresh = Bandit(X, gp, GPUCBPE(4), ConstantBeta(1.0)).ask()
    np.testing.assert_array_equal(fresh.known, [False] * 4)
    noisy = Bandit(X, GaussianProcess(RBF(0.1), 0.1), GPUCBPE(4), ConstantBeta(1.0))
    noisy.tell([0, 1, 2], [0.0, 9.0, 1.0])
    np.testing.assert_array_equal(noisy.ask().known, [False] * 4)


def test_a_box_takes_noise_free_repeats() -> None:
    """Repeated and nearly repeated points told to a box: no error of SciPy's."""
    bandit = BoxBandit([(0, 1)], GaussianProcess(RBF(1.0), 0.0), GPUCBPE(2), samples=64)
    X = [[0.2], [0.2], [0.2 + 1e-12], [0.7]]
    bandit.tell(None, wave(np.array(X)), points=X)
    assert np.isfinite(bandit.ask().points).all()


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_hallucination_is_rounded_as_its_own_data_say(noise: float) -> None:
    """What it takes over from the posterior before is what its residuals and noise give anew."""
    X = np.linspace(0, 1, 41)[:, None]
    posterior = Posterior.prior(GaussianProcess(RBF(0.5), noise), X)
    posterior = posterior.observe([3, 17, 30], [1e4, -2e4, 5e3])
    for j in (8, 8, 40):
        posterior = posterior.hallucinate([j])
        residuals = tuple(posterior.state.data.residuals.tolist())
        assert posterior.rounded == rounding(posterior._noise_ratio, residuals) > 0
