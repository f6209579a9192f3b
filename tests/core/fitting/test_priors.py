"""What a fit maximises: gradients of the likelihood and of priors, and the names of priors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import gamma, lognorm, norm, uniform

from tests.core.reference import examples
from tests.core.strategies import Floats, Instance, instances
from ucbpe_core import RBF, GaussianProcess, InputError, Matern, fit_hyperparameters
from ucbpe_core.fitting import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.fitting.likelihood import Objective
from ucbpe_core.fitting.priors import densities_of
from ucbpe_core.fitting.task import Task


@examples(30)
@given(instances(dimension=4))
def test_gradient_of_the_likelihood(case: Instance) -> None:
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
    return Task.of(gp, X, y, None, X, ("mean",), priors, {}).objective()  # type: ignore[arg-type]


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


def test_names_of_priors() -> None:
    """A short name stands for all of its kind; a full one comes before it."""
    gp = GaussianProcess(RBF((1.0, 1.0)) + Matern())
    short, full = lognorm(1.0), gamma(2.0)
    found = densities_of(gp, {"lengthscale": short, "left.lengthscale[1]": full})
    assert found == (short, full, None, short, None, None)


def test_a_prior_that_excludes_every_start() -> None:
    """No value is finite: the process stays as it was given, and no search ended anywhere."""
    X, start = np.linspace(0, 1, 6), GaussianProcess(RBF())
    priors = {"lengthscale": uniform(1e200, 1.0)}
    fit = fit_hyperparameters(start, X, np.sin(3 * X), starts=2, priors=priors)
    assert (fit.gp, fit.winner) == (start, "unchanged")
    assert [(search.end, search.theta) for search in fit.starts] == [(-np.inf, None)] * 2


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
