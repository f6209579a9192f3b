"""One batch of GP-UCB-PE over a box: the rule of the finite case, each argmax by search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.box.acquisition import Acquisition, SuperlevelConstraint
from ucbpe_core.box.exclusion import Exclusion, knows
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.region import RelevantRegion
from ucbpe_core.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from ucbpe_core.box.search import Optimum, Search
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Floats, Repeats


def decide(
    posterior: Posterior,
    box: Floats,
    search: Search,
    t: int,
    betas: tuple[float, float],
    indices: range,
    exclusion: Exclusion | None = None,
    repeats: Repeats = "allow",
) -> Decision:
    """x0 = argmax of mean + sqrt(beta_t) std over the box (d, 2); then the argmax of the std inside
    R+ = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}, given the picks before.

    y_dot is the maximum of mean - sqrt(beta_t) std over the box (Contal et al. 2013, section 3).
    `betas` are beta_t and beta_(t+1), `indices` the numbers of the picks. No point that is excluded
    is picked. Under ``repeats="avoid"`` none is where f is known: once it is at all of R+, as far
    as the search finds, x1 .. come from the whole box, and the batch is smaller where it is known
    there too.

    Raises
    ------
    NothingLeftError
        If the search finds no point that can be picked.
    """
    process = posterior.conditioned()
    root, wide = np.sqrt(betas[0]), Acquisition(process, box, 1.0, 2 * np.sqrt(betas[1]))
    lowest = search.maximise(Acquisition(process, box, 1.0, -root))
    picks = [_first(search, Acquisition(process, box, 1.0, root), exclusion, repeats)]
    stds = [float(Acquisition(process, box, 0.0, 1.0).values(picks[0].u[None])[0])]
    exhausted = False
    if len(indices) > 1:
        region = _Region(search, *_region_plus(search, wide, lowest, picks[0]))
        picks, exhausted = _explored(
            posterior, box, region, picks[0], len(indices), exclusion, repeats
        )
    stds += [one.value for one in picks[1:]]
    roles = ["ucb", *["pe"] * (len(picks) - 1)]
    nowhere = frozen_copy([], np.bool_)
    return Decision.of(
        [
            Pick(*one)
            for one in zip(indices, roles, stds, [pick.value for pick in picks], strict=False)
        ],
        to_box(box, np.array([pick.u for pick in picks])),
        process.gp,
        t=t,
        n=len(process.X),
        betas=betas,
        relevant=RelevantRegion(lowest.value, nowhere, nowhere),
        signal=posterior.state.rows.prior_variance,
        exhausted=exhausted,
    )


class _Region(NamedTuple):
    """R+ as a constraint, with a search over it and one over the whole box."""

    everywhere: Search
    constraint: SuperlevelConstraint
    inside: Search


def _maximum(
    search: Search,
    acquisition: Acquisition,
    exclusion: Exclusion | None,
    constraint: SuperlevelConstraint | None = None,
) -> Optimum | None:
    """The greatest value found at a point that is not excluded; None where nothing is left."""
    found = search.maximise(acquisition, constraint)
    if exclusion is None or exclusion.holds(found.u[None])[0]:
        return found
    free = search.without(exclusion)
    return None if free is None else free.maximise(acquisition, constraint)


def _first(
    search: Search, upper: Acquisition, exclusion: Exclusion | None, repeats: Repeats
) -> Optimum:
    """The maximum of the upper bound over what can be picked."""
    if repeats == "avoid":
        own = Exclusion(np.empty((0, len(upper.box))), np.empty(0))
        exclusion = (exclusion or own)._replace(known=knows(upper.process, upper.box))
    found = _maximum(search, upper, exclusion)
    if found is None:
        remedy = "the search is complete: use best(), or allow() withdrawn picks"
        raise NothingLeftError("a point left to measure", "all known or withdrawn", remedy)
    return found


def _explored(
    posterior: Posterior,
    box: Floats,
    region: _Region,
    first: Optimum,
    size: int,
    exclusion: Exclusion | None,
    repeats: Repeats,
) -> tuple[list[Optimum], bool]:
    """`first` and the picks of pure exploration, and whether nothing was left in R+ for these."""
    picks, inside, exhausted = [first], True, False
    while len(picks) < size:
        if exclusion is not None:
            exclusion = exclusion.with_pick(picks[-1].u)
        posterior = posterior.hallucinate_points(to_box(box, picks[-1].u[None]))
        process = posterior.conditioned()
        std, known = Acquisition(process, box, 0.0, 1.0), knows(process, box)
        found = _maximum(region.inside, std, exclusion, region.constraint) if inside else None
        if found is None or known(found.u[None])[0]:
            exhausted |= len(picks) == 1
            if found is None or repeats == "avoid":  # go on over the whole box
                inside, found = False, _maximum(region.everywhere, std, exclusion)
            if found is None or (repeats == "avoid" and known(found.u[None])[0]):
                break
        picks.append(found)
    return picks, exhausted


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
