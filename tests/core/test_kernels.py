"""Kernels against their definitions, finite differences and their limits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gamma

from ucbpe_core import RBF, InputError, Kernel, Matern
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.files.tables import from_table, to_table
from ucbpe_core.gp.fitting.search import Units
from ucbpe_core.gp.kernels import (
    KERNELS,
    Constant,
    Linear,
    Periodic,
    Polynomial,
    Product,
    RationalQuadratic,
    Sum,
    White,
)
from ucbpe_core.gp.kernels.scales import slope_bound

from .exact import DIGITS, covariance_of, distance
from .reference import covariance, examples
from .strategies import SMOOTHNESS, Floats, kernels, seeds, unit_points

if TYPE_CHECKING:
    from collections.abc import Callable


EVERY_KIND = [
    RBF(0.7, 2.0),
    RBF((0.7, 1.9), 0.5),
    *(Matern(0.7, 2.0, nu=nu) for nu in (0.3, 0.5, 1.0, 2.5)),
    Matern((0.4, 1.3), 1.2, nu=1.5),
    Matern((0.4, 1.3), 1.2, nu=4.2),
    RationalQuadratic(0.7, 2.0, alpha=0.6),
    RationalQuadratic((0.4, 1.3), alpha=30.0),
    Periodic(0.9, 1.7, 2.0),
    Periodic((0.9, 1.4), (1.7, 0.8), 0.5),
    Linear(1.3),
    Constant(0.6),
    White(0.4),
    Polynomial(1, 0.5, 2.0),
    Polynomial(3, 0.5, 2.0),
    RBF(0.7) + Polynomial(2, 0.4, 1.5),
    Matern((0.4, 1.3), nu=2.5) * RBF(0.9, 0.4),
    (RBF(0.7) + Matern(0.5, nu=0.5)) * Polynomial(1),
    RBF(0.7).on(1) + Linear().on([1, 0]) * Periodic((0.9, 1.4)).on((1, 0)),
]
every_kind = pytest.mark.parametrize("kernel", EVERY_KIND, ids=repr)


def distances(r: Floats) -> tuple[Floats, Floats]:
    """The origin and points at distances r from it."""
    return np.zeros((1, 1)), np.asarray(r)[:, None]


def by_finite_differences(kernel: Kernel, X: Floats, step: float = 1e-5) -> Floats:
    """Central differences of the Gram matrix by each log parameter, shape (p, n, n)."""
    theta = kernel.log_parameters
    moves = step * np.eye(len(theta))
    grams = [[kernel.with_log_parameters(theta + s * by).gram(X) for s in (1, -1)] for by in moves]
    return np.stack([(above - below) / (2 * step) for above, below in grams])


def gram_gradient(kernel: Kernel, X: Floats) -> Floats:
    """d gram / d theta, shape (p, n, n), from two points at a time."""
    half = np.array([[0.0, 0.5], [0.5, 0.0]])
    found = np.empty((len(kernel.log_parameters), len(X), len(X)))
    for i, j in np.ndindex(len(X), len(X)):
        found[:, i, j] = kernel.gram_and_contraction(X[[i, j]])[1](half)
    return found


def by_moving(kernel: Kernel, X: Floats, Z: Floats, weights: Floats) -> Floats:
    """Central differences of sum over i of weights_ij k(x_i, z_j), from the definition."""
    gradient = np.empty_like(Z)
    for axis, move in enumerate(1e-5 * np.eye(Z.shape[1])):
        change = covariance(kernel, X, Z + move) - covariance(kernel, X, Z - move)
        gradient[:, axis] = (weights * change).sum(axis=0) / 2e-5
    return gradient


@dataclass(frozen=True)
class Plain(Kernel):
    """A kernel of somebody else's with the one method: all else comes from the base class."""

    inner: Kernel

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.inner.evaluate(X, Z)


