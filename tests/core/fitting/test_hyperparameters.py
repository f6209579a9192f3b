"""Fits: what they promise, find and refuse, and the default hyperpriors."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, lognorm

from tests.core.reference import covariance, examples
from tests.core.strategies import Floats, draw_data, kernels, seeds, unit_points
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    fit_hyperparameters,
    simulate,
)
from ucbpe_core.gp.fitting import (
    Gamma,
    LogNormal,
    default_priors,
    fit_to_optimise,
    log_marginal_likelihood,
)
from ucbpe_core.gp.kernels import Linear, Polynomial
from ucbpe_core.problems import from_table
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.support import streams


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
    names = [start.name for start in fit.starts]
    assert names == ["data", "random 1", "random 2", "random 3", "little noise"]
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


def told(seed: int, side: float = 1.0) -> tuple[Floats, Floats, Floats, Floats]:
    """500 candidates, f at them, the indices and values of 40 measurements."""
    rng = np.random.default_rng(seed)
    C = rng.random((500, 2))
    f = 60 + 8 * np.sin(5 * C[:, 0]) * C[:, 1]
    chosen = rng.choice(500, 40, replace=False)
    return side * C, f, chosen, f[chosen] + 0.1 * rng.normal(size=40)


def test_every_default_fit_is_one() -> None:
    """`refit` of both bandits, an experiment's and that of a simulation: with the domain theirs."""
    C, f, chosen, y = told(3)
    gp = GaussianProcess(Matern((1.0, 1.0), nu=2.5))
    wanted = fit_hyperparameters(gp, C[chosen], y, domain=C).gp
    bandit = Bandit(C, gp, GPUCBPE(2))
    bandit.tell(chosen, y)
    assert bandit.refit() == wanted
    table = Table(("a", "b"), C, output="y")
    experiment = Experiment(table, Plan(gp, GPUCBPE(2), FiniteBeta(), fit="never"))
    experiment.tell(chosen, y)
    assert experiment.fit().gp == wanted
    box = BoxBandit([(0, 1), (0, 1)], gp, GPUCBPE(2), fit="never")
    box.tell(None, y, points=C[chosen])
    corners = [[0.0, 0.0], [1.0, 1.0]]
    assert box.refit() == fit_hyperparameters(gp, C[chosen], y, domain=corners).gp
    assert wanted != fit_hyperparameters(gp, C[chosen], y, domain=3 * C).gp
    problem = from_table(C, f)
    trace = simulate(problem, GPUCBPE(2), wanted, batches=2, initial=20, refit_every=1)
    seen = list(trace.posterior.conditioned_indices[:22])
    again = fit_hyperparameters(wanted, C[seen], trace.y[:22], domain=C).gp
    assert trace.refits == ((2, again),)


def test_the_default_priors() -> None:
    """Those that the documentation states, of scipy's densities, in the units of the data."""
    rng = np.random.default_rng(0)
    X, y = rng.random((9, 3)) * [10.0, 0.1, 0.0], 50 + 3 * rng.normal(size=9)
    gp, domain = GaussianProcess(RBF((1.0, 1.0, 1.0))), np.array([[0, 0, 0], [20.0, 0.5, 0]])
    found = default_priors(gp, X, y, domain)
    assert set(found) == {f"lengthscale[{i}]" for i in range(3)} | {"noise_variance"}
    at = np.array([0.3, 4.0])
    for i, extent in enumerate((20.0, 0.5, 1.0)):
        scale = extent * np.exp(np.sqrt(2) + np.log(2) / 2)  # two inputs vary
        wanted = lognorm(np.sqrt(3), scale=scale).logpdf(at)
        np.testing.assert_allclose(found[f"lengthscale[{i}]"].logpdf(at), wanted)
    wanted = lognorm(1.0, scale=np.exp(-4) * np.var(y)).logpdf(at)
    np.testing.assert_allclose(found["noise_variance"].logpdf(at), wanted)
    assert LogNormal(0.0, 1.0).logpdf([0.0]) == -np.inf
    of_gamma = Gamma(1.1, 0.3).logpdf([0.0, *at])
    np.testing.assert_allclose(of_gamma, [-np.inf, *gamma(1.1, scale=0.3).logpdf(at)])
    fit = fit_hyperparameters(gp, X, y, domain=domain)
    same = fit_hyperparameters(gp, X, y, domain=domain, priors=found)
    assert fit.gp == same.gp


