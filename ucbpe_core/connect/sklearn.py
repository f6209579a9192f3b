"""Kernels and fitted regressors of scikit-learn, both ways.

Converted kernels give the same covariances to rounding, so predictions agree.

Examples
--------
>>> from sklearn.gaussian_process import kernels
>>> from ucbpe_core.connect.sklearn import from_sklearn, to_sklearn
>>> gp = from_sklearn(2.0 * kernels.RBF(0.5) + kernels.WhiteKernel(0.1))
>>> gp
GaussianProcess(kernel=RBF(lengthscale=0.5, variance=2.0), noise_variance=0.1, mean=0.0)
>>> to_sklearn(gp)
1.41**2 * RBF(length_scale=0.5) + WhiteKernel(noise_level=0.1)
"""

from __future__ import annotations

import numpy as np

from ucbpe_core import kernels as ours
from ucbpe_core.connect.terms import Terms
from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.validation import instance, numeric, real

optional("sklearn", "sklearn")  # says what to install

from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process import kernels as theirs  # noqa: E402

_LARGEST_POWER = 32
# Kernels of variance 1 here and there, and what their fields are called there; others have
# parameters of another kind.
_SAME: tuple[tuple[type[ours.Kernel], type[theirs.Kernel], dict[str, str]], ...] = (
    (ours.RBF, theirs.RBF, {"lengthscale": "length_scale"}),
    (ours.Matern, theirs.Matern, {"lengthscale": "length_scale", "nu": "nu"}),
    (
        ours.RationalQuadratic,
        theirs.RationalQuadratic,
        {"lengthscale": "length_scale", "alpha": "alpha"},
    ),
)


def from_sklearn(model: GaussianProcessRegressor | theirs.Kernel) -> GaussianProcess:
    """The prior of a regressor of scikit-learn, fitted or not, or that of a kernel alone.

    `WhiteKernel` and `alpha` become the noise variance. With ``normalize_y`` the prior of a fitted
    regressor has the mean and the scale of its data. `DotProduct` is a polynomial of degree 1, and
    without sigma_0 a linear kernel. `ExpSineSquared` is a periodic kernel of one input.

    Raises
    ------
    InputError
        For a kernel that has no equivalent here, parameters that are not numbers, noise that is
        multiplied by a kernel whose variance depends on x, or a noise variance for each value: pass
        these to `condition`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from ucbpe_core.connect.sklearn import from_sklearn
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([3.0, 5.0, 4.0])
    >>> regressor = GaussianProcessRegressor(RBF(), alpha=0.1, normalize_y=True).fit(X, y)
    >>> ours = from_sklearn(regressor).condition(X, y).predict([0.5, 1.5])
    >>> np.allclose(ours.mean, regressor.predict([[0.5], [1.5]]))
    True
    """
    if isinstance(model, theirs.Kernel):
        return _terms(model).process()
    if not isinstance(model, GaussianProcessRegressor):
        got = type(model).__name__
        raise InputError("a GaussianProcessRegressor or a kernel", got, "pass regressor.kernel_")
    if np.ndim(model.alpha):
        remedy = "leave it at its default, and pass the noise to condition(X, y, noise_variance)"
        raise InputError("one alpha for all values", f"{np.size(model.alpha)}", remedy)
    kernel = getattr(model, "kernel_", model.kernel)
    kernel = theirs.ConstantKernel() * theirs.RBF() if kernel is None else kernel
    means, scales = (
        np.unique(getattr(model, name, default))
        for name, default in (("_y_train_mean", 0.0), ("_y_train_std", 1.0))
    )
    if len(means) > 1 or len(scales) > 1:
        raise InputError("one output", f"{max(len(means), len(scales))}", "convert each separately")
    return _terms(kernel).process(float(means[0]), real(model.alpha, "alpha"), float(scales[0]))


def to_sklearn(prior: GaussianProcess | ours.Kernel) -> theirs.Kernel:
    """The kernel for scikit-learn; for a process, with a `WhiteKernel` for its noise.

    The regressor has prior mean 0, so subtract the mean of the process from the values. A periodic
    kernel is the same for one input. White noise is the same at points that differ: in
    scikit-learn it belongs to a measurement, and here to a point.

    Raises
    ------
    InputError
        For a kernel that scikit-learn does not have, or anything else than a process or a kernel.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.connect.sklearn import to_sklearn
    >>> kernel = to_sklearn(GaussianProcess(RBF(0.5), noise_variance=0.1))
    >>> regressor = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    >>> regressor.fit([[0.0], [1.0]], [0.2, 0.7]).predict([[0.0]]).round(3)
    array([0.189])
    """
    if isinstance(prior, ours.Kernel):
        return _theirs(prior)
    instance(prior, GaussianProcess, "pass a process or a kernel of ucbpe_core")
    white = theirs.WhiteKernel(prior.noise_variance)
    return _theirs(prior.kernel) + white if prior.noise_variance > 0 else _theirs(prior.kernel)


