"""Maximum marginal likelihood: its gradient, its promises, its refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, lognorm, norm, uniform

from ucbpe_core import (
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Polynomial,
    fit_hyperparameters,
    fitting,
    log_marginal_likelihood,
    streams,
)
from ucbpe_core.fitting import _Objective, log_marginal_likelihood_gradient

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
        return log_marginal_likelihood(
            replace(gp, kernel=kernel, noise_variance=noise), case.X, case.y
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
    fit = fit_hyperparameters(gp, X, y, seed=seed, starts=2, fit_noise=fit_noise, fit_mean=fit_mean)
    assert fit.given == log_marginal_likelihood(gp, X, y)
    assert fit.log_marginal_likelihood >= fit.given
    assert log_marginal_likelihood(fit.gp, X, y) == pytest.approx(fit.log_marginal_likelihood)
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
    fit = fit_hyperparameters(GaussianProcess(kernel), X, y, seed=1, starts=4)
    assert [start.name for start in fit.starts] == ["data", "random 1", "random 2", "random 3"]
    ends = {start.name: start.end for start in fit.starts}
    assert fit.log_marginal_likelihood == ends[fit.winner] == max(ends.values())
    assert all(start.end >= start.begin - 1e-9 for start in fit.starts)


def test_a_fit_that_nothing_beats_is_returned_unchanged() -> None:
    """A second fit from the optimum, without other starts, has little or nothing to add."""
    X = np.linspace(0, 10, 25)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    first = fit_hyperparameters(GaussianProcess(RBF(0.8)), X, y, starts=3)
    second = fit_hyperparameters(first.gp, X, y, starts=1)
    assert second.log_marginal_likelihood >= first.log_marginal_likelihood - 1e-9
    assert second.log_marginal_likelihood == pytest.approx(first.log_marginal_likelihood, abs=1e-3)


def test_a_seed_settles_a_fit() -> None:
    """Equal seeds, equal fits; an integer and the generator of its stream agree."""
    X = np.linspace(0, 10, 20)
    y = draw_data(GaussianProcess(Matern(nu=1.5), 0.05), X, seed=4)
    gp = GaussianProcess(Matern(nu=1.5))
    assert (
        fit_hyperparameters(gp, X, y, seed=7)
        == fit_hyperparameters(gp, X, y, seed=7)
        == fit_hyperparameters(gp, X, y, streams.fit_starts(7))
    )
    assert (
        fit_hyperparameters(gp, X, y, seed=7).starts != fit_hyperparameters(gp, X, y, seed=8).starts
    )


def test_hyperparameters_are_recovered() -> None:
    """From 200 values of a known process, a start far off."""
    truth = GaussianProcess(RBF(0.5, 2.0), noise_variance=0.01, mean=4.0)
    X = np.sort(np.random.default_rng(0).uniform(0, 10, 200))
    fit = fit_hyperparameters(GaussianProcess(RBF(5.0, 0.1), 1.0), X, draw_data(truth, X, seed=5))
    kernel = fit.gp.kernel
    assert isinstance(kernel, RBF)
    assert kernel.lengthscale == pytest.approx(0.5, rel=0.25)
    assert kernel.variance == pytest.approx(2.0, rel=0.6)
    assert fit.gp.noise_variance == pytest.approx(0.01, rel=0.35)
    assert fit.gp.mean == pytest.approx(4.0, abs=1.0)


def test_an_idle_dimension_gets_a_long_lengthscale() -> None:
    """Lengthscales per dimension find the one input that matters."""
    X = np.random.default_rng(1).uniform(0, 1, (60, 2))
    fit = fit_hyperparameters(GaussianProcess(RBF((0.3, 0.3)), 0.01), X, np.sin(8 * X[:, 0]))
    kernel = fit.gp.kernel
    assert isinstance(kernel, RBF)
    assert isinstance(kernel.lengthscale, tuple)
    assert kernel.lengthscale[1] > 5 * kernel.lengthscale[0]


def test_the_fitted_mean_is_the_maximiser() -> None:
    """mu = 1'C^-1 y / 1'C^-1 1, and moving it either way loses likelihood."""
    X = np.linspace(0, 3, 12)
    y = draw_data(GaussianProcess(RBF(), 0.1, mean=7.0), X, seed=6)
    gp = fit_hyperparameters(GaussianProcess(RBF(0.7), 0.2), X, y, starts=2).gp
    K = covariance(gp.kernel, X[:, None], X[:, None])
    ones = np.linalg.solve(K + gp.noise_variance * np.eye(12), np.ones(12))
    assert gp.mean == pytest.approx(ones @ y / ones.sum(), rel=1e-9)
    best = log_marginal_likelihood(gp, X, y)
    for step in (-1e-2, 1e-2):
        assert log_marginal_likelihood(replace(gp, mean=gp.mean + step), X, y) < best


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

    factor, gradient = fitting.jittered_cholesky, RBF.gram_and_contraction
    monkeypatch.setattr(fitting, "jittered_cholesky", counted("factor", factor))
    monkeypatch.setattr(RBF, "gram_and_contraction", counted("gradient", gradient))
    X = np.linspace(0, 5, 15)
    fit_hyperparameters(
        GaussianProcess(RBF()), X, np.sin(3 * X), fit_noise=fit_noise, fit_mean=fit_mean
    )
    assert calls["gradient"] > 20
    assert calls["factor"] == calls["gradient"] + 1  # and the value of what was given


def test_searches_at_the_same_time_find_the_same() -> None:
    X = np.random.default_rng(3).uniform(0, 1, (40, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    gp = GaussianProcess(Matern((1.0, 1.0, 1.0), nu=2.5), 0.01)
    assert fit_hyperparameters(gp, X, y, 4, workers=3) == fit_hyperparameters(gp, X, y, 4)
    with pytest.raises(InputError, match="workers of at least 1"):
        fit_hyperparameters(gp, X, y, workers=0)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_inverse_comes_from_the_factor(n: int) -> None:
    """Symmetric to the bit, and C times it is the identity."""
    A = np.random.default_rng(n).normal(size=(n, 2 * n))
    C = A @ A.T + np.eye(n)
    inverse = fitting._inverse(np.linalg.cholesky(C))
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose(C @ inverse, np.eye(n), atol=1e-10)


def test_noise_may_start_from_nothing() -> None:
    """A noise variance of 0 has no logarithm; the search starts from the least one instead."""
    X = np.linspace(0, 5, 15)
    y = draw_data(GaussianProcess(RBF(), 0.1), X, seed=7)
    fit = fit_hyperparameters(GaussianProcess(RBF(), noise_variance=0.0), X, y)
    assert fit.gp.noise_variance > 0.01
    assert fit.log_marginal_likelihood > fit.given


@pytest.mark.parametrize(
    ("X", "y"), [([0.0, 1.0, 2.0], [5.0, 5.0, 5.0]), ([0.0], [1.0]), (np.empty((0, 1)), [])]
)
def test_values_must_differ(X: list[float], y: list[float]) -> None:
    """Constant values, one value, none: the likelihood has no finite maximiser."""
    with pytest.raises(InputError, match="at least two different values in y"):
        fit_hyperparameters(GaussianProcess(RBF()), X, y)


@pytest.mark.parametrize("starts", [0, -1, 1.5])
def test_at_least_one_start(starts: int) -> None:
    """No search, no fit."""
    with pytest.raises(InputError, match="starts"):
        fit_hyperparameters(GaussianProcess(RBF()), [0.0, 1.0], [0.0, 1.0], starts=starts)


def objective(gp: GaussianProcess, X: Floats, y: Floats, priors: dict[str, object]) -> _Objective:
    """With every hyperparameter free, in the units of the data."""
    shift = np.zeros(len(gp.kernel.log_parameters) + 1)
    densities, known = fitting._densities(gp, priors), np.full(len(y), np.nan)  # type: ignore[arg-type]
    return _Objective(gp, X, y, known, True, False, densities, shift)


@examples(30)
@given(instances(dimension=2))
def test_gradient_with_priors(case: Instance) -> None:
    """Likelihood and priors together, against central differences."""
    priors = {"variance": gamma(2.0, scale=0.7), "noise_variance": lognorm(1.0, scale=0.1)}
    if len(case.X) < 2 or np.ptp(case.y) == 0:
        return
    one = objective(case.gp, case.X, case.y, priors)
    theta, step = one.given(), 1e-5
    value, gradient = one(theta)

    def moved(i: int, by: float) -> float:
        return one(theta + by * (np.arange(len(theta)) == i))[0]

    slopes = [(moved(i, step) - moved(i, -step)) / (2 * step) for i in range(len(theta))]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-4 + 1e-9 * (1 + abs(value)))


def test_a_fit_with_priors_is_where_the_posterior_density_is_greatest() -> None:
    """The log likelihood and the log densities of the natural parameters, added up by hand."""
    X = np.linspace(0, 10, 12)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    priors = {"lengthscale": lognorm(0.1, scale=3.0), "noise_variance": gamma(3.0, scale=0.01)}

    def density(gp: GaussianProcess) -> float:
        logs = [priors["lengthscale"].logpdf(gp.kernel.lengthscale)]  # type: ignore[attr-defined]
        logs.append(priors["noise_variance"].logpdf(gp.noise_variance))
        return log_marginal_likelihood(gp, X, y) + float(sum(logs))

    start = GaussianProcess(RBF())
    fit = fit_hyperparameters(start, X, y, priors=priors)
    assert fit.objective == pytest.approx(density(fit.gp), abs=1e-8)
    assert fit.given == pytest.approx(density(start), abs=1e-8)
    free = fit_hyperparameters(start, X, y)
    assert free.log_prior == 0
    assert free.objective == free.log_marginal_likelihood > fit.log_marginal_likelihood
    # A strong prior holds the lengthscale near its median, where the data alone would not.
    assert abs(np.log(fit.gp.kernel.lengthscale / 3.0)) < 0.3  # type: ignore[attr-defined]
    assert free.gp.kernel.lengthscale < 2.0  # type: ignore[attr-defined]
    theta = fit.gp.kernel.log_parameters
    for move in (0.02, -0.02):
        for i in range(2):
            kernel = fit.gp.kernel.with_log_parameters(theta + move * (np.arange(2) == i))
            assert density(replace(fit.gp, kernel=kernel)) < fit.objective
        noise = fit.gp.noise_variance * np.exp(move)
        assert density(replace(fit.gp, noise_variance=noise)) < fit.objective


def test_names_of_priors() -> None:
    """A short name stands for all of its kind; a full one comes before it."""
    gp = GaussianProcess(RBF((1.0, 1.0)) + Matern())
    short, full = lognorm(1.0), gamma(2.0)
    found = fitting._densities(gp, {"lengthscale": short, "left.lengthscale[1]": full})
    assert found == (short, full, None, short, None, None)


def test_a_prior_may_exclude_values() -> None:
    """No search ends where the density is 0, and a start there loses."""
    X = np.linspace(0, 10, 20)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    priors = {"lengthscale": uniform(2.0, 3.0)}
    fit = fit_hyperparameters(GaussianProcess(RBF(0.5)), X, y, starts=8, priors=priors)
    assert fit.given == -np.inf
    assert 2.0 <= fit.gp.kernel.lengthscale <= 5.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("priors", "what"),
    [
        ({"length": norm()}, "priors of lengthscale, variance, noise_variance; got 'length'"),
        ({"mean": norm()}, "got 'mean'"),
        ({"variance": 3.0}, "a prior of variance with logpdf; got 3.0; .*lognorm"),
    ],
)
def test_priors_that_are_none(priors: dict[str, object], what: str) -> None:
    with pytest.raises(InputError, match=what):
        fit_hyperparameters(GaussianProcess(RBF()), [0.0, 1.0], [0.0, 1.0], priors=priors)  # type: ignore[arg-type]