def follows_its_formula(kernel: Kernel, d: int, seed: int) -> None:
    """Covariances, their gradients by parameters and by points; repeated points included."""
    rng = np.random.default_rng(seed)
    X, Z = unit_points(rng, 9, d) - 1.0, unit_points(rng, 5, d) + 1.0
    X[-1] = X[0]
    gram, contract = kernel.gram_and_contraction(X)
    np.testing.assert_allclose(kernel.evaluate(X, Z), covariance(kernel, X, Z), rtol=1e-11)
    np.testing.assert_allclose(gram, covariance(kernel, X, X), rtol=1e-11)
    for same in (kernel.gram(X), gram.T, kernel.evaluate(X, X)):
        np.testing.assert_array_equal(gram, same)
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues[0] >= -1e-12 * eigenvalues[-1]
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), rtol=1e-12)
    apart = kernel.evaluate(X + 3.0, Z + 3.0)
    assert kernel.stationary == np.allclose(apart, kernel.evaluate(X, Z), rtol=1e-12)

    gradient, scale = gram_gradient(kernel, X), np.abs(gram).max()
    expected = by_finite_differences(kernel, X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7 * max(scale, 1.0))
    weights = rng.standard_normal((9, 9))
    weights += weights.T
    whole = np.einsum("pij,ij->p", gradient, weights)
    np.testing.assert_allclose(contract(weights), whole, rtol=1e-7, atol=1e-8 * scale)

    moved = kernel.weighted_gradient(X, Z, weights[:, :5])
    scale = np.abs(covariance(kernel, Z, Z)).max()
    expected = by_moving(kernel, X, Z, weights[:, :5])
    np.testing.assert_allclose(moved, expected, rtol=1e-6, atol=1e-7 * scale)


@every_kind
def test_every_kernel_is_its_formula(kernel: Kernel) -> None:
    follows_its_formula(kernel, 2, 0)


@examples(30)
@given(st.integers(1, 4).flatmap(lambda d: st.tuples(st.just(d), kernels(d))), seeds)
def test_so_are_random_sums_and_products(drawn: tuple[int, Kernel], seed: int) -> None:
    follows_its_formula(drawn[1], drawn[0], seed)


@every_kind
def test_one_method_is_enough(kernel: Kernel) -> None:
    """What the base class derives is what the formulas say, of more points than in one block."""
    rng = np.random.default_rng(1)
    X, Z, W = rng.uniform(-1, 1, (150, 2)), rng.uniform(1, 2, (4, 2)), rng.normal(size=(150, 150))
    own, weights = Plain(kernel), W + W.T
    np.testing.assert_array_equal(own.gram(X), kernel.gram(X))
    np.testing.assert_allclose(own.diagonal(X), kernel.diagonal(X), rtol=1e-12)
    assert own.diagonal(X[:0]).shape == kernel.diagonal(X[:0]).shape == (0,)
    gradient, size = kernel.gram_and_contraction(X)[1](weights), np.abs(weights).sum()
    found = own.gram_and_contraction(X)[1](weights)
    np.testing.assert_allclose(found, gradient, atol=1e-9 * size)
    gradient = kernel.weighted_gradient(X, Z, W[:, :4])
    np.testing.assert_allclose(own.weighted_gradient(X, Z, W[:, :4]), gradient, atol=1e-6)
    for whole in (own + kernel, own * Constant(2.0)):
        double = whole.weighted_gradient(X, Z, W[:, :4])
        np.testing.assert_allclose(double, 2 * gradient, atol=2e-6)
    assert own.parameter_names == tuple(f"inner.{name}" for name in kernel.parameter_names)


def test_a_contraction_does_not_depend_on_the_origin() -> None:
    """Coordinates of 2^30 whose differences are exact: not a digit is lost to the origin."""
    rng = np.random.default_rng(2)
    X = np.round(rng.uniform(-1, 1, (30, 2)) * 2**20) / 2**20
    weights = rng.normal(size=(30, 30))
    weights += weights.T
    kernel = RBF((0.7, 1.9), 0.5)
    near, far = (kernel.gram_and_contraction(X + by)[1](weights) for by in (0.0, 2.0**30))
    np.testing.assert_allclose(far, near, atol=1e-11 * np.abs(weights).sum())