@pytest.mark.parametrize("priors", ["default", None])
def test_what_is_fixed_is_kept(priors: Any) -> None:
    """To the last bit; the others are fitted as if it were known."""
    X, y = told(4)[0][:30], told(4)[1][:30]
    gp = GaussianProcess(Matern((0.3, 0.7), 2.3, nu=2.5), 0.1, 61.0)
    fit = partial(fit_hyperparameters, gp, X, y, priors=priors)
    kernel = fit(fixed=["lengthscale[1]", "mean"]).gp.kernel
    assert kernel.lengthscale[1] == 0.7  # type: ignore[attr-defined]
    assert kernel.lengthscale[0] != 0.3  # type: ignore[attr-defined]
    every = fit(fixed=("lengthscale", "variance", "noise_variance", "mean"))
    assert every.gp == gp
    assert every.winner == "unchanged"
    only_mean = fit(fixed=("lengthscale", "variance", "noise_variance")).gp
    assert only_mean.kernel == gp.kernel
    assert log_marginal_likelihood(only_mean, X, y) > log_marginal_likelihood(gp, X, y)


def test_bounds_hold() -> None:
    """In the units of the data, in whatever units these are; also where the start is outside."""
    X, y = told(4)[0][:30], told(4)[1][:30]
    for x, scale in ((1.0, 1.0), (300.0, 0.01)):
        bounds = {"lengthscale": (0.1 * x, 0.2 * x), "noise_variance": (0.0, 1e-3 * scale**2)}
        fit = fit_hyperparameters(GaussianProcess(RBF()), X * x, y * scale, bounds=bounds)
        assert fit.given == -np.inf
        assert fit.gp.kernel.lengthscale == pytest.approx(0.2 * x)  # type: ignore[attr-defined]
        assert fit.gp.noise_variance <= 1e-3 * scale**2
    bandit = Bandit(told(4)[0], GaussianProcess(RBF()), GPUCBPE(2))
    bandit.tell(range(30), y)
    fitted = bandit.refit(bounds={"lengthscale": (0.2, 0.2)}, priors=None, fixed=["mean"])
    assert (fitted.kernel.lengthscale, fitted.mean) == (pytest.approx(0.2), 0.0)  # type: ignore[attr-defined]


FITS = """
import numpy as np
from ucbpe_core import RBF, GaussianProcess, Matern, fit_hyperparameters
for seed in range(12):
    rng = np.random.default_rng(seed)
    n, d = 60 + 10 * seed, 1 + seed % 3
    X = rng.random((n, d)) * 30
    y = np.sin(X[:, 0] / 5) + X[:, -1] / 30 + 0.1 * rng.normal(size=n)
    for kernel in (RBF(), Matern((1.0,) * d, nu=2.5)):
        for priors in ("default", None):
            fit = fit_hyperparameters(GaussianProcess(kernel), X, y, priors=priors, starts=2)
            print(fit.gp)
"""


