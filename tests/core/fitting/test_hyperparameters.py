"""Fits: what they promise, find and refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import examples
from tests.core.strategies import kernels, seeds, unit_points
from ucbpe_core import GaussianProcess, InputError, Matern, fit_hyperparameters
from ucbpe_core.fitting import log_marginal_likelihood


@examples(12)
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
    fixed = [
        name for name, fitted in (("noise_variance", fit_noise), ("mean", fit_mean)) if not fitted
    ]
    fit = fit_hyperparameters(gp, X, y, seed=seed, starts=2, fixed=fixed, priors=None)
    assert fit.given == log_marginal_likelihood(gp, X, y)
    assert fit.log_marginal_likelihood >= fit.given
    assert log_marginal_likelihood(fit.gp, X, y) == pytest.approx(fit.log_marginal_likelihood)
    assert fit.winner in {"unchanged", *(start.name for start in fit.starts)}
    assert (fit.gp == gp) == (fit.winner == "unchanged")
    if not fit_noise:
        assert fit.gp.noise_variance == gp.noise_variance
    if not fit_mean:
        assert fit.gp.mean == gp.mean


def test_searches_at_the_same_time_find_the_same() -> None:
    X = np.random.default_rng(3).uniform(0, 1, (40, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    gp = GaussianProcess(Matern((1.0, 1.0, 1.0), nu=2.5), 0.01)
    assert fit_hyperparameters(gp, X, y, 4, workers=3) == fit_hyperparameters(gp, X, y, 4)
    for name in ("workers", "starts"):
        with pytest.raises(InputError, match=f"{name} of at least 1"):
            fit_hyperparameters(gp, X, y, **{name: 0})  # type: ignore[arg-type]
