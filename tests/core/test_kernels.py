"""Kernels against their definitions, scikit-learn, finite differences and their limits."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gamma
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from ucbpe_core import RBF, InputError, Kernel, Matern, Polynomial
from ucbpe_core.kernels import Product, Sum

from .exact import DIGITS, covariance_of, distance
from .reference import covariance, examples, matern
from .strategies import Floats, kernels, scales, seeds, unit_points

EVERY_KIND = [
    RBF(0.7, 2.0),
    RBF((0.7, 1.9), 0.5),
    Matern(0.7, 2.0, nu=0.3),
    Matern(0.7, 2.0, nu=0.5),
    Matern(0.7, 2.0, nu=1.0),
    Matern((0.4, 1.3), 1.2, nu=1.5),
    Matern(0.7, 2.0, nu=2.5),
    Matern((0.4, 1.3), 1.2, nu=4.2),
    Polynomial(1, 0.5, 2.0),
    Polynomial(3, 0.5, 2.0),
    RBF(0.7) + Polynomial(2, 0.4, 1.5),
    Matern((0.4, 1.3), nu=2.5) * RBF(0.9, 0.4),
    (RBF(0.7) + Matern(0.5, nu=0.5)) * Polynomial(1),
]


def distances(r: Floats) -> tuple[Floats, Floats]:
    """The origin and points at distances r from it."""
    return np.zeros((1, 1)), np.asarray(r)[:, None]


def by_finite_differences(kernel: Kernel, X: Floats, step: float = 1e-5) -> Floats:
    """Central differences of the Gram matrix by each log parameter."""
    theta = kernel.log_parameters

    def moved(i: int, by: float) -> Floats:
        return kernel.with_log_parameters(theta + by * np.eye(len(theta))[i]).gram(X)

    parts = [(moved(i, step) - moved(i, -step)) / (2 * step) for i in range(len(theta))]
    return np.stack(parts)


@examples(100)
@given(st.data(), st.integers(1, 6), seeds)
def test_covariances_follow_the_formulas(data: st.DataObject, d: int, seed: int) -> None:
    """cross, gram and diagonal agree with the kernel's formula, and the Gram matrix is PSD."""
    kernel, rng = data.draw(kernels(d)), np.random.default_rng(seed)
    X, Z = unit_points(rng, 9, d), unit_points(rng, 5, d)
    X[-2:] = X[:2]
    np.testing.assert_allclose(kernel.evaluate(X, Z), covariance(kernel, X, Z), rtol=1e-11)
    np.testing.assert_allclose(kernel.gram(X), covariance(kernel, X, X), rtol=1e-11)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel.gram(X)), rtol=1e-12)
    eigenvalues = np.linalg.eigvalsh(kernel.gram(X))
    assert eigenvalues[0] >= -1e-12 * eigenvalues[-1]


@examples(200)
@given(st.floats(0.05, 30.0), st.lists(st.floats(1e-3, 20.0), min_size=1, max_size=8))
def test_matern_is_its_definition(nu: float, r: list[float]) -> None:
    """2^(1-nu) / Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) r, whatever nu."""
    computed = Matern(nu=nu).evaluate(*distances(r))[0]
    np.testing.assert_allclose(computed, matern(nu, np.array(r)), rtol=1e-10, atol=1e-280)


@pytest.mark.parametrize("nu", [1, 2, 3, 7, 0.5, 1.5, 2.5, 3.5, 7.5])
def test_integers_and_half_integers_are_no_exception(nu: float) -> None:
    """Neither they nor their neighbours step away from the definition."""
    origin, far = distances(np.geomspace(1e-3, 20, 40))
    expected = matern(nu, far[:, 0])
    for near in (nu - 1e-9, nu, nu + 1e-9):
        # The neighbours differ by what a change of 1e-9 in nu makes.
        atol = 1e-14 if near == nu else 1e-7
        computed = Matern(nu=near).evaluate(origin, far)[0]
        np.testing.assert_allclose(computed, expected, rtol=1e-11, atol=atol)


