"""The searches of a fit: L-BFGS-B from several starts, and the best one refined."""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from ucbpe_core.assignment import Frozen
from ucbpe_core.fitting.rounding import rounded
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core.fitting.objective import Objective
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
    """All searches, and the index of the best, refined and rounded (`rounding.rounded`)."""
    objective = replace(exact, X=_without_last_bits(exact.X), y=_without_last_bits(exact.y))
    begins = objective.starting_points(starts, rng)
    with futures.ThreadPoolExecutor(workers) as pool:
        searches = list(pool.map(lambda one: _run_lbfgs(objective, *one, **_EXPLORE), begins))
    if given > max(one.end for one in searches):
        # The values given beat what the data suggest, so a better maximum is near them.
        searches.append(_run_lbfgs(objective, "given", objective.given(), **_EXPLORE))
    ends = [one.end for one in searches]
    winner = next(i for i, end in enumerate(ends) if end >= max(ends) - _SAME)
    best = searches[winner]
    if best.theta is not None:
        polished = _run_lbfgs(objective, best.name, best.theta, **_POLISH)
        if polished.theta is not None:
            theta = read_only(rounded(objective, polished.theta))
            end = -exact(theta)[0]
            searches[winner] = replace(polished, begin=best.begin, end=end, theta=theta)
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