@pytest.mark.parametrize("exponent", [-700, 700])
def test_a_lengthscale_of_any_size_loses_no_digit(exponent: int) -> None:
    """Points and lengthscale times a power of two are the same covariance, to the last bit."""
    X, Z = np.random.default_rng(3).uniform(-1, 1, (2, 20, 2))
    unit = 2.0**exponent
    second = np.array([1.0, unit])
    for kernel, scaled, units in (
        (RBF(0.7), RBF(0.7 * unit), unit),
        (Matern((0.4, 1.3), nu=4.2), Matern((0.4 * unit, 1.3 * unit), nu=4.2), unit),
        (Matern((0.4, 1.3), nu=4.2), Matern((0.4, 1.3 * unit), nu=4.2), second),
    ):
        found = scaled.evaluate(X * units, Z * units)
        np.testing.assert_array_equal(found, kernel.evaluate(X, Z))


def test_a_distance_out_of_range_names_the_largest_coordinate() -> None:
    X, Z = np.array([[0.0], [1e200]]), np.array([[0.0]])
    for pair in ((X, Z), (Z, X)):
        with pytest.raises(IllConditionedError, match=r"x up to 1e\+200, lengthscale 1e-150"):
            RBF(1e-150).evaluate(*pair)


def test_one_point_at_the_origin_has_a_gradient() -> None:
    """k = (x z + 1)^2 at x = z = 0, where nothing suggests a step to finite differences."""
    zero, weights = np.zeros((1, 1)), np.ones((1, 1))
    assert Plain(Polynomial(2)).weighted_gradient(zero, zero, weights) == pytest.approx(0.0)


def test_only_what_is_measured_along_an_input_becomes_one_for_each() -> None:
    assert RBF(0.5, 2.0).with_each(2) == RBF((0.5, 0.5), 2.0)
    assert Matern((0.4, 1.3), nu=1.5).with_each(2) == Matern((0.4, 1.3), nu=1.5)
    assert (Periodic(0.9, 1.7) + Linear(1.3)).with_each(1) == Periodic(0.9, 1.7) + Linear(1.3)


def test_slopes_of_a_product_of_products() -> None:
    """Of stationary kernels: variances multiply, and 1 / lengthscale^2 add."""
    kernel = RBF(0.5, 2.0) * RBF(0.8, 3.0) * RBF(0.3, 0.4)
    slope = 2.0 * 3.0 * 0.4 * (1 / 0.5**2 + 1 / 0.8**2 + 1 / 0.3**2)
    assert slope_bound(kernel, np.ones(1)) == pytest.approx(2 * np.sqrt(slope))


@pytest.mark.parametrize(
    "kernel",
    [RBF(0.7, 2.0), Matern(0.7, 2.0, nu=2.5), Matern(0.4, nu=4.2), Periodic(0.9, 1.7, 2.0)],
    ids=str,
)
def test_the_slope_of_one_kernel_is_that_of_its_curvature_at_zero(kernel: Kernel) -> None:
    """The variance of f' is -k''(0), here by differences."""
    h = 1e-4
    k = kernel.evaluate(np.array([[0.0]]), np.array([[0.0], [h]]))[0]
    assert slope_bound(kernel, np.ones(1)) ** 2 / 4 == pytest.approx(
        2 * (k[0] - k[1]) / h**2, rel=2e-3
    )


