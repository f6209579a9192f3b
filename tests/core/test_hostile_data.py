"""Data nobody would choose, against 50 digits: the posterior is as wrong as it says, at most.

Duplicated and nearly duplicated points, points on a line, noise 0 to 1, scales 1e-8 to 1e8,
constant and single values, lengthscales far too short and too long, nu 0.1 to 50, 1 to 20 inputs,
coordinates far from 0: times in seconds since 1970, Julian dates.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ucbpe_core import RBF, GaussianProcess, Matern

from . import exact

EXAMPLES = int(os.environ.get("UCBPE_EXAMPLES", "40"))
ORIGINS = (0.0, 0.0, 1.7e9, -2460000.5)
ANYWHERE = 4  # points that are predicted, beside those that were measured


@dataclass(frozen=True)
class Hostile:
    kernel: RBF | Matern
    noise: float
    candidates: np.ndarray
    members: np.ndarray
    y: np.ndarray


def exponents(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda power: float(f"{10**power:.6g}"))


@st.composite
def hostile(draw: st.DrawFn) -> Hostile:
    d, n = draw(st.integers(1, 20)), draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n + ANYWHERE, d))
    layout = draw(st.sampled_from(["apart", "repeated", "near", "on a line"]))
    if layout == "on a line":
        X = X[:, :1] * rng.random(d)
    if layout == "near":
        X[n // 2 : n] = X[: n - n // 2] + draw(exponents(-15, -3)) * rng.random((n - n // 2, d))
    scale, origin = draw(exponents(-8, 8)), draw(st.sampled_from(ORIGINS))
    lengthscale = scale * draw(exponents(-3, 3))
    variance = draw(exponents(-8, 8))
    nu = draw(st.one_of(st.sampled_from([0.5, 1.5, 2.5]), st.floats(0.1, 50)))
    kernel = draw(
        st.sampled_from([RBF(lengthscale, variance), Matern(lengthscale, variance, nu=nu)])
    )
    noise = draw(st.one_of(st.sampled_from([0.0, 1.0]), exponents(-12, 0))) * variance
    members = np.arange(n)
    if layout == "repeated":
        members = np.concatenate([members[: (n + 1) // 2]] * 2)
    values = draw(st.sampled_from(["rough", "smooth", "constant"]))
    shapes = {
        "rough": rng.standard_normal(len(members)),
        "smooth": np.sin(3 * X[members].sum(axis=1)),
        "constant": np.full(len(members), rng.standard_normal()),
    }
    y = np.sqrt(variance) * draw(exponents(-8, 8)) * shapes[values]
    return Hostile(kernel, noise, scale * (origin + X), members, y)


def check(case: Hostile) -> float:
    gp = GaussianProcess(case.kernel, case.noise)
    return exact.check(gp, case.candidates, case.members, case.y)


_SETTINGS = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


@pytest.mark.parametrize("n", range(1, 11))
def test_few_points_that_are_alike(n: int) -> None:
    """Of so few the errors are largest, as shares of the estimate, which is not far off."""
    most = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.random((n + ANYWHERE, int(rng.integers(1, 21))))
        lengthscale, variance = 10 ** rng.uniform(0, 4), 10 ** rng.uniform(-3, 3)
        kernels = RBF(lengthscale, variance), Matern(lengthscale, variance, nu=2.5)
        noise, y = 10 ** rng.uniform(-10, 0) * variance, rng.standard_normal(n)
        X = X + ORIGINS[seed % 4]
        case = Hostile(kernels[seed % 2], noise, X, np.arange(n), np.sqrt(variance) * y)
        most.append(check(case))
    assert n == 1 or max(most) > 0.01


@pytest.mark.parametrize("origin", [1.7e9, 2460000.5])
@pytest.mark.parametrize("lengthscale", [0.3, (0.3, 0.7)])
def test_large_coordinates(origin: float, lengthscale: float | tuple[float, ...]) -> None:
    """Times in days or seconds cost no digit: the posterior is that of the same points around 0."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2**12, (30, 2)) / 2**12  # such differences are exact
    y = np.sin(5 * X).sum(axis=1)
    for kernel in (Matern(lengthscale, nu=1.5), RBF(lengthscale)):
        gp = GaussianProcess(kernel, 1e-6)
        near, far = (gp.condition(Z[:20], y[:20]).predict(Z) for Z in (X, origin + X))
        np.testing.assert_array_equal(far.std, near.std)
        np.testing.assert_array_equal(far.mean, near.mean)
        weights = rng.standard_normal((20, 10))
        slopes = [kernel.weighted_gradient(Z[:20], Z[20:], weights) for Z in (X, origin + X)]
        np.testing.assert_array_equal(*slopes)


@given(case=hostile())
@settings(_SETTINGS, max_examples=EXAMPLES)
def test_the_posterior_is_as_wrong_as_it_says_at_most(case: Hostile) -> None:
    check(case)
