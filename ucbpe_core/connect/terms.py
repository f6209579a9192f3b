"""Sums and products of kernels, with noise among them, as other libraries have them.

Other libraries have a kernel for noise. Here noise is a parameter of the process: `Terms` keeps the
two apart while a tree of kernels is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import Constant, Product, Sum

if TYPE_CHECKING:
    from ucbpe_core.kernels import Kernel


@dataclass(frozen=True)
class Terms:
    """k(x, z) + noise [x and z are the same measurement].

    Examples
    --------
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.connect.terms import Terms
    >>> from ucbpe_core.kernels import Constant
    >>> terms = Terms(Constant(2.0)) * Terms(RBF(0.5)) + Terms(noise=0.1)
    >>> terms.process()
    GaussianProcess(kernel=RBF(lengthscale=0.5, variance=2.0), noise_variance=0.1, mean=0.0)
    """

    kernel: Kernel | None = None
    noise: float = 0.0

    def __add__(self, other: Terms) -> Terms:
        left, right = self.kernel, other.kernel
        both = left + right if left and right else left or right
        return Terms(both, self.noise + other.noise)

    def __mul__(self, other: Terms) -> Terms:
        """Term by term; noise keeps only the diagonal of the other factor."""
        left, right = self.kernel, other.kernel
        noise = self.noise * other.noise
        if self.noise and right:
            noise += self.noise * _variance(right)
        if other.noise and left:
            noise += other.noise * _variance(left)
        return Terms(_product(left, right) if left and right else None, noise)

    def process(self, mean: float = 0.0, noise: float = 0.0, scale: float = 1.0) -> GaussianProcess:
        """The prior of scale * f + mean, with `noise` added to that of the terms.

        Raises
        ------
        InputError
            If there is nothing but noise.
        """
        if self.kernel is None:
            raise InputError("a kernel with more than noise", "none", "add e.g. an RBF")
        square = scale**2
        return GaussianProcess(
            _product(Constant(square), self.kernel), square * (self.noise + noise), mean
        )


def _product(left: Kernel, right: Kernel) -> Kernel:
    """The product; a constant factor is one of the variance."""
    if isinstance(right, Constant):
        left, right = right, left
    if isinstance(left, Constant):
        return right if left.variance == 1 else left.variance * right
    return left * right


def _variance(kernel: Kernel) -> float:
    """k(x, x) of a kernel with constant variance."""
    match kernel:
        case Sum():
            return _variance(kernel.left) + _variance(kernel.right)
        case Product():
            return _variance(kernel.left) * _variance(kernel.right)
    if kernel.stationary:
        return kernel.parameters[kernel.parameter_names.index("variance")]
    wanted = "noise times a kernel of constant variance"
    raise InputError(wanted, repr(kernel), "add the noise instead of multiplying it")
