"""Standardised data for a fit, from any units of x and y."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.kernels import Polynomial, Product, Sum
from ucbpe_core.kernels.scales import scales_of
from ucbpe_core.kernels.stationary import Stationary

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.kernels import Kernel
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Units(Frozen):
    """Scales by which points and values are divided for a fit, and the effect on a process.

    Attributes
    ----------
    x : mean extent of the points along the inputs in which they differ
    y : standard deviation of the values
    shift : by how much that changes the log parameters of the kernel, shape (p,)
    """

    x: float
    y: float
    shift: Floats

    @classmethod
    def of(cls, kernel: Kernel, X: Floats, y: Floats) -> Units:
        """The units of points X (n, d) and values y (n,); 1 where the kernel's are unknown."""
        if not all(isinstance(one, Stationary | Polynomial) for one in leaves(kernel)):
            return cls(1.0, 1.0, np.zeros(len(kernel.log_parameters)))
        extent = np.ptp(X, axis=0)
        x, scale = float(extent[extent > 0].mean()) if extent.any() else 1.0, float(np.std(y))
        # What the data suggest has the units of the data.
        there, here = scales_of(kernel, X, scale**2).logs, scales_of(kernel, X / x, 1.0).logs
        return cls(x, scale, there - here)

    def into(self, gp: GaussianProcess) -> GaussianProcess:
        """The same process for X / x and y / y."""
        return self._changed(gp, -1)

    def back(self, gp: GaussianProcess) -> GaussianProcess:
        """The inverse of `into`."""
        return self._changed(gp, 1)

    def _changed(self, gp: GaussianProcess, sign: int) -> GaussianProcess:
        kernel = gp.kernel.with_log_parameters(gp.kernel.log_parameters + sign * self.shift)
        noise, scale = gp.noise_variance, self.y**sign
        return replace(gp, kernel=kernel, noise_variance=noise * scale**2, mean=gp.mean * scale)


def leaves(kernel: Kernel) -> tuple[Kernel, ...]:
    """The kernels that sums and products are made of."""
    if isinstance(kernel, Sum | Product):
        return (*leaves(kernel.left), *leaves(kernel.right))
    return (kernel,)
