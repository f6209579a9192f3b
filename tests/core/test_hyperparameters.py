"""Maximum marginal likelihood: its gradient, its promises, its refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Polynomial,
    hyperparameters,
    streams,
)
from ucbpe_core.hyperparameters import log_marginal_likelihood_gradient

from .reference import covariance, examples
from .strategies import Floats, Instance, instances, kernels, seeds, unit_points


def draw_data(gp: GaussianProcess, X: Floats, seed: int) -> Floats:
    """Noisy values of one draw of `gp`."""
    noise = np.random.default_rng([seed, 1]).standard_normal(len(X))
    return gp.sample(X, seed) + np.sqrt(gp.noise_variance) * noise


@examples(60)
@given(instances(dimension=4))
def test_gradient(case: Instance) -> None:
    """By each kernel parameter and the noise, against central differences."""
    gp, theta, step = case.gp, case.gp.kernel.log_parameters, 1e-5
    value, gradient = log_marginal_likelihood_gradient(gp, case.X, case.y)
    assert gradient.shape == (len(theta) + 1,)

    def moved(i: int, by: float) -> float:
        change = by * np.eye(len(theta) + 1)[i]
        kernel = gp.kernel.with_log_parameters(theta + change[:-1])
        noise = gp.noise_variance * np.exp(change[-1])
        return replace(gp, kernel=kernel, noise_variance=noise).log_marginal_likelihood(
            case.X, case.y
        )

    slopes = [(moved(i, step) - moved(i, -step)) / (2 * step) for i in range(len(theta) + 1)]
    # Rounding of a difference of two values of this size.
    noise = 1e-9 * (1 + abs(value))
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-4 + noise)


@examples(25)
@given(st.data(), st.integers(1, 3), st.integers(2, 14), seeds, st.booleans(), st.booleans())
def test_a_fit_is_never_worse_than_what_it_was_given(
    data: st.DataObject, d: int, n: int, seed: int, fit_noise: bool, fit_mean: bool
) -> None:
    """Whatever the data and the start, in or out of the search box."""
    rng = np.random.default_rng(seed)
    X = unit_points(rng, n, d) * data.draw(st.sampled_from((1.0, 1e-3, 1e3)))
    y = rng.normal(size=n) * data.draw(st.sampled_from((1.0, 1e-3, 1e3))) + rng.normal()
    noise = data.draw(st.sampled_from((1e-6, 0.1, 10.0)))
    gp = GaussianProcess(data.draw(kernels(d)), noise, data.draw(st.sampled_from((0.0, 5.0))))
    fit = gp.fit(X, y, rng=seed, starts=2, fit_noise=fit_noise, fit_mean=fit_mean)
    assert fit.given == gp.log_marginal_likelihood(X, y)
    assert fit.log_marginal_likelihood >= fit.given
    assert fit.gp.log_marginal_likelihood(X, y) == pytest.approx(fit.log_marginal_likelihood)
    assert fit.winner in {"unchanged", *(start.name for start in fit.starts)}
    assert (fit.gp == gp) == (fit.winner == "unchanged")
    if not fit_noise:
        assert fit.gp.noise_variance == gp.noise_variance
    if not fit_mean:
        assert fit.gp.mean == gp.mean


@pytest.mark.parametrize("kernel", [RBF(3.0), Matern(3.0, nu=2.5), RBF(0.2) + Polynomial(1)])
def test_a_fit_says_which_start_won(kernel: Kernel) -> None:
    """Every start is on record and the winner is the best of them."""
    X = np.linspace(0, 10, 25)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    fit = GaussianProcess(kernel).fit(X, y, rng=1, starts=4)
    assert [start.name for start in fit.starts] == ["data", "random 1", "random 2", "random 3"]
    ends = {start.name: start.end for start in fit.starts}
    assert fit.log_marginal_likelihood == ends[fit.winner] == max(ends.values())
    assert all(start.end >= start.begin - 1e-9 for start in fit.starts)


def test_a_fit_that_nothing_beats_is_returned_unchanged() -> None:
    """A second fit from the optimum, without other starts, has little or nothing to add."""
    X = np.linspace(0, 10, 25)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    first = GaussianProcess(RBF(0.8)).fit(X, y, starts=3)
    second = first.gp.fit(X, y, starts=1)
    assert second.log_marginal_likelihood >= first.log_marginal_likelihood - 1e-9
    assert second.log_marginal_likelihood == pytest.approx(first.log_marginal_likelihood, abs=1e-3)


def test_a_seed_settles_a_fit() -> None:
    """Equal seeds, equal fits; an integer and the generator of its stream agree."""
    X = np.linspace(0, 10, 20)
    y = draw_data(GaussianProcess(Matern(nu=1.5), 0.05), X, seed=4)
    gp = GaussianProcess(Matern(nu=1.5))
    assert gp.fit(X, y, rng=7) == gp.fit(X, y, rng=7) == gp.fit(X, y, streams.fit_starts(7))
    assert gp.fit(X, y, rng=7).starts != gp.fit(X, y, rng=8).starts


def test_hyperparameters_are_recovered() -> None:
    """From 200 values of a known process, a start far off."""
    truth = GaussianProcess(RBF(0.5, 2.0), noise_variance=0.01, mean=4.0)
    X = np.sort(np.random.default_rng(0).uniform(0, 10, 200))
    fit = GaussianProcess(RBF(5.0, 0.1), 1.0).fit(X, draw_data(truth, X, seed=5))
    kernel = fit.gp.kernel
    assert isinstance(kernel, RBF)
    assert kernel.lengthscale == pytest.approx(0.5, rel=0.25)
    assert kernel.variance == pytest.approx(2.0, rel=0.6)
    assert fit.gp.noise_variance == pytest.approx(0.01, rel=0.35)
    assert fit.gp.mean == pytest.approx(4.0, abs=1.0)


def test_an_idle_dimension_gets_a_long_lengthscale() -> None:
    """Lengthscales per dimension find the one input that matters."""
    X = np.random.default_rng(1).uniform(0, 1, (60, 2))
    fit = GaussianProcess(RBF((0.3, 0.3)), 0.01).fit(X, np.sin(8 * X[:, 0]))
    kernel = fit.gp.kernel
    assert isinstance(kernel, RBF)
    assert isinstance(kernel.lengthscale, tuple)
    assert kernel.lengthscale[1] > 5 * kernel.lengthscale[0]


def test_the_fitted_mean_is_the_maximiser() -> None:
    """mu = 1'C^-1 y / 1'C^-1 1, and moving it either way loses likelihood."""
    X = np.linspace(0, 3, 12)
    y = draw_data(GaussianProcess(RBF(), 0.1, mean=7.0), X, seed=6)
    gp = GaussianProcess(RBF(0.7), 0.2).fit(X, y, starts=2).gp
    K = covariance(gp.kernel, X[:, None], X[:, None])
    ones = np.linalg.solve(K + gp.noise_variance * np.eye(12), np.ones(12))
    assert gp.mean == pytest.approx(ones @ y / ones.sum(), rel=1e-9)
    best = gp.log_marginal_likelihood(X, y)
    for step in (-1e-2, 1e-2):
        assert replace(gp, mean=gp.mean + step).log_marginal_likelihood(X, y) < best


@pytest.mark.parametrize(("fit_noise", "fit_mean"), [(True, True), (True, False), (False, True)])
def test_one_factor_per_evaluation(
    fit_noise: bool, fit_mean: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean, the likelihood and its gradient share the Cholesky factor of C."""
    calls = {"factor": 0, "gradient": 0}

    def counted(name: str, function: Callable[..., Floats]) -> Callable[..., Floats]:
        def wrapper(*arguments: object) -> Floats:
            calls[name] += 1
            return function(*arguments)

        return wrapper

    factor, gradient = hyperparameters.jittered_cholesky, RBF.gram_and_contraction
    monkeypatch.setattr(hyperparameters, "jittered_cholesky", counted("factor", factor))
    monkeypatch.setattr(RBF, "gram_and_contraction", counted("gradient", gradient))
    X = np.linspace(0, 5, 15)
    GaussianProcess(RBF()).fit(X, np.sin(3 * X), fit_noise=fit_noise, fit_mean=fit_mean)
    assert calls["gradient"] > 20
    assert calls["factor"] == calls["gradient"] + 1  # and the value of what was given


