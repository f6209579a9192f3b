"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.kernels.base import Kernel
from ucbpe_core.validation import count, positive, set_checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Floats


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
    >>> from ucbpe_core import Polynomial
    >>> Polynomial(degree=2, offset=1.0).gram(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 2
    offset: float = 1.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, degree=count, offset=positive, variance=positive)

    def cross(self, X: Floats, Z: Floats) -> Floats:
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

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("offset", "variance")

    @property
    def log_parameters(self) -> Floats:
        return np.log([self.offset, self.variance])

    def with_log_parameters(self, theta: Floats) -> Polynomial:
        offset, variance = np.exp(theta)
        return replace(self, offset=float(offset), variance=float(variance))


def _products(X: Floats, Z: Floats) -> Floats:
    """x_i . z_j, shape (n, m): each number depends only on its two points.

    BLAS sums in an order that depends on the number of points, so the same covariance would differ
    by a rounding error for a subset of the candidates.
    """
    total = X[:, :1] * Z[:, 0]
    for x, z in zip(X.T[1:], Z.T[1:], strict=True):
        total += x[:, None] * z
    return total