@pytest.mark.parametrize(
    ("nu", "polynomial"),
    [
        (0.5, lambda s: 1.0 + 0 * s),
        (1.5, lambda s: 1 + s),
        (2.5, lambda s: 1 + s + s**2 / 3),
        (3.5, lambda s: 1 + s + 2 * s**2 / 5 + s**3 / 15),
    ],
)
def test_closed_forms(nu: float, polynomial: object) -> None:
    """Half integers are a polynomial times exp(-s)."""
    r = np.linspace(0, 6, 50)
    s = np.sqrt(2 * nu) * r
    assert callable(polynomial)
    computed = Matern(nu=nu).evaluate(*distances(r))[0]
    np.testing.assert_allclose(computed, polynomial(s) * np.exp(-s), rtol=1e-12)


@examples(50)
@given(st.floats(0.5, 12.0), scales, seeds)
def test_matern_equals_scikit_learn(nu: float, lengthscale: float, seed: int) -> None:
    """A second implementation, repeated points included."""
    X = np.random.default_rng(seed).uniform(-1, 1, (8, 3))
    X[-1] = X[0]
    theirs = SklearnMatern(length_scale=lengthscale, nu=nu)(X)
    np.testing.assert_allclose(Matern(lengthscale, nu=nu).gram(X), theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5, 0.9, 1.0, 1.5, 2.0, 3.3, 20.0, 1000.0])
def test_nothing_breaks_as_points_meet(nu: float) -> None:
    """From r = 1 down to the least float the kernel rises to 1, without NaN or warning."""
    r = np.array([1.0, 1e-3, 1e-9, 1e-30, 1e-100, 1e-160, 1e-300, 5e-324, 0.0])
    k = Matern(nu=nu).evaluate(*distances(r))[0]
    assert np.isfinite(k).all()
    assert (np.diff(k) >= -2e-14).all()
    assert k.max() <= 1 + 2e-14
    assert k[-1] == 1.0
    gradient = gram_gradient(Matern(nu=nu), np.append(r, 0.0)[:, None])
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("nu", [0.05, 0.1, 0.3, 0.7])
def test_approach_to_the_limit(nu: float) -> None:
    """For nu < 1, 1 - k tends to Gamma(1-nu) / Gamma(1+nu) (s/2)^(2 nu)."""
    r = np.array([1e-6, 1e-8, 1e-10])
    s = np.sqrt(2 * nu) * r
    expected = gamma(1 - nu) / gamma(1 + nu) * (s / 2) ** (2 * nu)
    computed = 1 - Matern(nu=nu).evaluate(*distances(r))[0]
    np.testing.assert_allclose(computed, expected, rtol=1e-3, atol=1e-15)


def test_large_nu_tends_to_rbf() -> None:
    """The distance to RBF falls like 1 / nu."""
    origin, far = distances(np.linspace(0, 5, 60))
    limit = RBF().evaluate(origin, far)
    gaps = [np.abs(Matern(nu=nu).evaluate(origin, far) - limit).max() for nu in (10, 100, 1000)]
    assert gaps[2] < 3e-4
    np.testing.assert_allclose(np.divide(gaps[:2], gaps[1:]), 10, rtol=0.15)


def gram_gradient(kernel: Kernel, X: Floats) -> Floats:
    """d gram / d theta, shape (p, n, n), from two points at a time."""
    half = np.array([[0.0, 0.5], [0.5, 0.0]])
    found = np.empty((len(kernel.log_parameters), len(X), len(X)))
    for i, j in np.ndindex(len(X), len(X)):
        found[:, i, j] = kernel.gram_and_contraction(X[[i, j]])[1](half)
    return found


