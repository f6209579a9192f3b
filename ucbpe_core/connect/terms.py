"""Sums and products of kernels, with constants and noise among them, as other libraries have them.

Other libraries have kernels for constants and for noise. Here noise is a parameter of the process,
and a constant is an RBF of extremely long lengthscale. `Terms` keeps the three apart while a tree
of kernels is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF, Kernel, Product, Stationary, Sum

if TYPE_CHECKING:
    from collections.abc import Iterable

# For any data r is then 0 to the last bit, so an RBF of this lengthscale is constant.
CONSTANT_LENGTHSCALE = 1e300


@dataclass(frozen=True)
class Terms:
    """k(x, z) + constant + noise [x and z are the same measurement].

    Examples
    --------
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.connect.terms import Terms
    >>> terms = Terms(constant=2.0) * Terms(RBF(0.5)) + Terms(noise=0.1)
    >>> terms.process()
    GaussianProcess(kernel=RBF(lengthscale=0.5, variance=2.0), noise_variance=0.1, mean=0.0)
    """

    kernel: Kernel | None = None
    constant: float = 0.0
    noise: float = 0.0

    def __add__(self, other: Terms) -> Terms:
        constant, noise = self.constant + other.constant, self.noise + other.noise
        return Terms(_sum([self.kernel, other.kernel]), constant, noise)

    def __mul__(self, other: Terms) -> Terms:
        """Term by term; noise keeps only the diagonal of the other factor."""
        both = None
        if self.kernel is not None and other.kernel is not None:
            both = self.kernel * other.kernel
        scaled = [_scaled(self.kernel, other.constant), _scaled(other.kernel, self.constant)]
        noise = self.noise * other.noise
        if self.noise:
            noise += self.noise * other.diagonal
        if other.noise:
            noise += other.noise * self.diagonal
        return Terms(_sum([both, *scaled]), self.constant * other.constant, noise)

    @property
    def diagonal(self) -> float:
        """k(x, x) + constant, where that is the same at every x."""
        return self.constant + (0.0 if self.kernel is None else _variance(self.kernel))

    def whole_kernel(self) -> Kernel:
        """The kernel and the constant as one kernel.

        Raises
        ------
        InputError
            If there is neither.
        """
        constant = RBF(CONSTANT_LENGTHSCALE, self.constant) if self.constant > 0 else None
        whole = _sum([self.kernel, constant])
        if whole is None:
            raise InputError("a kernel with more than noise", "none", "add e.g. an RBF")
        return whole

    def process(self, mean: float = 0.0, noise: float = 0.0, scale: float = 1.0) -> GaussianProcess:
        """The prior of scale * f + mean, with `noise` added to that of the terms."""
        kernel = self.whole_kernel()
        square = scale**2
        kernel = kernel if square == 1 else square * kernel
        return GaussianProcess(kernel, square * (self.noise + noise), mean)


def is_constant(kernel: Kernel) -> bool:
    """Whether it is the kernel that `Terms` makes of a constant.

    Examples
    --------
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.connect.terms import is_constant, Terms
    >>> is_constant(Terms(constant=2.0).whole_kernel()), is_constant(RBF(5.0))
    (True, False)
    """
    return isinstance(kernel, RBF) and kernel.lengthscale == CONSTANT_LENGTHSCALE


def _sum(kernels: Iterable[Kernel | None]) -> Kernel | None:
    total: Kernel | None = None
    for kernel in kernels:
        if kernel is not None:
            total = kernel if total is None else total + kernel
    return total


def _scaled(kernel: Kernel | None, factor: float) -> Kernel | None:
    return None if kernel is None or factor == 0 else kernel if factor == 1 else factor * kernel


def _variance(kernel: Kernel) -> float:
    """k(x, x) of a kernel with constant variance."""
    if isinstance(kernel, Stationary):
        return kernel.variance
    if isinstance(kernel, Sum):
        return _variance(kernel.left) + _variance(kernel.right)
    if isinstance(kernel, Product):
        return _variance(kernel.left) * _variance(kernel.right)
    wanted = "noise times a kernel of constant variance"
    raise InputError(wanted, repr(kernel), "add the noise instead of multiplying it")