@every_kind
def test_hyperparameters_are_the_fields(kernel: Kernel) -> None:
    """By name and on the log scale; files hold the same fields along the same paths.

    What is a length, and what a variance, is known from them.
    """
    theta, names = kernel.log_parameters, kernel.parameter_names
    assert len(names) == len(theta) == len(set(names)) == len(kernel.parameter_units)
    assert Units.of(kernel, 10 * np.eye(2), np.arange(2.0)).x != 1.0
    moved = kernel.with_log_parameters(theta + 0.1)
    np.testing.assert_allclose(moved.log_parameters, theta + 0.1, rtol=1e-13, atol=1e-14)
    assert moved.with_parameters(kernel.parameters) == kernel
    table = json.loads(json.dumps(to_table(KERNELS, kernel, "kernel")))
    assert from_table(KERNELS, table, "kernel", complete=True) == kernel
    for name, value in zip(names, kernel.parameters, strict=True):
        found = table
        for key in name.replace("[", ".").replace("]", "").split("."):
            found = found[int(key) if key.isdecimal() else key]
        assert found == value


# Where SciPy's K_nu was seen to be least accurate: just up to s = 2, the end of its power series.
@pytest.mark.parametrize("nu", [0.25, 0.848, 0.868, 1.9, 7.9, 30.0, 0.5, 1.5, 2.5])
def test_a_matern_kernel_is_off_by_no_more_than_its_rounding_units(nu: float) -> None:
    """As 2^(1-nu) / Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) r, has it in 50 digits.

    Closed forms have no such units, and are off in the last place.
    """
    kernel = Matern(nu=nu)
    r = np.array([1e-8, 1e-3, 0.5, 1.99, 1.9996, 2 - 1e-6, 2.0, 2.5, 20.0]) / np.sqrt(2 * nu)
    exact = covariance_of(kernel)
    with mp.workdps(DIGITS):
        expected = [exact([mp.mpf(float(distance))], [mp.mpf(0)]) for distance in r]
    errors = distance(expected, kernel.profile(r.copy()))
    assert errors.max() <= max(kernel.rounding_units, 1.0) * np.finfo(float).eps
    assert (kernel.rounding_units == 0) == (nu in (0.5, 1.5, 2.5))


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5, 0.9, 1.0, 1.5, 2.0, 3.3, 20.0, 200.3, 1000.0])
def test_nothing_breaks_as_points_meet(nu: float) -> None:
    """From r = 1 down to the least float the kernel rises to 1, without NaN or warning.

    For nu < 1, 1 - k tends to Gamma(1-nu) / Gamma(1+nu) (s/2)^(2 nu).
    """
    r = np.array([1.0, 1e-3, 1e-9, 1e-30, 1e-100, 1e-160, 1e-300, 5e-324, 0.0])
    k = Matern(nu=nu).evaluate(*distances(r))[0]
    assert (np.diff(k) >= -2e-14).all()
    assert k.max() <= 1 + 2e-14
    assert k[-1] == 1.0
    assert np.isfinite(gram_gradient(Matern(nu=nu), np.append(r, 0.0)[:, None])).all()
    if nu < 0.9:
        s = np.sqrt(2 * nu) * np.array([1e-6, 1e-8, 1e-10])
        computed = 1 - Matern(np.sqrt(2 * nu), nu=nu).evaluate(*distances(s))[0]
        expected = gamma(1 - nu) / gamma(1 + nu) * (s / 2) ** (2 * nu)
        np.testing.assert_allclose(computed, expected, rtol=1e-3, atol=1e-14)


def test_a_very_rough_kernel_falls_at_the_least_distances() -> None:
    """(s/2)^(2 nu) is far from 0 there; the next term is of order s^2."""
    nu, s = 0.002, np.array([1e-140, 1e-148, 1e-149, 2e-150])
    found = Matern(np.sqrt(2 * nu), nu=nu).evaluate(*distances(s))[0]
    expected = 1 - gamma(1 - nu) / gamma(1 + nu) * (s / 2) ** (2 * nu)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("nu", [*SMOOTHNESS, None])