@examples(100)
@given(st.data(), st.integers(1, 4), seeds)
def test_gradients_of_random_kernels(data: st.DataObject, d: int, seed: int) -> None:
    """Gradients equal finite differences, repeated points included."""
    kernel = data.draw(kernels(d))
    X = unit_points(np.random.default_rng(seed), 6, d)
    X[-1] = X[0]
    exact = gram_gradient(kernel, X)
    assert exact.shape == (len(kernel.parameter_names), 6, 6)
    np.testing.assert_allclose(exact, by_finite_differences(kernel, X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=repr)
def test_gradient_of_every_kind(kernel: Kernel) -> None:
    """The kinds that random kernels may miss."""
    X = np.random.default_rng(0).uniform(-1, 1, (7, 2))
    X[-1] = X[0]
    expected = by_finite_differences(kernel, X)
    np.testing.assert_allclose(gram_gradient(kernel, X), expected, rtol=1e-6, atol=1e-7)


class Plain(Kernel):
    """A kernel of somebody else's: what the base class does for it."""

    def __init__(self, inner: Kernel) -> None:
        self.inner = inner

    def __repr__(self) -> str:
        return f"Plain({self.inner!r})"

    cross = property(lambda self: self.inner.cross)
    diagonal = property(lambda self: self.inner.diagonal)
    parameter_names = property(lambda self: self.inner.parameter_names)
    log_parameters = property(lambda self: self.inner.log_parameters)
    with_log_parameters = property(lambda self: self.inner.with_log_parameters)


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=repr)
def test_a_kernel_without_a_formula_has_differences(kernel: Kernel) -> None:
    X, rng = np.random.default_rng(0).uniform(-1, 1, (9, 2)), np.random.default_rng(1)
    weights = rng.normal(size=(9, 9))
    weights += weights.T
    gram, contract = Plain(kernel).gram_and_contraction(X)
    np.testing.assert_array_equal(gram, kernel.gram(X))
    exact = kernel.gram_and_contraction(X)[1](weights)
    np.testing.assert_allclose(contract(weights), exact, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=repr)
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_a_contraction_is_the_sum_with_the_gradient(kernel: Kernel, scale: float) -> None:
    """Far from the origin and at a thousandth of the lengthscale too, repeated points included."""
    rng = np.random.default_rng(1)
    X = 3 * scale + scale * rng.uniform(-1, 1, (30, 2))
    X[-1] = X[0]
    weights = rng.normal(size=(30, 30))
    weights += weights.T
    gram, contract = kernel.gram_and_contraction(X)
    np.testing.assert_array_equal(gram, kernel.gram(X))
    gradient = gram_gradient(kernel, X)
    size = np.einsum("pij,ij->p", np.abs(gradient), np.abs(weights))
    error = np.abs(contract(weights) - np.einsum("pij,ij->p", gradient, weights))
    assert (error <= 1e-11 * size).all(), error / size


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=repr)
def test_log_parameters_round_trip(kernel: Kernel) -> None:
    """Reading and replacing hyperparameters gives the same kernel back."""
    theta = kernel.log_parameters
    assert len(kernel.parameter_names) == len(theta) == len(set(kernel.parameter_names))
    again = kernel.with_log_parameters(theta)
    assert type(again) is type(kernel)
    np.testing.assert_allclose(again.log_parameters, theta, rtol=1e-14, atol=1e-14)
    moved = kernel.with_log_parameters(theta + 0.1)
    np.testing.assert_allclose(moved.log_parameters, theta + 0.1, rtol=1e-13, atol=1e-14)


def test_what_is_not_fitted_is_kept() -> None:
    """Smoothness and degree survive new hyperparameters."""
    theta = np.log([2.0, 3.0])
    rough = Matern(nu=0.8).with_log_parameters(theta)
    assert (rough.nu, rough.lengthscale) == (0.8, pytest.approx(2.0))
    assert Polynomial(3).with_log_parameters(theta).degree == 3


def test_kernels_combine() -> None:
    """+ and * add and multiply covariances, and concatenate hyperparameters left first."""
    X = np.random.default_rng(1).uniform(size=(5, 2))
    a, b = RBF(0.5, 2.0), Polynomial(2, 0.3)
    assert isinstance(a + b, Sum)
    assert isinstance(a * b, Product)
    np.testing.assert_array_equal((a + b).gram(X), a.gram(X) + b.gram(X))
    np.testing.assert_array_equal((a * b).gram(X), a.gram(X) * b.gram(X))
    assert (a + b).parameter_names == (
        "left.lengthscale",
        "left.variance",
        "right.offset",
        "right.variance",
    )


@pytest.mark.parametrize(
    ("kernel", "twice"),
    [
        (RBF(0.5, 3.0), RBF(0.5, 6.0)),
        (Matern((0.5, 1.0), nu=2.5), Matern((0.5, 1.0), 2.0, nu=2.5)),
        (Polynomial(3, 0.2, 0.5), Polynomial(3, 0.2, 1.0)),
        (RBF() + Matern(), RBF(1.0, 2.0) + Matern(1.0, 2.0)),
        (RBF() * Matern(), RBF(1.0, 2.0) * Matern()),
    ],
)
def test_a_number_scales_the_variance(kernel: Kernel, twice: Kernel) -> None:
    """From either side, by a float, an int or a NumPy scalar."""
    for two in (2, 2.0, np.float64(2.0), np.float32(2.0), np.int64(2)):
        assert two * kernel == kernel * two == twice
    X = np.random.default_rng(1).uniform(size=(5, 2))
    np.testing.assert_allclose((0.3 * kernel).gram(X), 0.3 * kernel.gram(X), rtol=1e-12)