@pytest.mark.slow
def test_a_fit_does_not_depend_on_the_processor() -> None:
    """The same bits with other BLAS kernels, and with two threads."""
    found = []
    for threads, kernel in (("1", "Haswell"), ("1", "Sandybridge"), ("2", "Haswell")):
        settings = {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        settings |= {"OPENBLAS_CORETYPE": kernel}
        command = [sys.executable, "-c", FITS]
        done = subprocess.run(command, env=os.environ | settings, capture_output=True, check=True)
        found.append(done.stdout.splitlines())
    assert len(found[0]) == 48
    assert found[0] == found[1] == found[2]


def test_the_least_noise_is_a_share_of_the_greatest_prior_variance() -> None:
    """Of a kernel that varies, not that of its least variance, which can be 0: the posterior of
    values without noise is then computed without a word on rounding.
    """
    x = np.linspace(0, 10, 12)
    gp = fit_to_optimise(GaussianProcess(Linear()), x, 2 * x, 0, x)
    greatest = float(gp.kernel.diagonal(x[:, None]).max())
    assert gp.noise_variance >= 1e-9 * greatest * (1 - 1e-12)
    assert gp.kernel.diagonal(x[:, None]).min() == 0.0
    gp.condition(x, 2 * x)  # warnings are errors here


def test_a_fit_to_optimise_finds_no_noise_and_what_stands_for_it() -> None:
    """Of a smooth function next to none, whatever it began with; of one with ripples, theirs."""
    x = np.linspace(0, 1, 30)
    smooth = np.sin(5 * x)
    rough = smooth + 0.2 * np.random.default_rng(0).standard_normal(30)
    for start in (1e-6, 0.1):
        prior = GaussianProcess(Matern(0.3, nu=2.5), start)
        assert fit_to_optimise(prior, x, smooth, 0, x).noise_variance < 1e-5
        assert 0.01 < fit_to_optimise(prior, x, rough, 0, x).noise_variance < 0.1
    flat = GaussianProcess(Matern(0.3))
    level = fit_to_optimise(flat, x, np.full(30, 80.0), 0, x)  # of no scale but its own size
    assert level == GaussianProcess.from_data(x, np.full(30, 80.0), flat.kernel, domain=x)
    assert level.mean == 80.0
    nearly = np.where(x < 0.5, 0.3, 0.1 + 0.2)
    assert fit_to_optimise(flat, x, nearly, 0, x) == GaussianProcess.from_data(
        x, nearly, flat.kernel, domain=x
    )


def test_a_fit_to_optimise_keeps_the_variance_near_that_of_the_values() -> None:
    """A slope is explained by any variance that is large enough: likelihood alone takes a huge one.

    Units change nothing: values a thousand times as large have a variance a million times theirs.
    """
    x = np.linspace(0, 1, 8)
    prior = GaussianProcess(Matern(0.3, nu=2.5))
    free = fit_hyperparameters(prior, x, 2 * x, starts=3, priors=None).gp
    held = fit_to_optimise(prior, x, 2 * x, 0, x)
    assert free.kernel.parameters[1] > 30 * np.var(2 * x)
    assert 0.3 < held.kernel.parameters[1] / np.var(2 * x) < 3
    other = fit_to_optimise(prior, x, 2000 * x, 0, x)
    assert other.kernel.parameters[1] == pytest.approx(1e6 * held.kernel.parameters[1], rel=1e-3)


@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e160])
def test_values_whose_squares_are_no_floats_are_refused(scale: float) -> None:
    x, y = np.linspace(0, 1, 5), scale * np.array([0.0, 1, 3, 2, 1])
    prior = GaussianProcess(Matern(), mean=scale)  # which in units of y overflows
    with pytest.raises(InputError, match="y that differ by 1e-150 to 1e"):
        fit_hyperparameters(prior, x, y)


def test_values_that_differ_by_rounding_are_equal() -> None:
    x, y = [0.0, 1.0, 2.0, 3.0], [0.3, 0.1 + 0.2, 0.3, 0.3]
    with pytest.raises(InputError, match="at least two different values"):
        fit_hyperparameters(GaussianProcess.from_data(x, y), x, y)
    with pytest.raises(InputError, match="at least two different values"):
        default_priors(GaussianProcess(Matern()), *map(np.array, ([[0.0]] * 4, y, [[0.0], [1.0]])))
    # The variance of three 0.1 is 2e-34, by rounding alone.
    assert from_table([0.0, 1.0, 2.0], [0.1] * 3).gp.kernel.variance == 1.0
