"""Noise variances: of measurements that bring their own, and the least one, for all points."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, dense, examples
from tests.core.strategies import Instance, instances
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    IllConditionedWarning,
    InputError,
    Kernel,
    KnownValuesWarning,
    Matern,
    Posterior,
    fit_hyperparameters,
)
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.gp.linalg import NOISE_FLOOR
from ucbpe_core.gp.process import ConditionedProcess

GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.1)
X = np.linspace(0, 1, 21)[:, None]
REFUSED = [
    ([0.1, -0.1], "noise_variance of at least 0"),
    (np.inf, "noise_variance to be finite"),
    ([0.1, 0.1, 0.1], "noise_variance of shape (2,)"),
    ("0.1", "noise_variance to be a number"),
    (np.ma.masked_array([0.1, 0.2], [False, True]), "noise_variance without masked entries"),
]


def drawn(case: Instance) -> list[float | None]:
    """A noise variance for each of the values, some of them not known."""
    sizes = case.rng.choice([0.003, 0.05, 1.0, 20.0], size=len(case.y))
    known = case.rng.random(len(case.y)) < 0.7
    return [float(size) if one else None for size, one in zip(sizes, known, strict=True)]


@examples(100)
@given(instances(), st.booleans())
def test_equals_a_dense_solve(case: Instance, by_points: bool) -> None:
    """At candidates, at points outside the set, and by one dense factor."""
    noise = drawn(case)
    full = np.array([case.gp.noise_variance if one is None else one for one in noise])
    mean, cov = dense(case.gp, case.X, case.y, case.candidates, full)
    prior = Posterior.prior(case.gp, case.candidates)
    if by_points:
        posterior = prior.observe_points(case.X, case.y, noise)
    else:
        posterior = prior.observe(case.members, case.y, noise)
    assert posterior.fixed_noise == tuple(noise)
    np.testing.assert_array_equal(posterior.y, case.y)
    process: ConditionedProcess = case.gp.condition(case.X, case.y, noise)
    assert process.fixed_noise == posterior.conditioned().fixed_noise == tuple(noise)
    np.testing.assert_array_equal(process.y, posterior.conditioned().y)
    for prediction in (posterior, process.predict(case.candidates)):
        np.testing.assert_allclose(prediction.mean, mean, atol=1e-8)
        np.testing.assert_allclose(prediction.std**2, np.diag(cov), atol=1e-8)


@examples(50)
@given(instances())
def test_one_by_one_is_all_at_once_and_a_prefix_is_what_it_was(case: Instance) -> None:
    noise = drawn(case)
    prior = Posterior.prior(case.gp, case.candidates)
    whole = prior.observe(case.members, case.y, noise)
    step = prior
    for i, (j, y, s) in enumerate(zip(case.members, case.y, noise, strict=True)):
        # What is hallucinated has the noise of the prior, so its row may not be used again.
        step.hallucinate([j])
        step = step.observe([j], y, None if s is None else [s])
        for name in ("mean", "std", "y", "fixed_noise"):
            np.testing.assert_array_equal(getattr(step, name), getattr(whole.at(i + 1), name))


def test_a_noise_variance_that_has_to_be_raised_is_warned_of_once() -> None:
    """Where it is given; without noise at all there is no warning."""
    prior = Posterior.prior(GP, X)
    with pytest.warns(IllConditionedWarning, match="noise_variance 1e-12 is below"):
        posterior = prior.observe([3, 4], [0.0, 0.1], [1e-12, None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior.observe([5], [0.2])
        prior.observe([3, 4], [0.0, 0.1], 0.0)


@pytest.mark.parametrize(("noise", "expected"), REFUSED, ids=str)
@pytest.mark.parametrize(
    "use",
    [
        lambda noise: GP.condition(X[:2], [0.0, 1.0], noise),
        lambda noise: Posterior.prior(GP, X).observe([0, 1], [0.0, 1.0], noise),
        lambda noise: Posterior.prior(GP, X).observe_points(X[:2], [0.0, 1.0], noise),
        lambda noise: Bandit(X, GP, GPUCBPE(3)).tell([0, 1], [0.0, 1.0], noise),
        lambda noise: BoxBandit([(0, 1)], GP, GPUCBPE(3), fit="never").tell(
            None, [0, 1], noise, points=X[:2]
        ),
    ],
    ids=["condition", "observe", "observe_points", "Bandit", "BoxBandit"],
)
def test_what_is_no_noise_variance_is_refused(
    use: Callable[[object], object], noise: object, expected: str
) -> None:
    with pytest.raises(InputError) as failure:
        use(noise)
    assert expected in failure.value.expected
    assert failure.value.remedy


def data(n: int, known: float) -> tuple[Floats, Floats, list[float | None]]:
    """A smooth function measured with noise variance 0.04, but `known` for every second value."""
    rng = np.random.default_rng(n)
    points = rng.random((n, 1))
    noise = [known if i % 2 else None for i in range(n)]
    scale = np.sqrt([0.04 if one is None else one for one in noise])
    return points, np.sin(6 * points[:, 0]) + scale * rng.standard_normal(n), noise


@pytest.mark.slow
@pytest.mark.parametrize("units", [1.0, 50.0])
def test_a_fit_keeps_what_is_known_and_finds_the_rest(units: float) -> None:
    """In any units of y the fitted noise is that of the values that came without."""
    points, y, noise = data(120, 1.0)
    scaled = [None if one is None else one * units**2 for one in noise]
    fit = fit_hyperparameters(GP, points, units * y, noise_variance=scaled, starts=2)
    assert fit.gp.noise_variance / units**2 == pytest.approx(0.04, rel=0.5)
    blind = fit_hyperparameters(GP, points, units * y, starts=2)
    assert blind.gp.noise_variance / units**2 > 0.25
    value = log_marginal_likelihood(fit.gp, points, units * y, scaled)
    assert fit.log_marginal_likelihood == pytest.approx(value, abs=1e-6)


rounds = pytest.mark.filterwarnings("ignore::ucbpe_core.errors.IllConditionedWarning")

KERNELS: tuple[Kernel, ...] = (
    Polynomial(degree=1, offset=1.0),
    Polynomial(degree=1, offset=400.0),
    Polynomial(degree=2, offset=100.0, variance=1e-6),
    RBF(100.0) * Polynomial(degree=1),
    RBF(100.0) + Polynomial(degree=1),
)
T = np.array([20.0, 60, 120, 200, 280, 350])[:, None]
Y = np.array([3.1, 4.0, 5.2, 5.9, 5.0, 4.1])


@rounds
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_no_noise_is_one_small_noise(kernel: Kernel) -> None:
    """That of 1e-10 of the largest prior variance, in every way to the same posterior."""
    least = NOISE_FLOOR * float(kernel.diagonal(T).max())
    none, some = GaussianProcess(kernel, 0.0), GaussianProcess(kernel, least)
    np.testing.assert_array_equal(none.effective_noise(kernel.diagonal(T)), [least] * 6)
    expected = some.condition(T[:5], Y[:5]).predict(T)
    whole = Posterior.prior(none, T)
    for found in (
        whole.observe(range(5), Y[:5]),
        whole.observe_points(T[:5], Y[:5]),
        whole.observe([0], Y[:1]).hallucinate([1, 2, 3, 4]).at(1).observe(range(1, 5), Y[1:5]),
    ):
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.std, expected.std, rtol=1e-4)


@rounds
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_point_beyond_the_candidates_raises_it_for_all(kernel: Kernel) -> None:
    """Whichever comes first, and for points that are hallucinated."""
    largest = float(kernel.diagonal(T).max())
    some = GaussianProcess(kernel, NOISE_FLOOR * largest)
    expected = Posterior.prior(some, T[:2]).observe_points(T, Y)
    prior = Posterior.prior(GaussianProcess(kernel, 0.0), T[:2])
    for order in (range(6), range(5, -1, -1)):
        found = prior
        for i in order:
            found = found.observe_points(T[i : i + 1], Y[i : i + 1])
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-5, atol=1e-5)
    asked = prior.observe([0], Y[:1]).hallucinate_points(T[3:])
    told = expected.at(0).observe([0], Y[:1]).hallucinate_points(T[3:])
    assert asked.n == 4
    np.testing.assert_allclose(asked.std, told.std, rtol=1e-4)
    np.testing.assert_array_equal(np.isnan(asked.y), [False, True, True, True])


@rounds
def test_what_is_known_without_noise() -> None:
    """A pick measured before is known, also where its prior variance is far below the largest."""
    X = np.array([[0.0], [350.0]])
    bandit = Bandit(X, GaussianProcess(RBF(1.0) * Polynomial(degree=1), 0.0), GPUCBPE(2))
    decision = bandit.ask()
    assert sorted(decision.indices) == [0, 1]
    assert not decision.known.any()
    bandit.tell(decision.indices, [0.5, 0.2])
    with pytest.warns(KnownValuesWarning):
        assert bandit.ask().known.all()
