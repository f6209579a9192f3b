"""Kernels and regressors of scikit-learn: equal predictions on both sides."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as theirs

from ucbpe_core import RBF, GaussianProcess, InputError, Matern
from ucbpe_core.connect.sklearn import from_sklearn, to_sklearn
from ucbpe_core.kernels import Polynomial, Product, RationalQuadratic, Sum

rng = np.random.default_rng(0)
X, Z = rng.random((25, 2)), rng.random((40, 2))
y = 30 + 4 * np.sin(7 * X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(25)

C, W, R, M, D = (
    theirs.ConstantKernel, theirs.WhiteKernel, theirs.RBF, theirs.Matern, theirs.DotProduct,
)  # fmt: skip
KERNELS = [
    R(0.4) + W(0.01),
    C(3.0) * R([0.3, 0.8]) + W(0.1),
    C(2.0) * M(0.5, nu=1.5) * M(0.9, nu=0.5) + W(0.02),
    M(0.3, nu=2.2) + C(5.0) + W(0.05),
    M(0.3, nu=np.inf) + W(0.05),
    C(2.0) * theirs.RationalQuadratic(0.4, alpha=0.7) + W(0.01),
    C(0.5) * (R(0.2) + C(2.0) * M(0.4, nu=2.5) + W(0.04)),
    (R(0.2) + W(0.1)) * (C(2.0) + M(0.5)),
    D(0.7) + C(0.5) * R(0.3) + W(0.01),
    C(0.1) * D(1.2) ** 3 + W(0.02),
    (R(0.7) + C(0.4)) ** 2 + W(0.03),
    (R(0.7) + W(0.4)) ** 2,
    C(2.0) * D(0.5) * R(0.6) + W(0.01),
]


def compare(kernel: theirs.Kernel, **options: object) -> None:
    """Predictions of a regressor of theirs, and those of what is made of it."""
    model = GaussianProcessRegressor(kernel, **options).fit(X, y)
    mean, std = model.predict(Z, return_std=True)
    gp = from_sklearn(model)
    own = gp.condition(X, y).predict(Z)
    np.testing.assert_allclose(own.mean, mean, rtol=1e-10)
    # Their std has that of the white kernel in it.
    white = gp.noise_variance - model.alpha * np.atleast_1d(model._y_train_std)[0] ** 2
    np.testing.assert_allclose(own.std**2 + white, std**2, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_predictions_agree(kernel: theirs.Kernel) -> None:
    compare(kernel, optimizer=None, alpha=0.003)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", KERNELS[:3], ids=repr)
def test_a_fitted_regressor(kernel: theirs.Kernel) -> None:
    """With hyperparameters that it found, and values that it standardised."""
    compare(kernel, normalize_y=True, alpha=1e-6)
    model = GaussianProcessRegressor(normalize_y=True, optimizer=None).fit(X, y)  # 1 * RBF(1)
    assert from_sklearn(model).kernel.variance == pytest.approx(np.var(y), rel=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.3, 2.0),
        Matern((0.3, 2.0), 0.5, nu=2.5),
        Polynomial(3, 0.7, 1.5),
        RationalQuadratic(0.4, 2.0, alpha=0.7),
        RBF(0.4) + 2 * Matern(1.5) * Polynomial(1),
        (RBF(0.4) + Matern()) * RBF(2.0),
    ],
    ids=repr,
)
def test_there_and_back(kernel: RBF) -> None:
    """The covariances, to rounding; and the same object where it is of one kernel."""
    gp = GaussianProcess(kernel, 0.02, mean=0.0)
    again = from_sklearn(to_sklearn(gp))
    assert again.noise_variance == 0.02
    np.testing.assert_allclose(again.kernel.evaluate(X, Z), kernel.evaluate(X, Z), rtol=1e-14)
    np.testing.assert_allclose(to_sklearn(kernel)(X, Z), kernel.evaluate(X, Z), rtol=1e-13)
    if not isinstance(kernel, Sum | Product | Polynomial):
        assert again.kernel == kernel
    assert to_sklearn(GaussianProcess(kernel, 0.0)) == to_sklearn(kernel)
    constant = from_sklearn(C(5.0) + R(0.3))
    assert to_sklearn(constant.kernel).k2 == C(5.0)


def test_what_has_no_equal_is_refused() -> None:
    for kernel, reason in (
        (theirs.ExpSineSquared() + W(), "a kernel among ConstantKernel"),
        (D(0.0), "a kernel among ConstantKernel"),
        (R() ** 0.5, "a whole power"),
        (W(0.1), "a kernel with more than noise"),
        (D(1.0) * W(0.1), "noise times a kernel of constant variance"),
    ):
        with pytest.raises(InputError, match=reason):
            from_sklearn(kernel)
    with pytest.raises(InputError, match="one alpha for all values; got 25"):
        from_sklearn(GaussianProcessRegressor(R(), alpha=np.full(25, 0.1)))
    two = GaussianProcessRegressor(R(), normalize_y=True, optimizer=None)
    two.fit(X, np.stack([y, 3 * y], axis=1))
    with pytest.raises(InputError, match="one output; got 2"):
        from_sklearn(two)
    with pytest.raises(InputError, match="a GaussianProcessRegressor or a kernel; got str"):
        from_sklearn("RBF")

    class Unknown(RBF):
        pass

    with pytest.raises(InputError, match="RBF, Matern, Polynomial or Rational"):
        to_sklearn(Unknown())


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (theirs.RBF("1.5"), "length_scale"),
        (theirs.RBF(np.timedelta64(1, "s")), "length_scale"),
        (theirs.RBF([1.0, 1j]), "length_scale"),
        (theirs.Matern(nu="2.5"), "nu"),
        (theirs.ConstantKernel("2") * theirs.RBF(), "constant_value"),
        (theirs.RBF() + theirs.WhiteKernel(1j), "noise_level"),
        (theirs.DotProduct("1"), "sigma_0"),
        (theirs.RBF() ** "2", "exponent"),
    ],
)
def test_parameters_that_are_no_numbers_are_refused(kernel: theirs.Kernel, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} to be (a number|numeric)"):
        from_sklearn(kernel)


def test_other_things_than_priors_are_refused() -> None:
    with pytest.raises(InputError, match="alpha to be a number; got '1'"):
        from_sklearn(GaussianProcessRegressor(alpha="1"))
    with pytest.raises(InputError, match="a GaussianProcess; got str; pass a process or a kernel"):
        to_sklearn("RBF")