def _terms(kernel: theirs.Kernel) -> Terms:
    """A tree of scikit-learn's kernels as `Terms`."""
    match kernel:
        case theirs.Sum():
            return _terms(kernel.k1) + _terms(kernel.k2)
        case theirs.Product():
            return _terms(kernel.k1) * _terms(kernel.k2)
        case theirs.Exponentiation():
            return _power(kernel)
        case theirs.WhiteKernel():
            return Terms(noise=real(kernel.noise_level, "noise_level"))
    return Terms(_ours(kernel))


def _ours(kernel: theirs.Kernel) -> ours.Kernel:
    match kernel:
        case theirs.ConstantKernel():
            return ours.Constant(real(kernel.constant_value, "constant_value"))
        case theirs.DotProduct():
            return _dot_product(kernel, 1)
        case theirs.ExpSineSquared():  # of a distance: ours for one input
            lengthscale = real(kernel.length_scale, "length_scale")
            return ours.Periodic((lengthscale,), (real(kernel.periodicity, "periodicity"),))
        case theirs.Matern() if kernel.nu == np.inf:
            return _ours(theirs.RBF(kernel.length_scale))
    for kind, other, names in _SAME:
        if type(kernel) is other:
            return kind(**{name: _value(kernel, its) for name, its in names.items()})
    wanted = "a kernel of scikit-learn that is no CompoundKernel or PairwiseKernel"
    raise InputError(wanted, repr(kernel), "write your own Kernel for it")


def _dot_product(kernel: theirs.DotProduct, degree: int) -> ours.Kernel:
    """(sigma_0^2 + x . z)^degree, which is linear where sigma_0 is 0 and the degree 1."""
    offset = real(kernel.sigma_0, "sigma_0") ** 2
    return ours.Polynomial(degree, offset) if offset > 0 or degree > 1 else ours.Linear()


def _power(kernel: theirs.Exponentiation) -> Terms:
    degree, base = int(real(kernel.exponent, "exponent")), kernel.kernel
    if degree != kernel.exponent or not 1 <= degree <= _LARGEST_POWER:
        wanted = f"a whole power from 1 to {_LARGEST_POWER}"
        raise InputError(wanted, f"{kernel.exponent}", "write your own Kernel for it")
    if isinstance(base, theirs.DotProduct):
        return Terms(_dot_product(base, degree))
    factor = total = _terms(base)
    for _ in range(degree - 1):
        total = total * factor
    return total


def _value(kernel: theirs.Kernel, name: str) -> float | tuple[float, ...]:
    value = numeric(getattr(kernel, name), name)
    return tuple(value.tolist()) if value.ndim else float(value)


def _theirs(kernel: ours.Kernel) -> theirs.Kernel:
    match kernel:
        case ours.Sum():
            return _theirs(kernel.left) + _theirs(kernel.right)
        case ours.Product():
            return _theirs(kernel.left) * _theirs(kernel.right)
        case ours.Constant():
            return theirs.ConstantKernel(kernel.variance)
        case ours.White():
            return theirs.WhiteKernel(kernel.variance)
    return theirs.ConstantKernel(getattr(kernel, "variance", 1.0)) * _shape(kernel)


def _shape(kernel: ours.Kernel) -> theirs.Kernel:
    """The kernel of variance 1."""
    if type(kernel) is ours.Polynomial:
        product = theirs.DotProduct(float(np.sqrt(kernel.offset)))
        return product if kernel.degree == 1 else product**kernel.degree
    if type(kernel) is ours.Linear:
        return theirs.DotProduct(0.0, "fixed")
    if type(kernel) is ours.Periodic and np.size(kernel.lengthscale) == np.size(kernel.period) == 1:
        return theirs.ExpSineSquared(*np.ravel([kernel.lengthscale, kernel.period]).tolist())
    for kind, other, names in _SAME:
        if type(kernel) is kind:
            return other(**{its: getattr(kernel, name) for name, its in names.items()})
    wanted = "a kernel of ucbpe_core, for inputs that all have one period"
    raise InputError(wanted, repr(kernel), "write it as a scikit-learn kernel")
