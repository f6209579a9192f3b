"""Noise 0, repeats, outliers and lengthscales beyond the domain: what double precision holds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    GaussianProcess,
    IllConditionedWarning,
    KnownValuesWarning,
    Matern,
    Posterior,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.kernels import Linear
from ucbpe_core.linalg import NOISE_FLOOR

from . import exact
from .reference import NotACovariance

GRID = np.linspace(0, 1, 101)[:, None]


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


def kernel_of(lengthscale: float, nu: float) -> RBF | Matern:
    return RBF(lengthscale) if nu == np.inf else Matern(lengthscale, nu=nu)


@pytest.mark.parametrize("nu", [0.5, 2.5, np.inf])
@pytest.mark.parametrize("noise", [0.0, 1e-6, 0.01])
def test_hard_data_against_fifty_digits(noise: float, nu: float) -> None:
    """Times in seconds and in days, a mean of 1e12, contradictory repeats, 1,000 domains."""
    rng, i = np.random.default_rng(0), np.random.default_rng(1).permutation(30)[:20]
    wave, unit = np.sin(i / 5), np.linspace(0, 1, 30)[:, None]
    seven, outlier = np.arange(7) * 4, np.array([0.0, 1.0, 0.5, 1e6, 0.2, 0.1, 0.3])
    noisy = rng.standard_normal(40)
    for lengthscale, m, X, members, y in (
        (60.0, 0.0, 1.7e9 + 20 * np.arange(30.0)[:, None], i, wave),
        (1 / 86400, 0.0, 2460000.5 + np.arange(30)[:, None] / 86400, i, wave),
        (0.3, 1e12, unit, i, 1e12 + wave),
        (0.3, 0.0, unit, np.full(40, 7), noisy),
        (0.3, 0.0, unit, seven, outlier),
        (1000.0, 0.0, unit, i, wave),
    ):
        exact.check(GaussianProcess(kernel_of(lengthscale, nu), noise, m), X, members, y)


@pytest.mark.filterwarnings("ignore:rounding could move:ucbpe_core.IllConditionedWarning")
@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("nu", [1.5, np.inf])
def test_the_std_never_depends_on_y_and_never_grows(noise: float, nu: float) -> None:
    """25 observations, the fourth a million times the others; and hallucinations."""
    kernel = kernel_of(0.3, nu)
    gp, rng = GaussianProcess(kernel, noise), np.random.default_rng(2)
    chosen, y = rng.integers(101, size=25), rng.standard_normal(25)
    y[3] = 1e6
    belief = other = Posterior.prior(gp, GRID)
    for n, (j, value) in enumerate(zip(chosen, y, strict=True), 1):
        before, belief = belief, belief.observe([j], [value])
        other = other.observe([j], [0.0])
        np.testing.assert_array_equal(belief.std, other.std)
        assert (belief.std <= before.std).all()
        assert (belief.hallucinate([50]).std <= belief.std).all()
        truth = GaussianProcessRegressor(
            sk.RBF(0.3) if nu == np.inf else sk.Matern(0.3, nu=nu),
            alpha=max(noise, NOISE_FLOOR),
            optimizer=None,
        )
        mean, std = truth.fit(GRID[chosen[:n]], y[:n]).predict(GRID, return_std=True)
        if noise:
            np.testing.assert_allclose(belief.mean, mean, atol=1e-12 * np.abs(mean).max())
            np.testing.assert_allclose(belief.std, std, rtol=1e-10)


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
    with pytest.warns(IllConditionedWarning, match="rounding could move .* Raise noise_variance"):
        after = belief.observe(chosen, y)
    assert after.state.rounding > 1
    assert after.at(0).state.rounding == 0
    # Known before any value is seen, a hallucination cannot change it.
    assert after.hallucinate([3, 4]).state.rounding == after.state.rounding
    with pytest.warns(IllConditionedWarning, match="rounding could move"):
        belief.gp.condition(GRID[chosen], y)
    far = GaussianProcess(RBF(0.3), 1e-6, mean=1e12)
    with pytest.warns(IllConditionedWarning, match="subtract a large mean"):
        Posterior.prior(far, GRID).observe(chosen, 1e12 + y)


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


@pytest.mark.filterwarnings("ignore:rounding could move:ucbpe_core.IllConditionedWarning")
def test_where_the_prior_knows_f_data_change_nothing() -> None:
    """f(0) = 0 is known before any data. Prior variance 0 and no noise: the row is 0, not 0 / 0."""
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
