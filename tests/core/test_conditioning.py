"""Rows, noise 0, repeats, outliers and long lengthscales: what double precision holds."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    GaussianProcess,
    IllConditionedWarning,
    Matern,
    Posterior,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.gp.kernels import Linear
from ucbpe_core.gp.linalg import RELATIVE_JITTER, jittered_cholesky

from . import exact
from .reference import NotACovariance

GRID = np.linspace(0, 1, 101)[:, None]
CHOSEN = np.random.default_rng(40).permutation(101)[:40]
Y = np.sin(7 * GRID[CHOSEN, 0])


@pytest.mark.parametrize(
    ("noise", "kernel"),
    [(0.0, Matern(nu=0.5)), (0.0, RBF()), (1e-6, Matern(nu=2.5)), (1e-6, RBF()), (0.01, RBF())],
)
def test_hard_data_against_fifty_digits(noise: float, kernel: RBF | Matern) -> None:
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
        gp = GaussianProcess(replace(kernel, lengthscale=lengthscale), noise, m)
        exact.check(gp, X, members, y)


@pytest.mark.filterwarnings("ignore:rounding could move:ucbpe_core.IllConditionedWarning")
@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("kernel", [Matern(0.3, nu=1.5), RBF(0.3)])
def test_the_std_never_depends_on_y_and_never_grows(noise: float, kernel: RBF | Matern) -> None:
    """25 observations, the fourth a million times the others; and hallucinations."""
    gp, rng = GaussianProcess(kernel, noise), np.random.default_rng(2)
    chosen, y = rng.integers(101, size=25), rng.standard_normal(25)
    y[3] = 1e6
    belief = other = Posterior.prior(gp, GRID)
    for j, value in zip(chosen, y, strict=True):
        before, belief = belief, belief.observe([j], [value])
        other = other.observe([j], [0.0])
        np.testing.assert_array_equal(belief.std, other.std)
        assert (belief.std <= before.std).all()
        assert (belief.hallucinate([50]).std <= belief.std).all()


def test_no_threshold_changes_the_posterior_in_silence() -> None:
    """Below the floor every noise gives one posterior, and a noise above 0 is named."""

    def mean(noise: float) -> np.ndarray:
        return Posterior.prior(GaussianProcess(RBF(0.3), noise), GRID).observe(CHOSEN, Y).mean

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
    belief = Posterior.prior(GaussianProcess(RBF(100.0), 0.0), GRID)
    with pytest.warns(IllConditionedWarning, match="rounding could move .* Raise noise_variance"):
        after = belief.observe(CHOSEN, Y)
    assert after.state.rounding > 1
    assert after.at(0).state.rounding == 0
    # Known before any value is seen, a hallucination cannot change it.
    assert after.hallucinate([3, 4]).state.rounding == after.state.rounding
    with pytest.warns(IllConditionedWarning, match="rounding could move"):
        belief.gp.condition(GRID[CHOSEN], Y)
    far = GaussianProcess(RBF(0.3), 1e-6, mean=1e12)
    with pytest.warns(IllConditionedWarning, match="subtract a large mean"):
        Posterior.prior(far, GRID).observe(CHOSEN, 1e12 + Y)


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


def test_jitter_is_small() -> None:
    """A singular matrix is factored after moving its diagonal by next to nothing."""
    C = 4.0 * np.ones((5, 5))
    L = jittered_cholesky(C)
    np.testing.assert_allclose(L @ L.T, C, atol=4.0 * RELATIVE_JITTER * 1.01)


def test_an_indefinite_matrix_is_refused() -> None:
    """No admissible jitter makes it one that can be factored; the error names the remedies."""
    with pytest.raises(IllConditionedError, match="raise noise_variance, drop repeated points"):
        jittered_cholesky(np.diag([1.0, -1.0]))
