"""Values that data suggest for the hyperparameters of a kernel, in any units of x and y."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.kernels import Polynomial, Product, Sum
from ucbpe_core.kernels.stationary import Stationary

if TYPE_CHECKING:
    from ucbpe_core.kernels import Kernel
    from ucbpe_core.validation import Booleans, Floats


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

    Lengthscales are the extents of X, a polynomial's offset is the mean of |x|^2. In a product only
    one factor has a free variance: the other would be redundant. Each term of a sum gets the full
    variance. If `variance` is None, the kernel's own variance is held.
    """
    if isinstance(kernel, Sum):
        left = scales_of(kernel.left, X, variance)
        right = scales_of(kernel.right, X, left.size if variance is None else variance)
        return _joined(left, right, left.size + right.size)
    if isinstance(kernel, Product):
        # The first factor that has a variance keeps it free.
        by_left = _has_variance(kernel.left)
        held = scales_of(kernel.right if by_left else kernel.left, X, None)
        rest = None if variance is None else variance / held.size
        fitted = scales_of(kernel.left if by_left else kernel.right, X, rest)
        left, right = (fitted, held) if by_left else (held, fitted)
        return _joined(left, right, left.size * right.size)
    return _of_one(kernel, X, variance)


def scales_within(kernel: Kernel, X: Floats, variance: float, domain: Floats) -> Scales:
    """As `scales_of`, with the lengthscales of the extents of `domain`, points (m, d)."""
    own, wide = scales_of(kernel, X, variance), scales_of(kernel, domain, variance)
    lengths = [short_name(name) == "lengthscale" for name in kernel.parameter_names]
    return replace(own, logs=np.where(lengths, wide.logs, own.logs))


def short_name(name: str) -> str:
    """What a hyperparameter is: "lengthscale" for "left.lengthscale[1]"."""
    return name.rsplit(".", 1)[-1].partition("[")[0]


def scaled_to(kernel: Kernel, X: Floats, variance: float) -> Kernel:
    """The kernel with a lengthscale for each column of X (n, d), and of that prior variance.

    Lengthscales are a third of the extents of X; the prior variance is the mean at these points.
    """
    kernel = _with_a_lengthscale_each(kernel, X.shape[1])
    suggested = scales_of(kernel, X, variance)
    names = kernel.parameter_names
    shorter = np.log(3.0) * np.array([short_name(name) == "lengthscale" for name in names])
    kernel = kernel.with_log_parameters(suggested.logs - shorter)
    # Each term of a sum has the full variance.
    return kernel if np.isclose(suggested.size, variance) else variance / suggested.size * kernel


def _with_a_lengthscale_each(kernel: Kernel, dimension: int) -> Kernel:
    if isinstance(kernel, Sum | Product):
        left, right = (
            _with_a_lengthscale_each(one, dimension) for one in (kernel.left, kernel.right)
        )
        return type(kernel)(left, right)
    if isinstance(kernel, Stationary) and isinstance(kernel.lengthscale, float) and dimension > 1:
        return replace(kernel, lengthscale=(kernel.lengthscale,) * dimension)
    return kernel


def _joined(left: Scales, right: Scales, size: float) -> Scales:
    logs = np.concatenate([left.logs, right.logs])
    return Scales(logs, np.concatenate([left.free, right.free]), size)


def _of_one(kernel: Kernel, X: Floats, variance: float | None) -> Scales:
    kernel.diagonal(X)  # raises if the kernel is for another number of inputs
    names, own = kernel.parameter_names, kernel.log_parameters
    logs = np.array([_shape(kernel, i, X) for i in range(len(names))])
    free = np.ones(len(names), dtype=bool)
    if "variance" in names:
        i = names.index("variance")
        logs[i] = own[i] if variance is None else np.log(variance / _size(kernel, logs, X))
        free[i] = variance is not None
    return Scales(logs, free, _size(kernel, logs, X))


def _size(kernel: Kernel, logs: Floats, X: Floats) -> float:
    return float(kernel.with_log_parameters(logs).diagonal(X).mean())


def _shape(kernel: Kernel, i: int, X: Floats) -> float:
    """Log of the scale of parameter i, not a variance; its own value if the scale is unknown."""
    name, own = kernel.parameter_names[i], float(kernel.log_parameters[i])
    extent = np.ptp(X, axis=0)
    if isinstance(kernel, Polynomial):
        scale = float(np.einsum("nd,nd->n", X, X).mean())
        return float(np.log(scale)) if name == "offset" and scale > 0 else 0.0
    if name == "lengthscale":
        extent = extent[extent > 0]
    elif name.startswith("lengthscale["):
        extent = extent[[int(name[len("lengthscale[") : -1])]]
    else:
        return 0.0 if name == "variance" else own
    return float(np.log(extent.mean())) if len(extent) and extent.all() else 0.0


def _has_variance(kernel: Kernel) -> bool:
    return any(name.rsplit(".", 1)[-1] == "variance" for name in kernel.parameter_names)
