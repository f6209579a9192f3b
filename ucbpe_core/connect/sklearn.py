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

from ucbpe_core.connect.terms import Terms, is_constant
from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial, Product, RationalQuadratic, Sum
from ucbpe_core.validation import instance, numeric, real

optional("sklearn", "sklearn")  # says what to install

from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process import kernels as theirs  # noqa: E402

_LARGEST_POWER = 32
_KNOWN = (
    "ConstantKernel, WhiteKernel, RBF, Matern, DotProduct, RationalQuadratic, "
    "and sums, products and whole powers of them"
)


def from_sklearn(model: GaussianProcessRegressor | theirs.Kernel) -> GaussianProcess:
    """The prior of a regressor of scikit-learn, fitted or not, or that of a kernel alone.

    `WhiteKernel` and `alpha` become the noise variance. With ``normalize_y`` the prior of a fitted
    regressor has the mean and the scale of its data. `DotProduct` is a polynomial of degree 1, and
    a constant that is added is an RBF of lengthscale 1e300, which is constant to the last bit.

    Raises
    ------
    InputError
        For a kernel that has no equivalent here, parameters that are no numbers, noise that is
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


def to_sklearn(prior: GaussianProcess | Kernel) -> theirs.Kernel:
    """The kernel for scikit-learn; for a process, with a `WhiteKernel` for its noise.

    The regressor has prior mean 0, so subtract the mean of the process from the values.

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
    if isinstance(prior, Kernel):
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
        case theirs.ConstantKernel():
            return Terms(constant=real(kernel.constant_value, "constant_value"))
        case theirs.WhiteKernel():
            return Terms(noise=real(kernel.noise_level, "noise_level"))
    return Terms(_ours(kernel))


def _ours(kernel: theirs.Kernel) -> Kernel:
    # In scikit-learn, Matern derives from RBF.
    match kernel:
        case theirs.Matern() if kernel.nu != np.inf:
            return Matern(_lengthscale(kernel), nu=real(kernel.nu, "nu"))
        case theirs.RBF():
            return RBF(_lengthscale(kernel))
        case theirs.DotProduct() if real(kernel.sigma_0, "sigma_0") > 0:
            return Polynomial(degree=1, offset=float(kernel.sigma_0) ** 2)
        case theirs.RationalQuadratic():
            return RationalQuadratic(_lengthscale(kernel), alpha=real(kernel.alpha, "alpha"))
    raise InputError(f"a kernel among {_KNOWN}", repr(kernel), "write your own Kernel for it")


def _power(kernel: theirs.Exponentiation) -> Terms:
    degree, base = int(real(kernel.exponent, "exponent")), kernel.kernel
    if degree != kernel.exponent or not 1 <= degree <= _LARGEST_POWER:
        wanted = f"a whole power from 1 to {_LARGEST_POWER}"
        raise InputError(wanted, f"{kernel.exponent}", "write your own Kernel for it")
    if isinstance(base, theirs.DotProduct) and real(base.sigma_0, "sigma_0") > 0:
        return Terms(Polynomial(degree=degree, offset=float(base.sigma_0) ** 2))
    factor = total = _terms(base)
    for _ in range(degree - 1):
        total = total * factor
    return total


def _lengthscale(kernel: theirs.Kernel) -> float | tuple[float, ...]:
    scale = numeric(kernel.length_scale, "length_scale")
    return tuple(scale.tolist()) if scale.ndim else float(scale)


def _theirs(kernel: Kernel) -> theirs.Kernel:
    match kernel:
        case Sum():
            return _theirs(kernel.left) + _theirs(kernel.right)
        case Product():
            return _theirs(kernel.left) * _theirs(kernel.right)
    variance = theirs.ConstantKernel(getattr(kernel, "variance", 1.0))
    return variance if is_constant(kernel) else variance * _shape(kernel)


def _shape(kernel: Kernel) -> theirs.Kernel:
    """The kernel of variance 1."""
    if type(kernel) is RBF:
        return theirs.RBF(kernel.lengthscale)
    if type(kernel) is Matern:
        return theirs.Matern(kernel.lengthscale, nu=kernel.nu)
    if type(kernel) is Polynomial:
        product = theirs.DotProduct(float(np.sqrt(kernel.offset)))
        return product if kernel.degree == 1 else product**kernel.degree
    if type(kernel) is RationalQuadratic:
        return theirs.RationalQuadratic(kernel.lengthscale, kernel.alpha)
    wanted = "RBF, Matern, Polynomial or RationalQuadratic, or sums and products of them"
    raise InputError(wanted, repr(kernel), "write it as a scikit-learn kernel")
