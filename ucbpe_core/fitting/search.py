"""The searches of a fit: L-BFGS-B from several starts, and the digits of the best maximum.

A search ends where its arithmetic ends, which differs with the processor's BLAS kernel and the
number of threads. Newton steps lead to the maximum itself, as closely as double precision allows,
and rounding removes the digits that still differ.
"""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from ucbpe_core.assignment import Frozen
from ucbpe_core.ties import first_best
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core.fitting.likelihood import Objective
    from ucbpe_core.validation import Floats

# Fractional bits of the standardised values that the searches use.
_BITS = 36
# Searches that end this close, in nats, count as equal, and the first of them wins: which of two
# that lead to the same maximum ends higher depends on rounding.
_SAME = 1e-3
# Relative change of the objective at which the first searches stop: they only have to distinguish
# maxima, since the best one continues.
_EXPLORE: dict[str, Any] = {"ftol": 1e-5}
# The same for the last search: the objective is then within 1e-6 of its maximum.
_POLISH: dict[str, Any] = {"ftol": 1e-12, "gtol": 1e-6}
# By how much rounding may lower the objective, in nats: the likelihood ratio is 1.000001.
_TELLS = 1e-6
# Greatest step of the grid of a log parameter, where the objective is flat.
_COARSEST = -5
_DIFFERENCE = 1e-4  # of a log parameter, for second derivatives
_NEWTON = 3  # each step leaves about 1e-4 of the distance


@dataclass(frozen=True)
class Start(Frozen):
    """One local search: values of the objective where it began and ended (-inf if it failed).

    Examples
    --------
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> fit = fit_hyperparameters(GaussianProcess(RBF()), range(6), [0, 2, 1, 3, 2, 5], starts=3)
    >>> [(start.name, start.end >= start.begin) for start in fit.starts]
    [('data', True), ('random 1', True), ('random 2', True)]
    """

    name: str
    begin: float
    end: float
    theta: Floats | None = field(default=None, repr=False, compare=False)


def searched(
    exact: Objective, starts: int, rng: np.random.Generator, workers: int, given: float
) -> tuple[list[Start], int]:
    """All searches, and the index of the best, refined and rounded (`rounded`)."""
    objective = replace(exact, X=_without_last_bits(exact.X), y=_without_last_bits(exact.y))
    begins = objective.starting_points(starts, rng)
    with futures.ThreadPoolExecutor(workers) as pool:
        searches = list(pool.map(lambda start: _run_lbfgs(objective, *start, **_EXPLORE), begins))
    if given > max(search.end for search in searches):
        # The values given beat what the data suggest, so a better maximum is near them.
        searches.append(_run_lbfgs(objective, "given", objective.given(), **_EXPLORE))
    winner = first_best(np.array([search.end for search in searches]), _SAME)
    best = searches[winner]
    if best.theta is not None:
        polished = _run_lbfgs(objective, best.name, best.theta, **_POLISH)
        if polished.theta is not None:
            theta = read_only(rounded(objective, polished.theta))
            searches[winner] = replace(polished, begin=best.begin, theta=theta)
    return searches, winner


def _without_last_bits(values: Floats) -> Floats:
    """Standardised values without their last bits, which hold rounding by the units.

    Where the surface has ridges, a last bit can lead a search to another maximum.
    """
    return np.ldexp(np.round(np.ldexp(values, _BITS)), -_BITS)


def _run_lbfgs(objective: Objective, name: str, theta: Floats, **options: Any) -> Start:
    """One local search from theta."""
    begin = -objective(theta)[0]
    box = list(zip(*objective.bounds(), strict=True))
    how: dict[str, Any] = {"method": "L-BFGS-B", "bounds": box, "options": options}
    if not len(theta):  # only the mean is fitted
        return Start(name, begin, begin, theta)
    result = scipy.optimize.minimize(objective, theta, jac=True, **how)
    if not np.isfinite(result.fun):
        return Start(name, begin, -np.inf)
    return Start(name, begin, -float(result.fun), read_only(result.x))


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
