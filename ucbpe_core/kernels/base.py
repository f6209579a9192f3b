"""The kernel interface, and sums and products of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.validation import positive

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Floats

# Step in a log parameter. The cube root of the rounding error balances it against the error of a
# central difference, which is of second order in the step.
_STEP = 6e-6


class Kernel(ABC):
    """A positive semi-definite covariance k(x, z) with p positive hyperparameters.

    Hyperparameters are read and replaced on the log scale, on which they are fitted.
    Instances are frozen: `with_log_parameters` returns a new kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Matern, Polynomial, RBF
    >>> kernel = 2 * RBF(lengthscale=0.3) + Matern(nu=1.5) * Polynomial(degree=1)
    >>> kernel.gram(np.array([[0.0], [1.0]])).round(3)
    array([[3.   , 0.491],
           [0.491, 4.   ]])
    """

    @abstractmethod
    def cross(self, X: Floats, Z: Floats) -> Floats:
        """Covariances k(x_i, z_j): points (n, d) and (m, d) to an (n, m) array."""

    @abstractmethod
    def diagonal(self, X: Floats) -> Floats:
        """Prior variances k(x_i, x_i): points (n, d) to an (n,) array."""

    @property
    @abstractmethod
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the p hyperparameters, in the order of `log_parameters`."""

    @property
    @abstractmethod
    def log_parameters(self) -> Floats:
        """Natural logarithms of the hyperparameters, shape (p,)."""

    @abstractmethod
    def with_log_parameters(self, theta: Floats) -> Kernel:
        """The same kernel with hyperparameters exp(theta), theta of shape (p,)."""

    @property
    def rounding_units(self) -> float:
        """Error of a value beyond its last bit, in units of 2^-52 of the prior variance."""
        return 0.0

    def gram(self, X: Floats) -> Floats:
        """Covariances k(x_i, x_j) of points (n, d) among themselves, shape (n, n)."""
        return self.cross(X, X)

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """`gram(X)`, and a function of weights (n, n) to sum_ij weights_ij d gram_ij / d theta
        (p,).

        The weights are symmetric. The default uses central differences in each log parameter; a
        kernel with a formula overrides it.
        """
        theta, steps = self.log_parameters, _STEP * np.eye(len(self.log_parameters))

        def contract(weights: Floats) -> Floats:
            grams = (self.with_log_parameters(theta + by).gram(X) for by in (*steps, *-steps))
            sums = np.array([np.vdot(weights, gram) for gram in grams]).reshape(2, len(theta))
            return (sums[0] - sums[1]) / (2 * _STEP)

        return self.gram(X), contract

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else self.scaled(other)

    def __rmul__(self, factor: float) -> Kernel:
        return self.scaled(factor)

    def scaled(self, factor: float) -> Kernel:
        """``factor * kernel``: the same kernel with its variance times a positive factor.

        Raises
        ------
        InputError
            For a factor that is not positive, or a kernel without a field ``variance``.
        """
        factor = positive(factor, "the factor of a kernel")
        if not hasattr(self, "variance"):
            got = type(self).__name__
            raise InputError("a kernel with a variance", got, "multiply it by another kernel")
        return replace(self, variance=factor * self.variance)  # type: ignore[type-var]


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels side by side: their hyperparameters are concatenated, left first."""

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        for part in (self.left, self.right):
            if not isinstance(part, Kernel):
                raise InputError("two kernels", repr(part), "combine kernels with + and * only")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return (
            *(f"left.{name}" for name in self.left.parameter_names),
            *(f"right.{name}" for name in self.right.parameter_names),
        )

    @property
    def log_parameters(self) -> Floats:
        return np.concatenate([self.left.log_parameters, self.right.log_parameters])

    @property
    def rounding_units(self) -> float:
        return self.left.rounding_units + self.right.rounding_units

    def _split(self, theta: Floats) -> tuple[Kernel, Kernel]:
        p = len(self.left.log_parameters)
        return self.left.with_log_parameters(theta[:p]), self.right.with_log_parameters(theta[p:])


@dataclass(frozen=True)
class Sum(_Pair):
    """k(x, z) = k1(x, z) + k2(x, z).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Matern, RBF
    >>> kernel = RBF() + Matern(lengthscale=0.1)
    >>> kernel.diagonal(np.zeros((1, 2))), kernel.parameter_names
    (array([2.]), ('left.lengthscale', 'left.variance', 'right.lengthscale', 'right.variance'))
    """

    def cross(self, X: Floats, Z: Floats) -> Floats:
        return self.left.cross(X, Z) + self.right.cross(X, Z)

    def diagonal(self, X: Floats) -> Floats:
        return self.left.diagonal(X) + self.right.diagonal(X)

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        left, by_left = self.left.gram_and_contraction(X)
        right, by_right = self.right.gram_and_contraction(X)
        return left + right, lambda w: np.concatenate([by_left(w), by_right(w)])

    def with_log_parameters(self, theta: Floats) -> Sum:
        return Sum(*self._split(theta))

    def scaled(self, factor: float) -> Sum:
        return Sum(self.left.scaled(factor), self.right.scaled(factor))


@dataclass(frozen=True)
class Product(_Pair):
    """k(x, z) = k1(x, z) k2(x, z).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Polynomial, RBF
    >>> kernel = RBF() * Polynomial(degree=1)
    >>> kernel.cross(np.array([[1.0]]), np.array([[1.0], [2.0]])).round(3)
    array([[2.  , 1.82]])
    """

    def cross(self, X: Floats, Z: Floats) -> Floats:
        return self.left.cross(X, Z) * self.right.cross(X, Z)

    def diagonal(self, X: Floats) -> Floats:
        return self.left.diagonal(X) * self.right.diagonal(X)

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        left, by_left = self.left.gram_and_contraction(X)
        right, by_right = self.right.gram_and_contraction(X)
        return left * right, lambda w: np.concatenate([by_left(w * right), by_right(w * left)])

    def with_log_parameters(self, theta: Floats) -> Product:
        return Product(*self._split(theta))

    def scaled(self, factor: float) -> Product:
        return Product(self.left.scaled(factor), self.right)
