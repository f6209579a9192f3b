"""One batch of GP-UCB-PE over a box: the rule of the finite case, each argmax by search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.box.search import Level, Peak, Search
from ucbpe_core.box.surface import Surface
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats


@dataclass(frozen=True, eq=False)
class BoxDecision:
    """One batch: K points in order, and the quantities at batch start that explain them.

    Attributes
    ----------
    t : iteration, from 1
    numbers : of the picks, counted from 0 over the whole experiment: what `tell` takes
    points : the picks, shape (K, d)
    roles : "ucb" for the first, "pe" for the others
    stds : deviation at each pick just before it was made, shape (K,)
    scores : value of the criterion that each pick maximised, shape (K,)
    beta, beta_next : beta_t and beta_(t+1)
    y_dot : the greatest lower bound found in the box
    n : points conditioned on at batch start, outstanding picks included
    known : picks whose value was known already without noise, shape (K,); see `Decision`
    """

    t: int
    numbers: tuple[int, ...]
    points: Floats
    roles: tuple[str, ...]
    stds: Floats
    scores: Floats
    beta: float
    beta_next: float
    y_dot: float
    n: int
    known: Booleans


def decide(
    belief: Posterior, search: Search, K: int, t: int, beta: float, beta_next: float, number: int
) -> BoxDecision:
    """x0 = argmax of mean + sqrt(beta_t) std over the box; then the argmax of the std inside
    R+ = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}, given the picks before.

    y_dot is the maximum of mean - sqrt(beta_t) std over the box (Contal et al. 2013, section 3).
    The first pick has the given number, the others those after it.
    """
    process = belief.conditioned()
    lowest = search.maximise(Surface(process, 1.0, -np.sqrt(beta)))
    first = search.maximise(Surface(process, 1.0, np.sqrt(beta)))
    points, scores = [first.point], [first.value]
    stds = [float(process.predict(first.point[None]).std[0])]
    if K > 1:
        wide = Surface(process, 1.0, 2 * np.sqrt(beta_next))
        level, inside = _region_plus(search, wide, lowest, first)
    for _ in range(K - 1):
        belief = belief.hallucinate_points(points[-1][None])
        peak = inside.maximise(Surface(belief.conditioned(), 0.0, 1.0), level)
        points.append(peak.point)
        scores.append(peak.value)
        stds.append(peak.value)
    return BoxDecision(
        t=t,
        numbers=tuple(range(number, number + K)),
        points=frozen_copy(points),
        roles=("ucb", *["pe"] * (K - 1)),
        stds=frozen_copy(stds),
        scores=frozen_copy(scores),
        beta=beta,
        beta_next=beta_next,
        y_dot=lowest.value,
        n=len(process.X),
        known=process.gp.knows(np.array(points), np.array(stds)),
    )


def _region_plus(search: Search, wide: Surface, lowest: Peak, first: Peak) -> tuple[Level, Search]:
    """R+ as a condition, and a search over it.

    Both points lie in it, whatever the search finds besides; the second unless beta falls fast.
    """
    known = np.array([lowest.point, first.point])
    heights = wide.values(known)
    level = Level(wide, min(lowest.value, float(heights[0])))
    return level, search.inside(level, known[heights >= level.least])
