"""Fits: what they promise, find and refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import covariance, examples
from tests.core.strategies import draw_data, kernels, seeds, unit_points
from ucbpe_core import (
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    fit_hyperparameters,
    streams,
)
from ucbpe_core.fitting import log_marginal_likelihood
from ucbpe_core.kernels import Polynomial


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


@pytest.mark.parametrize("kernel", [RBF(3.0), Matern(3.0, nu=2.5), RBF(0.2) + Polynomial(1)])
def test_a_fit_says_which_start_won(kernel: Kernel) -> None:
    """Every start is on record and the winner is the best of them."""
    X = np.linspace(0, 10, 25)
    y = draw_data(GaussianProcess(RBF(1.0), 0.01), X, seed=2)
    fit = fit_hyperparameters(GaussianProcess(kernel), X, y, seed=1, starts=4)
    assert [start.name for start in fit.starts] == ["data", "random 1", "random 2", "random 3"]
    ends = {start.name: start.end for start in fit.starts}
    assert fit.objective == ends[fit.winner] == pytest.approx(max(ends.values()), abs=1e-3)
    assert all(start.end >= start.begin - 1e-9 for start in fit.starts)


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
    assert fit_hyperparameters(gp, X, y) == fit_hyperparameters(gp, X, y, 0, starts=5)
    assert (
        fit_hyperparameters(gp, X, y, seed=7).starts != fit_hyperparameters(gp, X, y, seed=8).starts
    )


def test_the_fitted_mean_is_the_maximiser() -> None:
    """mu = 1'C^-1 y / 1'C^-1 1 but for rounding."""
    X = np.linspace(0, 3, 12)
    y = draw_data(GaussianProcess(RBF(), 0.1, mean=7.0), X, seed=6)
    gp = fit_hyperparameters(GaussianProcess(RBF(0.7), 0.2), X, y, starts=2).gp
    K = covariance(gp.kernel, X[:, None], X[:, None])
    ones = np.linalg.solve(K + gp.noise_variance * np.eye(12), np.ones(12))
    lost = 0.5 * ones.sum() * (gp.mean - ones @ y / ones.sum()) ** 2
    assert lost < 1e-6


def test_searches_at_the_same_time_find_the_same() -> None:
    X = np.random.default_rng(3).uniform(0, 1, (40, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    gp = GaussianProcess(Matern((1.0, 1.0, 1.0), nu=2.5), 0.01)
    assert fit_hyperparameters(gp, X, y, 4, workers=3) == fit_hyperparameters(gp, X, y, 4)
    for name in ("workers", "starts"):
        with pytest.raises(InputError, match=f"{name} of at least 1"):
            fit_hyperparameters(gp, X, y, **{name: 0})  # type: ignore[arg-type]


def test_noise_may_start_from_nothing() -> None:
    """A noise variance of 0 has no logarithm; the search starts from the least one instead."""
    X = np.linspace(0, 5, 15)
    y = draw_data(GaussianProcess(RBF(), 0.1), X, seed=7)
    fit = fit_hyperparameters(GaussianProcess(RBF(), noise_variance=0.0), X, y, priors=None)
    assert fit.gp.noise_variance > 0.01
    assert fit.log_marginal_likelihood > fit.given