def test_a_point_upon_itself_is_flat(nu: float | None) -> None:
    """At x = z every stationary kernel has slope 0, or a kink whose sides average to 0."""
    kernel = RBF(0.4) if nu is None else Matern((0.4, 0.9), nu=nu)
    X = np.array([[0.3, -0.2], [1e-170, 0.0], [0.0, 0.0]])
    own = kernel.weighted_gradient(X[:1], X[:1], np.ones((1, 1)))
    np.testing.assert_array_equal(own, np.zeros((1, 2)))
    assert np.isfinite(kernel.weighted_gradient(X, X, np.ones((3, 3)))).all()
    for r in (1e-9, 1e-3, 0.5):  # exp(-r / l) falls by 1 / l per unit of distance, however close
        at = np.array([[r]])
        slope = Matern(0.25, nu=0.5).weighted_gradient(np.zeros((1, 1)), at, np.ones((1, 1)))
        assert slope[0, 0] == pytest.approx(-4 * np.exp(-4 * r), rel=1e-7)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
def test_gradients_by_points_have_any_unit(unit: float) -> None:
    """The steps of the differences follow the extent of the points."""
    rng, kernel = np.random.default_rng(5), Matern(unit, nu=2.5)
    X, Z = unit * rng.normal(size=(6, 3)), unit * rng.normal(size=(4, 3))
    weights = rng.normal(size=(6, 4))
    expected = kernel.weighted_gradient(X, Z, weights)
    found = Plain(kernel).weighted_gradient(X, Z, weights)
    np.testing.assert_allclose(found, expected, atol=1e-7 / unit)
    line, one = Polynomial(2, unit**2), np.ones((1, 1))
    expected, found = (k.weighted_gradient(Z[:1], Z[:1], one) for k in (line, Plain(line)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "twice"),
    [
        (Matern((0.5, 1.0), nu=2.5), Matern((0.5, 1.0), 2.0, nu=2.5)),
        (RBF().on(1), RBF(1.0, 2.0).on(1)),
        (RBF() + Matern(), Sum(RBF(1.0, 2.0), Matern(1.0, 2.0))),
        (RBF() * Matern(), Product(RBF(1.0, 2.0), Matern())),
    ],
)
def test_a_number_scales_the_variance(kernel: Kernel, twice: Kernel) -> None:
    """From either side, by a float, an int or a NumPy scalar."""
    for two in (2, 2.0, np.float64(2.0), np.float32(2.0), np.int64(2)):
        assert two * kernel == kernel * two == twice


ONE, FAR = np.zeros((4, 2)), np.array([[0.0], [1e150]])
REFUSED: list[tuple[Callable[[], object], str]] = [
    *((lambda x=x: RBF(x), "expected lengthscale.*pass a") for x in (0, "1.0", (1.0, 0.0))),
    (lambda: Matern(variance=-1), "expected variance.*pass a"),
    *((lambda nu=nu: Matern(nu=nu), "nu") for nu in (0, np.inf, 1001)),
    *((lambda n=n: Polynomial(n), "degree") for n in (0, 1.5)),
    (lambda: Polynomial(offset=0), "offset"),
    *((lambda x=x: RBF() * x, "the factor of a kernel") for x in (0, "2")),
    (lambda: 2 * Plain(RBF()), "a kernel with a variance; got Plain"),
    (lambda: RBF() + 3, "expected a Kernel; got int"),
    (lambda: RBF().on([0, 0]), "different numbers of inputs"),
    (lambda: RBF().on(-1), "the number of an input of at least 0"),
    (lambda: RBF().on(2).gram(ONE), "points of at least 3 inputs"),
    (lambda: RBF((1.0, 2.0, 3.0)).gram(ONE), "2 lengthscales, one per dimension; got 3"),
    (lambda: Periodic(1.0, (1.0, 2.0, 3.0)).gram(ONE), "2 periods, one per dimension; got 3"),
    (lambda: RBF(1e-10).gram(FAR), "x / lengthscale of at most 1e.150"),
    (lambda: Periodic().gram(FAR), "points at most 1e.10 periods apart"),
]


@pytest.mark.parametrize(("call", "reason"), REFUSED)
def test_what_cannot_be_is_refused(call: Callable[[], object], reason: str) -> None:
    with pytest.raises((InputError, IllConditionedError), match=reason):
        call()
