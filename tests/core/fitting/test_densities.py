"""The densities of a fit: the likelihood and its gradient, hyperpriors, and their names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import gamma, lognorm, norm, uniform

from tests.core.reference import examples
from tests.core.strategies import Floats, Instance, draw_data, instances
from ucbpe_core import RBF, GaussianProcess, InputError, Matern, fit_hyperparameters
from ucbpe_core.gp.fitting import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.gp.fitting.densities import densities_of
from ucbpe_core.gp.fitting.hyperparameters import FitProblem
from ucbpe_core.gp.fitting.search import Objective


@examples(30)
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


def objective(gp: GaussianProcess, X: Floats, y: Floats, priors: dict[str, object]) -> Objective:
    """With every hyperparameter free, in the units of the data; the mean is that of `gp`."""
    return FitProblem.of(gp, X, y, None, X, ("mean",), priors, {}).objective()  # type: ignore[arg-type]


@examples(15)
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
    free = fit_hyperparameters(start, X, y, priors=None)
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


NO_BOUNDS = ((2.0, 1.0), (-1.0, 1.0), (0.0, 0.0), 3.0, (float("nan"), 1.0))


def test_names_of_priors() -> None:
    """A short name stands for all of its kind; a full one comes before it."""
    gp = GaussianProcess(RBF((1.0, 1.0)) + Matern())
    short, full = lognorm(1.0), gamma(2.0)
    found = densities_of(gp, {"lengthscale": short, "left.lengthscale[1]": full})
    assert found == (short, full, None, short, None, None)


def test_a_prior_may_exclude_values() -> None:
    """No search ends where the density is 0, and a start there loses."""
    X = np.linspace(0, 10, 20)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    priors = {"lengthscale": uniform(2.0, 3.0)}
    fit = fit_hyperparameters(GaussianProcess(RBF(0.5)), X, y, starts=8, priors=priors)
    assert fit.given == -np.inf
    assert 2.0 <= fit.gp.kernel.lengthscale <= 5.0  # type: ignore[attr-defined]


def test_a_prior_that_excludes_every_start() -> None:
    """No value is finite: the process stays as it was given, and no search ended anywhere."""
    X, start = np.linspace(0, 1, 6), GaussianProcess(RBF())
    priors = {"lengthscale": uniform(1e200, 1.0)}
    fit = fit_hyperparameters(start, X, np.sin(3 * X), starts=2, priors=priors)
    assert (fit.gp, fit.winner) == (start, "unchanged")
    assert [(search.end, search.theta) for search in fit.starts] == [(-np.inf, None)] * 3


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"priors": {"length": norm()}}, "of lengthscale, variance, noise_variance; got 'length'"),
        ({"priors": {"mean": norm()}}, "got 'mean'"),
        ({"priors": {"variance": 3.0}}, "a prior of variance with logpdf; got 3.0; .*lognorm"),
        ({"priors": "none"}, "priors by name; got 'none'"),
        ({"bounds": {"length": (0, 1)}}, "got 'length'"),
        *(({"bounds": {"variance": x}}, re.escape(f"got {x}")) for x in NO_BOUNDS),
        ({"bounds": [(0.0, 1.0)]}, r"bounds by name; got \[\(0.0, 1.0\)\]"),
        ({"fixed": 3}, "fixed of names"),
        ({"fixed": None}, "fixed of names"),
        ({"fixed": ["length"]}, r"fixed of lengthscale, .*, mean.*; got 'length'"),
    ],
)
def test_names_and_ranges_that_are_none(options: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        fit_hyperparameters(GaussianProcess(RBF()), [0.0, 1.0], [0.0, 1.0], **options)
