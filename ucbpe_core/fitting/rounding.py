"""What a fit found, to the digits that the likelihood can tell.

A search ends where its arithmetic ends, which differs with the processor's BLAS kernel and the
number of threads. Newton steps lead to the maximum itself, as closely as double precision allows,
and rounding removes the digits that still differ.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.kernels import Product, Sum
from ucbpe_core.kernels.scales import short_name

if TYPE_CHECKING:
    from ucbpe_core.fitting.objective import Objective
    from ucbpe_core.kernels import Kernel
    from ucbpe_core.validation import Floats

# By how much rounding may lower the objective, in nats: the likelihood ratio is 1.000001.
_TELLS = 1e-6
# Greatest step of the grid of a log parameter, where the objective is flat.
_COARSEST = -5
_DIFFERENCE = 1e-4  # of a log parameter, for second derivatives
_NEWTON = 3  # each step leaves about 1e-4 of the distance
# Digits that any processor's exp and log agree on.
_DIGITS = 12


def rounded(objective: Objective, theta: Floats) -> Floats:
    """The maximum nearest to theta (q,), each log parameter a multiple of a power of two.

    With curvatures H_ii of the objective, a step of at most 2/q sqrt(2e-6 / H_ii) lowers it by at
    most 1e-6. A parameter on a bound stays on it.
    """
    lower, upper = objective.bounds()
    slope = -objective(theta)[1]
    pinned = ((theta <= lower) & (slope <= 0)) | ((theta >= upper) & (slope >= 0))
    inside = np.flatnonzero(~pinned)
    if not len(inside):
        return theta
    curvature = _curvature(objective, theta, inside)
    theta = _newton(objective, theta, inside, curvature)
    step = 2 / len(inside) * np.sqrt(2 * _TELLS / np.maximum(np.diag(curvature), 1e-12))
    grid = 2.0 ** np.minimum(np.floor(np.log2(step)), _COARSEST)
    theta = theta.copy()
    theta[inside] = np.round(theta[inside] / grid) * grid
    return np.clip(theta, lower, upper)


def rounded_mean(mean: float, information: float) -> float:
    """The least-squares mean, whose precision is `information`, on a grid as in `rounded`."""
    step = np.sqrt(2 * _TELLS / information) if information > 0 else 0.0
    if not (np.isfinite(step) and step > 0):
        return mean
    grid = 2.0 ** np.floor(np.log2(step))
    return float(np.round(mean / grid) * grid)


def significant(value: float) -> float:
    """`value` to twelve significant digits."""
    return float(f"{value:.{_DIGITS - 1}e}")


def tidied(kernel: Kernel, given: Kernel, fixed: list[bool]) -> Kernel:
    """`kernel` with twelve digits of what was fitted, and what is fixed as in `given`."""
    if isinstance(kernel, Sum | Product) and isinstance(given, Sum | Product):
        p = len(kernel.left.parameter_names)
        left = tidied(kernel.left, given.left, fixed[:p])
        return type(kernel)(left, tidied(kernel.right, given.right, fixed[p:]))
    own, changed = getattr(kernel, "__dataclass_fields__", {}), dict[str, Any]()
    for name in dict.fromkeys(map(short_name, kernel.parameter_names)):
        held = [
            still
            for full, still in zip(kernel.parameter_names, fixed, strict=True)
            if short_name(full) == name
        ]
        if name in own:
            now, before = getattr(kernel, name), getattr(given, name)
            changed[name] = _each(now, before, held)
    record: Any = kernel
    return replace(record, **changed) if changed else kernel


def _each(now: Any, before: Any, held: list[bool]) -> Any:
    if isinstance(now, tuple):
        every = zip(now, before, held, strict=True)
        return tuple(old if still else significant(new) for new, old, still in every)
    if isinstance(now, float):
        return before if held[0] else significant(now)
    return now


def _curvature(objective: Objective, theta: Floats, inside: Any) -> Floats:
    """Minus the second derivatives by theta[inside], from differences of the gradient."""
    rows = []
    for i in inside:
        step = _DIFFERENCE * (np.arange(len(theta)) == i)
        rows.append((objective(theta + step)[1] - objective(theta - step)[1])[inside])
    matrix = np.array(rows) / (2 * _DIFFERENCE)
    return 0.5 * (matrix + matrix.T)


def _newton(objective: Objective, theta: Floats, inside: Any, curvature: Floats) -> Floats:
    """A few Newton steps with one matrix of second derivatives, while they lead uphill."""
    try:
        np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return theta  # flat, or not a maximum in some direction
    value, gradient = objective(theta)
    lower, upper = objective.bounds()
    for _ in range(_NEWTON):
        move = np.zeros_like(theta)
        move[inside] = np.linalg.solve(curvature, gradient[inside])
        moved = np.clip(theta - move, lower, upper)
        if np.abs(move).max() > 0.1:
            break
        after, slope = objective(moved)
        if after > value + 1e-8 * (1 + abs(value)):
            break
        theta, value, gradient = moved, after, slope
    return theta
