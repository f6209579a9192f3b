"""What data suggest for the hyperparameters of a kernel, in any units; how steep draws are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp.kernels.base import Active, Kernel, Product, Sum
from ucbpe_core.gp.kernels.elementary import Constant
from ucbpe_core.gp.kernels.stationary import Matern, Periodic, Stationary
from ucbpe_core.support.frozen import Frozen

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Booleans, Floats


@dataclass(frozen=True)
class Scales(Frozen):
    """Log parameters of a kernel, and which of them the data can determine.

    Attributes
    ----------
    logs : log parameters that the data suggest, shape (p,); one that is held keeps its value
    free : False for a parameter that another makes redundant, shape (p,)
    size : mean prior variance at the points, with these parameters
    """

    logs: Floats
    free: Booleans
    size: float


def scales_of(kernel: Kernel, X: Floats, variance: float | None) -> Scales:
    """The scales of a kernel for points X (n, d), of a mean prior variance of `variance`.

    What a parameter is follows from its unit: lengths, with unit "x", are the extents of X; with
    unit "x^2", the mean of |x|^2; numbers without a unit are kept. In a product only one factor has
    a free variance: the other would be redundant. Each term of a sum gets the full variance. If
    `variance` is None, the kernel's own variance is held.
    """
    match kernel:
        case Active():
            return scales_of(kernel.inner, kernel.of(X), variance)
        case Sum():
            left = scales_of(kernel.left, X, variance)
            right = scales_of(kernel.right, X, left.size if variance is None else variance)
            return _joined(left, right, left.size + right.size)
        case Product():
            # The first factor that has a variance keeps it free.
            by_left = "y^2" in kernel.left.parameter_units
            held = scales_of(kernel.right if by_left else kernel.left, X, None)
            rest = None if variance is None else variance / held.size
            fitted = scales_of(kernel.left if by_left else kernel.right, X, rest)
            left, right = (fitted, held) if by_left else (held, fitted)
            return _joined(left, right, left.size * right.size)
    return _of_leaf(kernel, X, variance)


def scales_within(kernel: Kernel, X: Floats, variance: float, domain: Floats) -> Scales:
    """As `scales_of`, with lengths that are the extents of `domain`, points (m, d)."""
    own, wide = scales_of(kernel, X, variance), scales_of(kernel, domain, variance)
    return replace(own, logs=np.where(lengths_of(kernel), wide.logs, own.logs))


def lengths_of(kernel: Kernel) -> Booleans:
    """Which hyperparameters are lengths, in the units of x, shape (p,)."""
    return np.array([unit == "x" for unit in kernel.parameter_units], dtype=bool)


def scaled_to(kernel: Kernel, X: Floats, variance: float) -> Kernel:
    """The kernel with a length of its own for each column of X (n, d), and of that prior variance.

    Lengths are a third of the extents of X; the prior variance is the mean at these points.
    """
    kernel = kernel.with_each(X.shape[1])
    suggested = scales_of(kernel, X, variance)
    kernel = kernel.with_log_parameters(suggested.logs - np.log(3.0) * lengths_of(kernel))
    # Each term of a sum has the full variance.
    return kernel if np.isclose(suggested.size, variance) else variance / suggested.size * kernel


def leaves(kernel: Kernel) -> tuple[Kernel, ...]:
    """The kernels that sums and products are made of."""
    if isinstance(kernel, Sum | Product):
        return (*leaves(kernel.left), *leaves(kernel.right))
    return (kernel,)


def slope_bound(kernel: Kernel, sides: Floats) -> float:
    """b = 2 max_j std[df/dx_j], for inputs in units of `sides` (d,); 1 where it is unknown.

    The partial derivatives of a draw f are normal: at each x, P(|df/dx_j| > L) falls as
    exp(-2 (L / b)^2). Half of that exponent is left for the supremum over x: see
    `policies.schedules.CompactBeta`. For a stationary kernel of variance v and lengthscale l the
    variance of df/dx_j is v / l^2, times nu / (nu - 1) for a Matern kernel with nu > 1; with
    nu <= 1 f has no derivative, and v / l^2 stands for it. For a periodic kernel it is
    v (2 pi / (period l))^2. It is unknown for other kernels than these, constants, and their sums
    and products.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> from ucbpe_core.gp.kernels.scales import slope_bound
    >>> slope_bound(RBF(lengthscale=0.5, variance=4.0), np.ones(2))
    8.0
    """
    with np.errstate(over="ignore", divide="ignore"):
        known = _variances(kernel, sides)
    return 1.0 if known is None else float(np.clip(2 * np.sqrt(known[1].max()), 1e-150, 1e150))


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
        case Active():
            inner, slopes = _variances(kernel.inner, sides[list(kernel.dims)]), np.zeros(len(sides))
            if inner is None:
                return None
            slopes[list(kernel.dims)] = inner[1]
            return inner[0], slopes
        case Stationary():
            factor = 1.0
            if isinstance(kernel, Matern) and kernel.nu > 1:
                factor = kernel.nu / (kernel.nu - 1)
            lengthscales = np.asarray(kernel.lengthscale) / sides
            return kernel.variance, kernel.variance * factor / lengthscales**2
        case Periodic():
            lengths = np.asarray(kernel.lengthscale) * kernel.period / (2 * np.pi * sides)
            return kernel.variance, kernel.variance / lengths**2
        case Constant():
            return kernel.variance, np.zeros(len(sides))
    return None


def _joined(left: Scales, right: Scales, size: float) -> Scales:
    logs = np.concatenate([left.logs, right.logs])
    return Scales(logs, np.concatenate([left.free, right.free]), size)


def _of_leaf(kernel: Kernel, X: Floats, variance: float | None) -> Scales:
    kernel.diagonal(X)  # raises if the kernel is for another number of inputs
    names, units, own = kernel.parameter_names, kernel.parameter_units, kernel.log_parameters
    every = zip(names, units, own.tolist(), strict=True)
    logs = np.array([_suggested(*each, X) for each in every], dtype=float)
    variances = np.array(units, dtype=object) == "y^2"
    if variance is not None and variances.any():
        logs[variances] = 0.0
        logs[variances] = np.log(variance / _size(kernel, logs, X))
    free = ~variances if variance is None else np.ones(len(names), dtype=bool)
    return Scales(logs, free, _size(kernel, logs, X))


def _size(kernel: Kernel, logs: Floats, X: Floats) -> float:
    return float(kernel.with_log_parameters(logs).diagonal(X).mean())


def _suggested(name: str, unit: str, own: float, X: Floats) -> float:
    """Log of the scale of a parameter that is no variance."""
    if unit == "x":
        extent = np.ptp(X, axis=0)
        several = name.endswith("]")
        extent = extent[[int(name[name.index("[") + 1 : -1])]] if several else extent[extent > 0]
        return float(np.log(extent.mean())) if len(extent) and extent.all() else 0.0
    if unit == "x^2":
        scale = float(np.einsum("nd,nd->n", X, X).mean())
        return float(np.log(scale)) if scale > 0 else 0.0
    return own
