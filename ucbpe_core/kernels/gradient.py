"""Gradients of kernels, and how steep the draws of a prior are."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.kernels.base import Kernel, Product, Sum
from ucbpe_core.kernels.matern import Matern
from ucbpe_core.kernels.polynomial import Polynomial
from ucbpe_core.kernels.stationary import Stationary

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats

# Step, as a share of the coordinates' extent. The cube root of the rounding error balances it
# against the error of a central difference, which is of second order in the step.
_RELATIVE_STEP = 6e-6


@singledispatch
def weighted_gradient(kernel: Kernel, X: Floats, Z: Floats, weights: Floats) -> Floats:
    """Gradient at each z_j of sum over i of weights_ij k(x_i, z_j), shape (m, d).

    Shapes: X (n, d), Z (m, d), weights (n, m). By formula for the kernels of this package, their
    sums and products; by central differences for any other. Where x_i = z_j the gradient of a
    stationary kernel is taken as 0, even at a kink: it is the mean of the slopes around it.
    """
    extent = np.ptp(np.concatenate([X, Z]), axis=0)
    steps = _RELATIVE_STEP * np.where(extent > 0, extent, 1.0)
    slopes = [
        np.einsum("nm,nm->m", weights, kernel.cross(X, Z + move) - kernel.cross(X, Z - move))
        / (2 * move.sum())
        for move in np.diag(steps)
    ]
    return np.stack(slopes, axis=1)


@weighted_gradient.register(Stationary)
def _stationary(kernel: Stationary, X: Floats, Z: Floats, weights: Floats) -> Floats:
    """dk/dz = variance * radial_slope(r) / r^2 * (x - z) / lengthscale^2."""
    lengthscale = np.broadcast_to(kernel.lengthscale, X.shape[1])
    r = kernel._distance(X, Z)
    # The slope is 0 where r is; elsewhere the square of r must not underflow.
    pull = weights * kernel.variance * kernel.radial_slope(r) / np.maximum(r, 1e-150) ** 2
    # Differences first, as in the kernel itself: pull'X - sum(pull) z would cancel for small r.
    slopes = [
        np.einsum("nm,nm->m", pull, x[:, None] - z[None, :]) for x, z in zip(X.T, Z.T, strict=True)
    ]
    return np.stack(slopes, axis=1) / lengthscale**2


@weighted_gradient.register(Polynomial)
def _polynomial(kernel: Polynomial, X: Floats, Z: Floats, weights: Floats) -> Floats:
    """dk/dz = variance * degree * (x . z + offset)^(degree - 1) * x."""
    slope = kernel.variance * kernel.degree * (X @ Z.T + kernel.offset) ** (kernel.degree - 1)
    return (weights * slope).T @ X


@weighted_gradient.register(Sum)
def _sum(kernel: Sum, X: Floats, Z: Floats, weights: Floats) -> Floats:
    left = weighted_gradient(kernel.left, X, Z, weights)
    return left + weighted_gradient(kernel.right, X, Z, weights)


@weighted_gradient.register(Product)
def _product(kernel: Product, X: Floats, Z: Floats, weights: Floats) -> Floats:
    left = weighted_gradient(kernel.left, X, Z, weights * kernel.right.cross(X, Z))
    return left + weighted_gradient(kernel.right, X, Z, weights * kernel.left.cross(X, Z))


def slope_bound(kernel: Kernel, sides: Floats) -> float:
    """b = sqrt(2 max_j Var[df/dx_j]), for inputs in units of `sides` (d,); 1 where it is unknown.

    The partial derivatives of a draw f are normal: from this b on, P(|df/dx_j| > L) falls as
    exp(-(L / b)^2). For a stationary kernel of variance v and lengthscale l the variance of df/dx_j
    is v / l^2, times nu / (nu - 1) for a Matern kernel with nu > 1; with nu <= 1 f has no
    derivative, and v / l^2 stands for it. It is unknown for other kernels than these, their sums
    and their products.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.kernels.gradient import slope_bound
    >>> slope_bound(RBF(lengthscale=0.5, variance=2.0), np.ones(2))
    4.0
    """
    with np.errstate(over="ignore", divide="ignore"):
        known = _variances(kernel, sides)
    return 1.0 if known is None else float(np.clip(np.sqrt(2 * known[1].max()), 1e-150, 1e150))


def _variances(kernel: Kernel, sides: Floats) -> tuple[float, Floats] | None:
    """The variance of f, and those of its partial derivatives (d,)."""
    match kernel:
        case Sum() | Product():
            left, right = _variances(kernel.left, sides), _variances(kernel.right, sides)
            if left is None or right is None:
                return None
            if isinstance(kernel, Sum):
                return left[0] + right[0], left[1] + right[1]
            return left[0] * right[0], left[1] * right[0] + left[0] * right[1]
        case Stationary():
            factor = 1.0
            if isinstance(kernel, Matern) and kernel.nu > 1:
                factor = kernel.nu / (kernel.nu - 1)
            lengthscales = np.asarray(kernel.lengthscale) / sides
            return kernel.variance, kernel.variance * factor / lengthscales**2
    return None
