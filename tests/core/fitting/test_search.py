"""Fits: as recorded, where each search begins and ends, and the same in all units of X and y."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import gamma, lognorm

from tests.core.strategies import Floats
from ucbpe_core import RBF, GaussianProcess, Kernel, Matern, fit_hyperparameters
from ucbpe_core.gp.fitting import (
    Fit,
    Gamma,
    LogNormal,
    default_priors,
    log_marginal_likelihood,
)
from ucbpe_core.gp.fitting.search import Units, rounded_mean
from ucbpe_core.gp.kernels import Constant, Linear, Periodic, Polynomial, Product, RationalQuadratic
from ucbpe_core.gp.kernels.scales import scales_of

FILE = Path(__file__).parents[2] / "data" / "fits.json"
CASES: dict[str, tuple[GaussianProcess, dict[str, Any]]] = {
    "default": (GaussianProcess(Matern((1.0, 1.0), nu=2.5)), {}),
    "likelihood": (GaussianProcess(RBF() * Matern(), 0.5), {"priors": None}),
    "bounds": (
        GaussianProcess(RBF(30.0), 1e-9, 2.0),
        {"bounds": {"lengthscale": (20.0, 900.0), "noise_variance": (0.0, 0.3)}, "fixed": "mean"},
    ),
    "fixed noise": (
        GaussianProcess(RBF() + Polynomial(1)),
        {"noise_variance": [None, 0.1, 0.0, *[None] * 15], "fixed": ["right.variance"]},
    ),
    "only the mean": (
        GaussianProcess(RBF(40.0), 0.1),
        {"fixed": ("lengthscale", "variance", "noise_variance")},
    ),
}


def fitted(case: str) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    X, (gp, options) = rng.random((18, 2)) * [100.0, 40.0], CASES[case]
    y = 3 * np.sin(X[:, 0] / 15) + 0.05 * X[:, 1] + 0.2 * rng.standard_normal(18)
    return numbers(fit_hyperparameters(gp, X, y, 1, starts=3, **options))


def numbers(fit: Fit) -> dict[str, Any]:
    found = [*fit.gp.kernel.log_parameters.tolist(), fit.gp.noise_variance, fit.gp.mean]
    values = [fit.log_marginal_likelihood, fit.log_prior, fit.given]
    starts = {start.name: [start.begin, start.end] for start in fit.starts}
    return {"found": found, "values": values, "winner": fit.winner, "starts": starts}


@pytest.mark.parametrize("case", CASES)
def test_fits_are_those_recorded(case: str) -> None:
    """What is found to its digits; the first searches end about there."""
    found, recorded = fitted(case), json.loads(FILE.read_text())[case]
    assert found["winner"] == recorded["winner"]
    np.testing.assert_allclose(found["found"], recorded["found"], rtol=1e-9)
    np.testing.assert_allclose(found["values"], recorded["values"], rtol=1e-9)
    assert list(found["starts"]) == list(recorded["starts"])
    for name, (begin, end) in found["starts"].items():
        assert begin == pytest.approx(recorded["starts"][name][0], rel=1e-6)
        assert end == pytest.approx(recorded["starts"][name][1], rel=1e-3)


@pytest.mark.parametrize("k", [8, 21, 38])
def test_three_searches_find_the_mode_that_forty_find(k: int) -> None:
    """Few values are explained by noise around a trend, or by a short lengthscale without."""
    rng = np.random.default_rng([3, k])
    d, n = int(rng.integers(1, 4)), int(rng.integers(4, 13))
    X = rng.random((n, d))
    y = np.sin(rng.uniform(2, 9) * X).sum(1) + (X**2).sum(1) + 0.3 * rng.standard_normal(n)
    gp, variance = GaussianProcess(Matern(np.ones(d), nu=2.5)), float(np.var(y))
    priors = default_priors(gp, X, y, X) | {
        "noise_variance": Gamma(1.1, variance / 30),
        "variance": LogNormal(float(np.log(variance)), 0.3),
    }
    bounds = {"noise_variance": (1e-9 * variance, np.inf)}
    few, many = (
        fit_hyperparameters(gp, X, y, starts=starts, priors=priors, bounds=bounds).objective
        for starts in (3, 40)
    )
    assert few > many - 0.01


KERNELS = {
    "RBF": RBF(),
    "product": RBF() * Matern(),
    "product of three": RBF() * (Matern() * Matern(nu=0.5)),
    "sum": RBF() + Matern(),
    "polynomial": Polynomial(),
    "cubic": Polynomial(3),
    "product with a line": RBF() * Polynomial(1),
    "line first": Polynomial(1) * RBF(),
    "product with a sum": RBF() * (Matern() + Polynomial(1)),
    "sum with a line": Polynomial(1) + RBF(),
    "periodic and a level": Periodic() * RBF() + Constant(),
    "a lengthscale each": RBF((1.0, 1.0)) * Matern((1.0, 1.0), nu=2.5),
}


def data(d: int, seed: int, n: int = 22) -> tuple[Floats, Floats]:
    rng = np.random.default_rng([seed, 20])
    X = rng.uniform(-0.2, 1, (n, d))
    return X, np.sin(6 * X[:, 0]) + 0.5 * X[:, -1] + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("given", [False, True], ids=["default priors", "priors in the same units"])
def test_the_process_is_that_of_the_units(given: bool) -> None:
    X, y = data(1, 0)
    found = []
    for x, scale in ((1.0, 1.0), (1e3, 1.0), (1.0, 1e-4), (50.0, 30.0)):
        priors = {
            "lengthscale": lognorm(0.3, scale=0.5 * x),
            "variance": gamma(2.0, scale=scale**2),
            "noise_variance": gamma(2.0, scale=0.1 * scale**2),
        }
        options = {"priors": priors} if given else {}
        gp = fit_hyperparameters(GaussianProcess(RBF()), X * x, y * scale, **options).gp
        logs = gp.kernel.log_parameters - [np.log(x), 2 * np.log(scale)]
        found.append([*logs, np.log(gp.noise_variance / scale**2), gp.mean / scale])
    np.testing.assert_allclose(found[1:], found[:1] * 3, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kernel", [RBF(1.0, 3.0) * Matern(1.0, 5.0), RBF() * Polynomial(2)])
def test_a_product_has_one_variance(kernel: Product) -> None:
    """The other factor keeps the one that it was given, in any units; it could do no more."""
    X, y = data(1, 0)
    for x, scale in ((1.0, 1.0), (1e3, 1e-4)):
        fit = fit_hyperparameters(GaussianProcess(kernel), X * x, y * scale, starts=2)
        left, right = fit.gp.kernel.left, fit.gp.kernel.right  # type: ignore[attr-defined]
        assert right.variance == pytest.approx(kernel.right.variance)  # type: ignore[attr-defined]
        assert left.variance != pytest.approx(kernel.left.variance)  # type: ignore[attr-defined]
        other = replace(fit.gp, kernel=30 * left * replace(right, variance=right.variance / 30))
        again = log_marginal_likelihood(other, X * x, y * scale)
        assert again == pytest.approx(fit.log_marginal_likelihood, abs=1e-8)
    more = RBF() * (Matern() + Polynomial()) * (RBF() * Matern())
    free = scales_of(more, X, 1.0).free
    held = [name for name, each in zip(more.parameter_names, free, strict=True) if not each]
    assert held == ["left.right.left.variance", "right.left.variance", "right.right.variance"]


@pytest.mark.parametrize(
    "kernel",
    [*KERNELS.values(), RationalQuadratic().on(0) + Linear().on([1, 0]) * Periodic().on(1)],
    ids=repr,
)
def test_units_lead_to_the_same_process_and_back(kernel: Kernel) -> None:
    X, y = data(2, 3)
    theta = np.random.default_rng(1).normal(size=len(kernel.parameters))
    kernel = kernel.with_log_parameters(theta)
    gp = GaussianProcess(kernel, 0.3, 1.5)
    units = Units.of(kernel, X, y)
    inside = units.into(gp)
    density = log_marginal_likelihood(inside, X / units.x, y / units.y) - len(y) * np.log(units.y)
    assert density == pytest.approx(log_marginal_likelihood(gp, X, y), abs=1e-8)
    back = units.back(inside)
    np.testing.assert_allclose(back.kernel.log_parameters, kernel.log_parameters, atol=1e-12)
    assert (back.noise_variance, back.mean) == pytest.approx((0.3, 1.5))


@dataclass(frozen=True)
class Wave(Kernel):
    """k(x, z) = variance * cos(speed (x - z)), of one input: the unit of speed is not stated."""

    speed: float = 1.0
    variance: float = 1.0

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.variance * np.cos(self.speed * (X - Z.T))


def test_a_kernel_of_unknown_units_is_searched_around_what_was_given() -> None:
    X = np.linspace(0, 400, 40)[:, None]
    y = np.sin(X[:, 0] / 20.0) + 0.05 * np.cos(3 * X[:, 0])
    units = Units.of(Wave(), X, y)
    assert (units.x, units.y, *units.shift) == (1.0, 1.0, 0.0, 0.0)
    fit: Fit = fit_hyperparameters(GaussianProcess(Wave(1 / 18.0)), X, y)
    assert isinstance(fit.gp.kernel, Wave)
    assert fit.gp.kernel.speed == pytest.approx(1 / 20.0, rel=0.02)


@dataclass(frozen=True)
class Yearly(Kernel):
    """A period of 1 that is no field: it does not change with the unit of x."""

    variance: float = 1.0

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        cycles = X[:, None, 0] - Z[None, :, 0]
        return self.variance * np.exp(-2 * np.sin(np.pi * cycles) ** 2)


def test_a_fixed_period_keeps_the_data_in_their_units() -> None:
    """Also where the extent of the data is a whole number of periods."""
    X = np.linspace(0, 2, 9)[:, None]
    units = Units.of(Yearly(), X, np.arange(9.0))
    assert (units.x, units.y) == (1.0, 1.0)


def test_a_mean_is_rounded_as_far_as_its_likelihood_cannot_tell() -> None:
    """That falls by precision / 2 times the square of the change. Where no data tell it, it stays,
    and so it does where the precision is infinite.
    """
    mean = float(np.pi)
    for precision in (1e-3, 1.0, 7.7, 1e6):
        found = rounded_mean(mean, precision)
        assert found != mean
        assert 0.5 * precision * (found - mean) ** 2 <= 1e-6
    for precision in (0.0, np.inf):
        assert rounded_mean(mean, precision) == mean


if __name__ == "__main__":
    lines = [f"{json.dumps(case)}: {json.dumps(fitted(case))}" for case in CASES]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
