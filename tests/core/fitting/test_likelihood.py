"""The log marginal likelihood: its gradient, from one factor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from tests.core.reference import examples
from tests.core.strategies import Floats, Instance, instances
from ucbpe_core import RBF, GaussianProcess, fit_hyperparameters
from ucbpe_core.fitting import likelihood, log_marginal_likelihood, log_marginal_likelihood_gradient


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


@pytest.mark.parametrize("fixed", [(), ("mean",), ("noise_variance",)])
def test_one_factor_per_evaluation(fixed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean, the likelihood and its gradient share the Cholesky factor of C."""
    calls = {"factor": 0, "gradient": 0}

    def counted(name: str, function: Callable[..., Floats]) -> Callable[..., Floats]:
        def wrapper(*arguments: object) -> Floats:
            calls[name] += 1
            return function(*arguments)

        return wrapper

    factor, gradient = likelihood.jittered_cholesky, RBF.gram_and_contraction
    monkeypatch.setattr(likelihood, "jittered_cholesky", counted("factor", factor))
    monkeypatch.setattr(RBF, "gram_and_contraction", counted("gradient", gradient))
    X = np.linspace(0, 5, 15)
    fit_hyperparameters(GaussianProcess(RBF()), X, np.sin(3 * X), fixed=fixed)
    assert calls["gradient"] > 20
    # And the values of what was given and of what was found, and the precision of its mean.
    assert calls["factor"] == calls["gradient"] + 2 + ("mean" not in fixed)
