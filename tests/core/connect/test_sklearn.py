"""Kernels and regressors of scikit-learn: equal predictions on both sides."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as theirs

from ucbpe_core import RBF, GaussianProcess, InputError, Kernel, Matern
from ucbpe_core.connect.sklearn import from_sklearn, to_sklearn
from ucbpe_core.kernels import Constant, Linear, Periodic, Polynomial, RationalQuadratic, White

rng = np.random.default_rng(0)
X, Z = rng.random((25, 2)), rng.random((40, 2))
y = 30 + 4 * np.sin(7 * X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(25)

C, W, R, M = theirs.ConstantKernel, theirs.WhiteKernel, theirs.RBF, theirs.Matern
D, Q = theirs.DotProduct, theirs.RationalQuadratic
KERNELS = [
    C(3.0) * R([0.3, 0.8]) + W(0.1),
    C(2.0) * M(0.5, nu=1.5) * M(0.9, nu=0.5) + W(0.02),
    M(0.3, nu=np.inf) + W(0.05),
    (R(0.2) + W(0.1)) * (C(2.0) + M(0.5)),
    C(0.1) * D(1.2) ** 3 + W(0.02),
    (R(0.7) + W(0.4)) ** 2,
    C(0.5) * D(0.0, "fixed") + C(2.0) + Q(0.3) + W(0.01),
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
@pytest.mark.parametrize("kernel", KERNELS[:2], ids=repr)
def test_a_fitted_regressor(kernel: theirs.Kernel) -> None:
    """With hyperparameters that it found, and values that it standardised."""
    compare(kernel, normalize_y=True, alpha=1e-6)
    model = GaussianProcessRegressor(normalize_y=True, optimizer=None).fit(X, y)  # 1 * RBF(1)
    assert from_sklearn(model).kernel.variance == pytest.approx(np.var(y), rel=1e-12)


@pytest.mark.parametrize(
    ("kernel", "d"),
    [
        (RBF((0.4, 1.3, 2.0)), 3),
        *((Matern((0.3, 2.0), 0.5, nu=nu), 2) for nu in (0.5, 0.7, 2.0, 2.5, 9.3)),
        (RationalQuadratic(0.4, 2.0, alpha=0.7), 2),
        (Periodic(0.7, 1.3, 2.0), 1),
        (Linear(1.3), 3),
        (Polynomial(1, 0.7, 1.5), 2),
        (Polynomial(3, 0.7, 1.5), 2),
        ((RBF(0.4) + Matern()) * RBF(2.0) * Linear() + Constant(0.2), 2),
    ],
    ids=repr,
)
def test_there_and_back(kernel: Kernel, d: int) -> None:
    """Covariances agree to rounding, also of repeated points; of one kernel the object is equal."""
    X, Z = rng.uniform(-1, 1, (9, d)), rng.uniform(-1, 1, (5, d))
    X[-1] = X[0]
    other, again = to_sklearn(kernel), from_sklearn(to_sklearn(GaussianProcess(kernel, 0.02)))
    for own in (kernel, again.kernel):
        np.testing.assert_allclose(own.evaluate(X, Z), other(X, Z), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(own.gram(X), other(X), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(own.diagonal(X), other.diag(X), rtol=1e-12)
    assert again.noise_variance == 0.02
    if isinstance(kernel, RBF | Matern | RationalQuadratic):
        assert again.kernel == kernel
    assert to_sklearn(GaussianProcess(kernel, 0.0)) == other


def test_white_noise_is_the_same_at_points_that_differ() -> None:
    kernel = RBF() + White(0.3)
    np.testing.assert_allclose(to_sklearn(kernel)(X), kernel.gram(X), rtol=1e-13)


class Unknown(RBF):
    """A kernel with a formula of its own, for all that scikit-learn knows."""


TWO = GaussianProcessRegressor(R(), normalize_y=True, optimizer=None)
TWO.fit(X, np.stack([y, 3 * y], axis=1))


@pytest.mark.parametrize(
    ("convert", "given", "reason"),
    [
        (from_sklearn, theirs.PairwiseKernel() + W(), "a kernel of scikit-learn that is no"),
        (from_sklearn, R() ** 0.5, "a whole power"),
        (from_sklearn, W(0.1), "a kernel with more than noise"),
        (from_sklearn, D(1.0) * W(0.1), "noise times a kernel of constant variance"),
        (from_sklearn, GaussianProcessRegressor(R(), alpha=np.full(25, 0.1)), "one alpha.*got 25"),
        (from_sklearn, TWO, "one output; got 2"),
        (from_sklearn, "RBF", "a GaussianProcessRegressor or a kernel; got str"),
        (from_sklearn, theirs.RBF("1.5"), "length_scale to be numeric"),
        (to_sklearn, Unknown(), "a kernel of ucbpe_core"),
        (to_sklearn, Periodic(1.0, (1.0, 2.0)), "inputs that all have one period"),
        (to_sklearn, "RBF", "a GaussianProcess; got str; pass a process or a kernel"),
    ],
)
def test_what_has_no_equal_is_refused(convert, given, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        convert(given)