@pytest.mark.parametrize("factor", [0, -1.0, np.nan, "2", None])
def test_factors_that_are_none(factor: object) -> None:
    with pytest.raises(InputError, match="the factor of a kernel"):
        RBF() * factor  # type: ignore[operator]


def test_nu_is_given_by_name() -> None:
    """Where a variance belongs, a smoothness would go unnoticed."""
    with pytest.raises(TypeError, match="positional"):
        Matern((20.0, 5.0), 1.0, 2.5)  # type: ignore[misc]
    assert Matern((20.0, 5.0), nu=2.5).nu == 2.5


def test_equal_lengthscales_are_one() -> None:
    """One lengthscale per dimension, all the same, is the scalar kernel; lists will do."""
    X = np.random.default_rng(2).uniform(size=(6, 3))
    for kernel in (RBF, Matern):
        np.testing.assert_allclose(kernel([0.4] * 3).gram(X), kernel(0.4).gram(X), rtol=1e-13)


def test_kernels_are_values() -> None:
    """Kernels compare, hash and cannot be changed."""
    assert RBF([1.0, 2.0]) == RBF((1.0, 2.0))
    assert len({RBF(), RBF(), Matern(), Matern(nu=2.5)}) == 3
    with pytest.raises(FrozenInstanceError):
        RBF().variance = 2.0


@pytest.mark.parametrize("kernel", [RBF, Matern])
@pytest.mark.parametrize("name", ["lengthscale", "variance"])
@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "long", "1.0", None])
def test_parameters_must_be_positive(kernel: type[Kernel], name: str, value: object) -> None:
    """Each is refused with its name and a remedy."""
    with pytest.raises(InputError, match=rf"expected {name}.*; got .*; pass a"):
        kernel(**{name: value})


@pytest.mark.parametrize("lengthscale", [(1.0, 0.0), (np.nan, 1.0), [1.0, "a"], (-1.0,)])
def test_each_lengthscale_must_be_positive(lengthscale: tuple[float, ...]) -> None:
    """One bad lengthscale among several is found."""
    with pytest.raises(InputError, match="expected lengthscale"):
        RBF(lengthscale)


@pytest.mark.parametrize("nu", [0, -0.5, np.nan, np.inf, 1001, "3/2"])
def test_smoothness_is_bounded(nu: float) -> None:
    """nu lies in (0, 1000]."""
    with pytest.raises(InputError, match="nu"):
        Matern(nu=nu)


@pytest.mark.parametrize(
    "parameters", [{"degree": 0}, {"degree": 1.5}, {"offset": 0}, {"variance": -1}]
)
def test_polynomial_parameters(parameters: dict[str, float]) -> None:
    """Whole degrees from 1, positive offset and variance."""
    with pytest.raises(InputError, match=next(iter(parameters))):
        Polynomial(**parameters)


def test_lengthscales_must_match_the_dimension() -> None:
    """Three lengthscales on planar points are refused when they meet."""
    with pytest.raises(InputError, match="expected 2 lengthscales, one per dimension; got 3"):
        RBF((1.0, 2.0, 3.0)).gram(np.zeros((4, 2)))


def test_kernels_combine_with_kernels_only() -> None:
    """A number is not a kernel."""
    with pytest.raises(InputError, match="expected two kernels; got 3"):
        RBF() + 3


# Where SciPy's K_nu was seen to be least accurate: just up to s = 2, the end of its power series.
@pytest.mark.parametrize("nu", [0.25, 0.848, 0.868, 1.9, 7.9])
def test_a_matern_kernel_is_off_by_no_more_than_its_rounding_units(nu: float) -> None:
    kernel = Matern(nu=nu)
    r = np.array([1e-8, 1e-3, 0.5, 1.99, 1.9996, 2 - 1e-6, 2.0, 2.5, 20.0]) / np.sqrt(2 * nu)
    exact = covariance_of(kernel)
    zero = [mp.mpf(0)]
    with mp.workdps(DIGITS):
        expected = [exact([mp.mpf(float(distance))], zero) for distance in r]
    errors = distance(expected, kernel.profile(r.copy()))
    assert errors.max() <= kernel.rounding_units * np.finfo(float).eps
