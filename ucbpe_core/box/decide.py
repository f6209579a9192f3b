"""One batch of GP-UCB-PE over a box: the rule of the finite case, each argmax by search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.box.acquisition import Acquisition, SuperlevelConstraint
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.region import RelevantRegion
from ucbpe_core.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from ucbpe_core.box.search import Optimum, Search
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Floats


def decide(
    posterior: Posterior,
    box: Floats,
    search: Search,
    t: int,
    betas: tuple[float, float],
    indices: range,
) -> Decision:
    """x0 = argmax of mean + sqrt(beta_t) std over the box (d, 2); then the argmax of the std inside
    R+ = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}, given the picks before.

    y_dot is the maximum of mean - sqrt(beta_t) std over the box (Contal et al. 2013, section 3).
    `betas` are beta_t and beta_(t+1), `indices` the numbers of the picks.
    """
    process = posterior.conditioned()
    root, wide = np.sqrt(betas[0]), Acquisition(process, box, 1.0, 2 * np.sqrt(betas[1]))
    lowest = search.maximise(Acquisition(process, box, 1.0, -root))
    picks = [search.maximise(Acquisition(process, box, 1.0, root))]
    stds = [float(Acquisition(process, box, 0.0, 1.0).values(picks[0].u[None])[0])]
    if len(indices) > 1:
        constraint, inside = _region_plus(search, wide, lowest, picks[0])
    while len(picks) < len(indices):
        posterior = posterior.hallucinate_points(to_box(box, picks[-1].u[None]))
        std = Acquisition(posterior.conditioned(), box, 0.0, 1.0)
        picks.append(inside.maximise(std, constraint))
        stds.append(picks[-1].value)
    roles = ["ucb", *["pe"] * (len(picks) - 1)]
    nowhere = frozen_copy([], np.bool_)
    return Decision.of(
        [
            Pick(*one)
            for one in zip(indices, roles, stds, [pick.value for pick in picks], strict=True)
        ],
        to_box(box, np.array([pick.u for pick in picks])),
        process.gp,
        t=t,
        n=len(process.X),
        betas=betas,
        relevant=RelevantRegion(lowest.value, nowhere, nowhere),
        signal=posterior.prior_variance,
    )


def to_unit(box: Floats, X: Floats) -> Floats:
    """Points X (k, d) in the units of the box (d, 2) as points of the unit cube, shape (k, d)."""
    low, high = box.T
    return read_only((X - low) / (high - low))


def to_box(box: Floats, U: Floats) -> Floats:
    """Points U (k, d) of the unit cube in the units of the box (d, 2), shape (k, d)."""
    low, high = box.T
    return frozen_copy(np.clip(low + (high - low) * U, low, high))


def _region_plus(
    search: Search, wide: Acquisition, lowest: Optimum, first: Optimum
) -> tuple[SuperlevelConstraint, Search]:
    """R+ as a constraint, and a search over it.

    Both points lie in it, whatever else the search finds; the second one unless beta falls fast.
    """
    known = np.array([lowest.u, first.u])
    heights = wide.values(known)
    constraint = SuperlevelConstraint(wide, min(lowest.value, float(heights[0])))
    return constraint, search.inside(constraint, known[heights >= constraint.level])