def test_searches_at_the_same_time_find_the_same() -> None:
    X = np.random.default_rng(3).uniform(0, 1, (40, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    gp = GaussianProcess(Matern((1.0, 1.0, 1.0), nu=2.5), 0.01)
    assert gp.fit(X, y, 4, workers=3) == gp.fit(X, y, 4)
    with pytest.raises(InputError, match="workers of at least 1"):
        gp.fit(X, y, workers=0)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_inverse_comes_from_the_factor(n: int) -> None:
    """Symmetric to the bit, and C times it is the identity."""
    A = np.random.default_rng(n).normal(size=(n, 2 * n))
    C = A @ A.T + np.eye(n)
    inverse = hyperparameters._inverse(np.linalg.cholesky(C))
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose(C @ inverse, np.eye(n), atol=1e-10)


def test_noise_may_start_from_nothing() -> None:
    """A noise variance of 0 has no logarithm; the search starts from the least one instead."""
    X = np.linspace(0, 5, 15)
    y = draw_data(GaussianProcess(RBF(), 0.1), X, seed=7)
    fit = GaussianProcess(RBF(), noise_variance=0.0).fit(X, y)
    assert fit.gp.noise_variance > 0.01
    assert fit.log_marginal_likelihood > fit.given


@pytest.mark.parametrize(
    ("X", "y"), [([0.0, 1.0, 2.0], [5.0, 5.0, 5.0]), ([0.0], [1.0]), (np.empty((0, 1)), [])]
)
def test_values_must_differ(X: list[float], y: list[float]) -> None:
    """Constant values, one value, none: the likelihood has no finite maximiser."""
    with pytest.raises(InputError, match="at least two different values in y"):
        GaussianProcess(RBF()).fit(X, y)


@pytest.mark.parametrize("starts", [0, -1, 1.5])
def test_at_least_one_start(starts: int) -> None:
    """No search, no fit."""
    with pytest.raises(InputError, match="starts"):
        GaussianProcess(RBF()).fit([0.0, 1.0], [0.0, 1.0], starts=starts)
