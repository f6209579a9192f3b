"""Data nobody would choose, against 50 digits: the posterior is as wrong as it says, at most.

Duplicated and nearly duplicated points, points on a line, outliers, noise 0 to 1, scales 1e-8 to
1e8, constant and single values, lengthscales far too short and too long, nu 0.1 to 50, 1 to 20
inputs, coordinates far from 0: times in seconds since 1970, Julian dates.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.core import exact
from tests.core.reference import NotACovariance
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


EXAMPLES = int(os.environ.get("UCBPE_EXAMPLES", "40"))
ORIGINS = (0.0, 0.0, 1.7e9, -2460000.5)
ANYWHERE = 4  # points that are predicted, beside those that were measured


@dataclass(frozen=True)
class Hostile:
    kernel: RBF | Matern
    noise: float
    candidates: np.ndarray
    members: np.ndarray
    y: np.ndarray


def exponents(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda power: float(f"{10**power:.6g}"))


@st.composite
def hostile(draw: st.DrawFn) -> Hostile:
    d, n = draw(st.integers(1, 20)), draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n + ANYWHERE, d))
    layout = draw(st.sampled_from(["apart", "repeated", "near", "on a line"]))
    if layout == "on a line":
        X = X[:, :1] * rng.random(d)
    if layout == "near":
        X[n // 2 : n] = X[: n - n // 2] + draw(exponents(-15, -3)) * rng.random((n - n // 2, d))
    scale, origin = draw(exponents(-8, 8)), draw(st.sampled_from(ORIGINS))
    lengthscale = scale * draw(exponents(-3, 3))
    variance = draw(exponents(-8, 8))
    nu = draw(st.one_of(st.sampled_from([0.5, 1.5, 2.5]), st.floats(0.1, 50)))
    kernel = draw(
        st.sampled_from([RBF(lengthscale, variance), Matern(lengthscale, variance, nu=nu)])
    )
    noise = draw(st.one_of(st.sampled_from([0.0, 1.0]), exponents(-12, 0))) * variance
    members = np.arange(n)
    if layout == "repeated":
        members = np.concatenate([members[: (n + 1) // 2]] * 2)
    values = draw(st.sampled_from(["rough", "smooth", "constant"]))
    shapes = {
        "rough": rng.standard_normal(len(members)),
        "smooth": np.sin(3 * X[members].sum(axis=1)),
        "constant": np.full(len(members), rng.standard_normal()),
    }
    y = np.sqrt(variance) * draw(exponents(-8, 8)) * shapes[values]
    return Hostile(kernel, noise, scale * (origin + X), members, y)


def check(case: Hostile) -> float:
    gp = GaussianProcess(case.kernel, case.noise)
    return exact.check(gp, case.candidates, case.members, case.y)


_SETTINGS = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


@pytest.mark.parametrize("n", range(1, 11))
def test_few_points_that_are_alike(n: int) -> None:
    """Of so few the errors are largest, as shares of the estimate, which is not far off."""
    most = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.random((n + ANYWHERE, int(rng.integers(1, 21))))
        lengthscale, variance = 10 ** rng.uniform(0, 4), 10 ** rng.uniform(-3, 3)
        kernels = RBF(lengthscale, variance), Matern(lengthscale, variance, nu=2.5)
        noise, y = 10 ** rng.uniform(-10, 0) * variance, rng.standard_normal(n)
        X = X + ORIGINS[seed % 4]
        case = Hostile(kernels[seed % 2], noise, X, np.arange(n), np.sqrt(variance) * y)
        most.append(check(case))
    assert n == 1 or max(most) > 0.01


@pytest.mark.parametrize("origin", [1.7e9, 2460000.5])
@pytest.mark.parametrize("lengthscale", [0.3, (0.3, 0.7)])
def test_large_coordinates(origin: float, lengthscale: float | tuple[float, ...]) -> None:
    """Times in days or seconds cost no digit: the posterior is that of the same points around 0."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2**12, (30, 2)) / 2**12  # such differences are exact
    y = np.sin(5 * X).sum(axis=1)
    for kernel in (Matern(lengthscale, nu=1.5), RBF(lengthscale)):
        gp = GaussianProcess(kernel, 1e-6)
        near, far = (gp.condition(Z[:20], y[:20]).predict(Z) for Z in (X, origin + X))
        np.testing.assert_array_equal(far.std, near.std)
        np.testing.assert_array_equal(far.mean, near.mean)
        weights = rng.standard_normal((20, 10))
        slopes = [kernel.weighted_gradient(Z[:20], Z[20:], weights) for Z in (X, origin + X)]
        np.testing.assert_array_equal(*slopes)


@given(case=hostile())
@settings(_SETTINGS, max_examples=EXAMPLES)
def test_the_posterior_is_as_wrong_as_it_says_at_most(case: Hostile) -> None:
    check(case)
