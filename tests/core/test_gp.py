"""The prior and what data make of it: likelihood, draws, a prior from data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import multivariate_normal

from ucbpe_core import RBF, GaussianProcess, Kernel, Matern
from ucbpe_core.errors import TooLargeError
from ucbpe_core.gp.fitting import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.gp.kernels import Polynomial

from .reference import covariance, dense, examples
from .strategies import Instance, instances

FIGURE1 = GaussianProcess(Matern(nu=1.5, lengthscale=1.0, variance=1.0), noise_variance=0.01)


@examples(30)
@given(instances())
def test_log_marginal_likelihood(case: Instance) -> None:
    """It is the log density of a multivariate normal."""
    C = covariance(case.gp.kernel, case.X, case.X) + case.gp.noise_variance * np.eye(len(case.X))
    expected = 0.0
    if len(case.X):
        expected = multivariate_normal(np.full(len(case.X), case.gp.mean), C).logpdf(case.y)
    computed = log_marginal_likelihood(case.gp, case.X, case.y)
    assert computed == pytest.approx(expected, rel=1e-9, abs=1e-8)
    assert log_marginal_likelihood_gradient(case.gp, case.X, case.y)[0] == computed


@pytest.mark.parametrize(
    ("kernel", "noise", "data"),
    [(Matern(0.6, 2.0, nu=2.5), 0.01, ([], [])), (RBF(0.5), 0.1, ([0.1, 0.8], [2.0, 0.5]))],
)
def test_draws_have_the_mean_and_covariance(
    kernel: Kernel, noise: float, data: tuple[list[float], list[float]]
) -> None:
    """Of the prior and of a posterior: 4000 draws, within five standard errors."""
    gp, Z, rng = GaussianProcess(kernel, noise, mean=3.0), [0.0, 0.4, 1.0], np.random.default_rng(0)
    source = gp.condition(*data) if data[0] else gp
    draws = np.array([source.sample(Z, rng) for _ in range(4000)])
    x, y, z = np.array(data[0])[:, None], np.array(data[1]), np.array(Z)[:, None]
    mean, covariances = dense(gp, x, y, z)
    v = np.diag(covariances)
    assert (abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(v / 4000)).all()
    errors = np.sqrt((np.outer(v, v) + covariances**2) / 4000)
    assert (abs(np.cov(draws.T) - covariances) < 5 * errors).all()


def test_a_seed_settles_a_draw() -> None:
    """The same seed gives the same draw, another seed another; a generator moves on."""
    gp, X = GaussianProcess(RBF()), np.linspace(0, 1, 5)
    np.testing.assert_array_equal(gp.sample(X, 3), gp.sample(X, 3))
    assert not np.array_equal(gp.sample(X, 3), gp.sample(X, 4))
    process = gp.condition(X, X)
    np.testing.assert_array_equal(process.sample(X, 3), process.sample(X, 3))
    for source in (gp, process):  # several at once: the first is the one alone
        several = source.sample(X, 3, size=4)
        assert several.shape == (4, 5)
        np.testing.assert_allclose(several[0], source.sample(X, 3), rtol=1e-12)
    rng = np.random.default_rng(3)
    np.testing.assert_array_equal(gp.sample(X, rng), gp.sample(X, 3))
    assert not np.array_equal(gp.sample(X, rng), gp.sample(X, 3))


def test_too_many_points_for_joint_draws_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ucbpe_core.support.limits.free", lambda: 1e8)
    x = np.linspace(0, 1, 3000)
    for source in (FIGURE1, FIGURE1.condition([0.5], [1.0])):
        with pytest.raises(TooLargeError, match="free memory for draws at 3000 points"):
            source.sample(x)


def test_the_callers_arrays_are_copied() -> None:
    """Changing X and y afterwards changes nothing."""
    X, y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
    process = FIGURE1.condition(X, y)
    before = process.predict([0.3]).mean
    X[:], y[:] = 9.0, 9.0
    np.testing.assert_array_equal(process.predict([0.3]).mean, before)
    np.testing.assert_array_equal(process.X, [[0.0], [1.0]])


def test_a_prior_from_data() -> None:
    """Mean, variance, noise and lengthscales are those of the data, in any units."""
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 2)) * [300.0, 0.01], 1000 + 5 * rng.standard_normal(12)
    gp = GaussianProcess.from_data(X, y, kernel=Matern(lengthscale=7.0, variance=9.0, nu=1.5))
    assert gp.mean == pytest.approx(y.mean())
    assert isinstance(gp.kernel, Matern)
    assert gp.kernel.nu == 1.5
    scales = [*np.ptp(X, axis=0) / 3, np.var(y, ddof=1)]
    np.testing.assert_allclose(gp.kernel.log_parameters, np.log(scales), atol=1e-12)
    assert gp.noise_variance == pytest.approx(np.var(y, ddof=1) / 100)
    other = GaussianProcess.from_data(X * 1e3, (y - 1000) * 1e-4)
    assert isinstance(other.kernel, Matern)
    assert other.kernel.nu == 2.5
    np.testing.assert_allclose(
        other.kernel.log_parameters - gp.kernel.log_parameters,
        np.log([1e3, 1e3, 1e-8]), atol=1e-9,
    )  # fmt: skip
    wide = GaussianProcess.from_data(X, y, domain=[[0.0, 0.0], [600.0, 0.03]], noise_variance=0.2)
    np.testing.assert_allclose(wide.kernel.lengthscale, (200.0, 0.01))  # type: ignore[attr-defined]
    assert wide.noise_variance == 0.2


@pytest.mark.parametrize("y", [[1e300, 1e300], [1e300, -1e300], [1e-300, 1e-300], [0.0, 0.0]])
def test_a_prior_from_data_whose_squares_are_no_numbers_has_variance_1(y: list[float]) -> None:
    gp = GaussianProcess.from_data([0.0, 3.0], y)
    assert (gp.mean, gp.kernel.parameters[-1]) == (np.mean(y), 1.0)


@pytest.mark.parametrize(
    "kernel", [RBF() + Matern(), RBF() * Polynomial(1), 3 * RBF() + Polynomial(2)]
)
def test_a_prior_from_data_of_any_kernel(kernel: Kernel) -> None:
    """Its prior variance, the mean of it at the points, is the variance of y."""
    rng = np.random.default_rng(1)
    X, y = rng.random((9, 2)), rng.standard_normal(9)
    gp = GaussianProcess.from_data(X, y, kernel)
    assert gp.kernel.diagonal(X).mean() == pytest.approx(np.var(y, ddof=1))


@pytest.mark.parametrize(("noise", "resolved"), [(0.0, False), (1e-30, False), (0.1, True)])
def test_noise_below_the_floor_is_no_noise(noise: float, resolved: bool) -> None:
    """The floor is used in its place, and f is then known after one measurement."""
    assert GaussianProcess(RBF(), noise).resolves(1.0) == resolved
