"""Rules that several policies share: the pick of the largest score, and pure exploration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp import lazy, region, ties
from ucbpe_core.gp.ties import first_best
from ucbpe_core.policies.decision import Pick, fresh
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.decision import BatchContext
    from ucbpe_core.support.validation import Booleans, Floats


def pick_largest(
    score: Floats,
    posterior: Posterior,
    role: str,
    mask: Booleans | None = None,
    tolerance: float | Callable[[float], float] | None = None,
) -> Pick:
    """The lowest index inside the mask whose score (M,) is within `tolerance` of the largest.

    The default is that of means, for a score in units of y (see `ties`).

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import pick_largest
    >>> posterior = Posterior.prior(GaussianProcess(RBF(0.1)), range(5)).observe([1, 3], [0.5, 0.5])
    >>> pick_largest(posterior.mean, posterior, "greedy").index  # candidate 3 ties with it
    1
    """
    index = first_best(score, posterior.tolerance if tolerance is None else tolerance, mask)
    return Pick(index, role, float(posterior.std[index]), float(score[index]))


def pick_upper(
    posterior: Posterior, beta: float, role: str = "ucb", mask: Booleans | None = None
) -> Pick:
    """argmax over X, or the mask, of mean + sqrt(beta) std; ties to the lowest index.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import pick_upper
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([1], [0.5])
    >>> pick_upper(posterior, beta=4.0).index
    3
    """
    upper = region.upper(posterior, beta)
    # What ties by symmetry has the same std as the largest.
    best = (upper if mask is None else np.where(mask, upper, -np.inf)).argmax()
    tolerance = ties.of_bound(posterior, beta, float(posterior.std[best]))
    return pick_largest(upper, posterior, role, mask, tolerance)


def without_pending(posterior: Posterior) -> Posterior:
    """The posterior given what is measured alone: without the points hallucinated last.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import without_pending
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [3.0])
    >>> without_pending(posterior.hallucinate([0, 4])).n
    1
    """
    pending = np.isnan(posterior.y)
    return posterior.at(int(pending.argmax())) if pending.any() else posterior


def not_awaited(posterior: Posterior) -> Booleans | None:
    """Where no result is awaited: the candidates (M,) not hallucinated last; None for everywhere.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies.picking import not_awaited
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [3.0])
    >>> not_awaited(posterior.hallucinate([0, 4]))
    array([False,  True,  True,  True, False])
    """
    awaited = np.isnan(posterior.y)
    return ~candidates_at(posterior, awaited) if awaited.any() else None


def not_measured(posterior: Posterior) -> Booleans:
    """The candidates (M,) that have no result.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies.picking import not_measured
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [3.0])
    >>> not_measured(posterior.hallucinate([0, 4]))
    array([ True,  True, False,  True,  True])
    """
    return ~candidates_at(posterior, ~np.isnan(posterior.y))


def candidates_at(posterior: Posterior, which: Booleans) -> Booleans:
    """The candidates (M,) at some of the n points, `which` (n,).

    Of a posterior restricted to some candidates, points have no index: they are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies.picking import candidates_at
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(3)).observe([2, 0], [3.0, 1.0])
    >>> candidates_at(posterior, np.array([False, True]))
    array([ True, False, False])
    """
    X, found = posterior.candidates, np.zeros(len(posterior.candidates), dtype=bool)
    points, indices = posterior.points, posterior.conditioned_indices
    for i in np.flatnonzero(which):
        if indices[i] >= 0:
            found[indices[i]] = True
        else:
            found |= (points[i] == X).all(axis=1)
    return found


def before_each(posterior: Posterior, chosen: list[Pick], size: int) -> Iterator[Posterior]:
    """The posterior before each pick until there are `size`, with the earlier picks hallucinated.

    The caller appends each pick to `chosen`; picks that it already has come first.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import before_each, pick_upper
    >>> chosen = []
    >>> for posterior in before_each(Posterior.prior(GaussianProcess(RBF()), range(5)), chosen, 3):
    ...     chosen.append(pick_upper(posterior, beta=4.0))
    >>> [pick.index for pick in chosen]
    [0, 4, 2]
    """
    while len(chosen) < size:
        checkpoint()
        if chosen:
            posterior = posterior.hallucinate([chosen[-1].index])
        yield posterior


def picked(
    posterior: Posterior, indices: Sequence[int], role: str, scores: Sequence[float]
) -> tuple[Pick, ...]:
    """Picks of these candidates in order, each with its std given those before.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies.picking import picked
    >>> posterior = Posterior.prior(GaussianProcess(RBF(), noise_variance=1.0), range(5))
    >>> [round(pick.std, 2) for pick in picked(posterior, [2, 2], "drawn", [0.1, 0.3])]
    [1.0, 0.71]
    """
    chosen, pairs = list[Pick](), zip(indices, scores, strict=True)
    before = before_each(posterior, chosen, len(indices))
    for now, (j, score) in zip(before, pairs, strict=True):
        chosen.append(Pick(j, role, float(now.std[j]), score))
    return tuple(chosen)


def then_explore(first: Pick, context: BatchContext, batch_size: int) -> tuple[Pick, ...]:
    """`first`, then pure exploration of R+ for the other `batch_size` - 1 picks.

    Under ``repeats="avoid"``, once f is known at all of R+, pure exploration of X.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Posterior, RBF
    >>> from ucbpe_core.policies import pick_largest, then_explore
    >>> class MeanFirst(GPUCBPE):
    ...     def picks(self, context):
    ...         first = pick_largest(context.posterior.mean, context.posterior, "ucb")
    ...         return then_explore(first, context, self.batch_size)
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [3.0])
    >>> MeanFirst(batch_size=3).decide(posterior, t=1, schedule=FiniteBeta()).indices
    array([2, 0, 4])
    """
    start, mask = context.posterior, context.region_plus
    found = (first, *explore(start, mask, batch_size - 1, given=(first.index,)))
    inside = fresh(start, found) if context.eligible.repeats == "avoid" else batch_size
    if inside == batch_size:
        return found
    # R+ is used up: go on over X.
    given = tuple(pick.index for pick in found[:inside])
    return found[:inside] + explore(start, mask | True, batch_size - inside, given=given)


def explore(
    posterior: Posterior,
    mask: Booleans,
    picks: int,
    *,
    given: tuple[int, ...] = (),
    role: str = "pe",
) -> tuple[Pick, ...]:
    """Pure exploration: `picks` times argmax over the mask of the std after the earlier picks.

    The candidates `given` count as earlier picks. Over many candidates module `lazy` finds the same
    picks.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import explore
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(9)).observe([4], [0.5])
    >>> [pick.index for pick in explore(posterior, np.arange(9) < 6, picks=2)]
    [0, 2]
    """
    chosen = list[Pick]()
    if posterior.has_rows and len(mask) >= lazy.LEAST:
        found = lazy.explore(posterior, np.flatnonzero(mask), picks, given)
        chosen = [Pick(index, role, std, score=std) for index, std in found]
    if len(chosen) < picks:
        earlier = [*given, *(pick.index for pick in chosen[:-1])]
        posterior = posterior.hallucinate(earlier) if earlier else posterior
    for now in before_each(posterior, chosen, picks):
        chosen.append(pick_largest(now.std, now, role, mask, now.std_tolerance))
    return tuple(chosen)
