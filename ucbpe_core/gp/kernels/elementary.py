"""Kernels of few operations: constant, white noise, linear and polynomial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp.kernels.base import Kernel
from ucbpe_core.support.validation import count, set_checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class Constant(Kernel):
    """k(x, z) = variance: an unknown level of f, the same at all points.

    A term of a sum; as a factor of a product it scales the other one.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.gp.kernels import Constant
    >>> (RBF() + Constant(4.0)).gram(np.array([[0.0], [9.0]])).round(3)
    array([[5., 4.],
           [4., 5.]])
    """

    variance: float = 1.0

    stationary = True

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return np.full((len(X), len(Z)), self.variance)


@dataclass(frozen=True)
class White(Kernel):
    """k(x, z) = variance if x = z, else 0: f has an independent part at each point.

    A point has the same value of it whenever it is measured; what differs between measurements of
    one point is the noise variance of the process. If no point is measured twice, data cannot tell
    the two apart: fix one of them in a fit. By points, the gradient is 0 everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import White
    >>> White(0.5).gram(np.array([[0.0], [1.0], [1.0]]))
    array([[0.5, 0. , 0. ],
           [0. , 0.5, 0.5],
           [0. , 0.5, 0.5]])
    """

    variance: float = 1.0

    stationary = True

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        equal = np.ones((len(X), len(Z)), dtype=bool)
        for x, z in zip(X.T, Z.T, strict=True):
            equal &= x[:, None] == z
        return self.variance * equal


@dataclass(frozen=True)
class Linear(Kernel):
    """k(x, z) = variance * x . z: f is linear in x, and 0 at the origin.

    `variance` is the prior variance of each coefficient. Add `Constant` for an intercept.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import Linear
    >>> Linear(0.5).gram(np.array([[1.0, 0.0], [2.0, 2.0]]))
    array([[0.5, 1. ],
           [1. , 4. ]])
    """

    variance: float = 1.0

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.variance * _products(X, Z)

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """dk/dz = variance * x."""
        return self.variance * weights.T @ X


@dataclass(frozen=True)
class Polynomial(Kernel):
    """k(x, z) = variance * (x . z + offset)^degree.

    Parameters
    ----------
    degree : int, at least 1
        1 is Bayesian linear regression. It is not fitted.
    offset : positive float
        The c of (x . z + c)^degree, the weight of the lower-order terms.
    variance : positive float

    Raises
    ------
    InputError
        For a degree below 1, or an offset or variance that is not positive and finite.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import Polynomial
    >>> Polynomial(degree=2, offset=1.0).gram(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 2
    offset: float = field(default=1.0, metadata={"unit": "x^2"})
    variance: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, degree=count)

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.variance * (_products(X, Z) + self.offset) ** self.degree

    def diagonal(self, X: Floats) -> Floats:
        return self.variance * (np.einsum("nd,nd->n", X, X) + self.offset) ** self.degree

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """By log offset: variance * degree * base^(degree - 1) * offset; by log variance: k."""
        base = _products(X, X) + self.offset
        gram = self.variance * base**self.degree
        by_offset = self.variance * self.degree * base ** (self.degree - 1) * self.offset
        gradient = np.stack([by_offset, gram]).reshape(2, -1)
        return gram, lambda weights: gradient @ weights.ravel()

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """dk/dz = variance * degree * (x . z + offset)^(degree - 1) * x."""
        slope = self.variance * self.degree * (X @ Z.T + self.offset) ** (self.degree - 1)
        return (weights * slope).T @ X


def _products(X: Floats, Z: Floats) -> Floats:
    """x_i . z_j, shape (n, m): each number depends only on its two points.

    BLAS sums in an order that depends on the number of points, so the same covariance would differ
    by a rounding error for a subset of the candidates.
    """
    total = X[:, :1] * Z[:, 0]
    for x, z in zip(X.T[1:], Z.T[1:], strict=True):
        total += x[:, None] * z
    return total
