"""Scores and picks that several policies share.

A score is a function of the mean and standard deviation of f at a point, so that it can be
maximised over a table and over a box. The picks: that of the largest score, and pure exploration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
import scipy

from ucbpe_core.gp import lazy, region, ties
from ucbpe_core.gp.ties import first_best
from ucbpe_core.policies.decision import Pick, fresh
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.decision import BatchContext
    from ucbpe_core.support.validation import Booleans, Floats


# From here on 1/z^2 stands for 1 - |z| sqrt(pi/2) erfcx(|z|/sqrt(2)): it is right to a relative
# 3/z^2, and the difference of two numbers near 1 to one of 1e-16 z^2. Both are about 1e-8.
_FAR = 1e4


class OverBox(Protocol):
    """A batch over a box in the making, as `Policy.role` and `Policy.score` see it."""

    @property
    def posterior(self) -> Posterior:
        """At batch start, without candidates."""

    @property
    def t(self) -> int:
        """The number of the batch."""

    @property
    def beta(self) -> float:
        """beta_t."""

    @property
    def places(self) -> Floats:
        """Coordinates of the picks so far, shape (k, D)."""

    @property
    def sampled(self) -> Posterior:
        """At batch start, over the points that cover the box as candidates."""

    @property
    def widest(self) -> Posterior:
        """At batch start, over the point of greatest standard deviation alone."""

    @property
    def top(self) -> float:
        """The greatest mean over the box at batch start."""


class Score(Frozen, ABC):
    """A function that a pick maximises.

    Attributes
    ----------
    explores : whether it is the standard deviation, to be reduced inside R+ by policies that use it
    at_start : whether mean and standard deviation stay as at the start of the batch, and ignore the
        picks before
    slopes : (a, b) if it is a mean + b std, whose gradient is known; else None
    """

    explores: ClassVar[bool] = False
    at_start: ClassVar[bool] = False

    @property
    def slopes(self) -> tuple[float, float] | None:
        """See above."""
        return None

    @abstractmethod
    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        """At coordinates X (m, D), with mean and std (m,) of f there; shape (m,)."""

    def of(self, value: float) -> float:
        """The score of a pick, from the greatest of `values`, which can be its logarithm."""
        return value


@dataclass(frozen=True)
class Bound(Score):
    """a mean + b std: with (1, sqrt(beta)) the upper and with (1, -sqrt(beta)) the lower bound."""

    a: float
    b: float

    @property
    def slopes(self) -> tuple[float, float]:
        return self.a, self.b

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        return self.a * mean + self.b * std


class Exploration(Bound):
    """The standard deviation."""

    explores = True

    def __init__(self) -> None:
        super().__init__(0.0, 1.0)


@dataclass(frozen=True)
class LogImprovement(Score):
    """log E[max(f - best, 0)], by which `EIPE` ranks."""

    best: float

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        return log_expected_improvement(mean, std, self.best)

    def of(self, value: float) -> float:
        return float(np.exp(value))


@dataclass(frozen=True, eq=False)
class LogPenalised(Score):
    """log softplus(u) + sum of log phi(.; x_j), by which `LocalPenalization` ranks.

    Attributes
    ----------
    root : sqrt(beta), which gives the upper bound
    mean, unit : of the prior, and its standard deviation
    slope, top : L and the estimated maximum of f
    centres, means, stds : of the earlier picks of the batch, coordinates (k, D) and (k,)
    """

    at_start = True
    root: float
    mean: float
    unit: float
    slope: float
    top: float
    centres: Floats
    means: Floats
    stds: Floats

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        distances = np.linalg.norm(X[:, None] - self.centres, axis=2)
        z = (self.slope * distances - self.top + self.means) / self.stds
        value = log_softplus((mean + self.root * std - self.mean) / self.unit)
        return value + scipy.special.log_ndtr(z).sum(axis=1)

    def of(self, value: float) -> float:
        return float(np.exp(value))


def log_expected_improvement(mean: Floats, std: Floats, best: float) -> Floats:
    """log E[max(f - best, 0)] for f ~ N(mean, std^2), shapes (M,); -inf where it is 0.

    E = (mean - best) Phi(z) + std phi(z) with z = (mean - best) / std, and max(mean - best, 0)
    where std = 0. For z < -1 the two terms nearly cancel; there
    E = std phi(z) (1 - |z| sqrt(pi/2) erfcx(|z| / sqrt(2))), which stays finite in logarithms.
    """
    gain = mean - best
    # Squares of z stay finite; a value this far from `best` is practically known.
    random = std > 1e-150 * np.abs(gain)
    z = np.divide(gain, std, out=np.zeros_like(gain), where=random)
    near, far = np.maximum(z, -1.0), np.maximum(-z, 1.0)
    body = np.log(near * scipy.special.ndtr(near) + np.exp(-0.5 * near**2) / np.sqrt(2 * np.pi))
    far_z = np.minimum(far, _FAR)
    ratio = np.sqrt(np.pi / 2) * far_z * scipy.special.erfcx(far_z / np.sqrt(2))
    shrink = np.where(far < _FAR, np.log1p(-ratio), -2 * np.log(far))
    factor = np.where(z > -1.0, body, shrink - 0.5 * far**2 - 0.5 * np.log(2 * np.pi))
    with np.errstate(divide="ignore"):
        return np.where(random, np.log(std) + factor, np.log(np.maximum(gain, 0.0)))


def log_softplus(u: Floats) -> Floats:
    """log log(1 + exp(u)); it is u itself, to rounding, below -40."""
    return np.where(u < -40, u, np.log(np.logaddexp(0.0, np.maximum(u, -40.0))))


def pick_largest(
    score: Floats,
    posterior: Posterior,
    role: str,
    mask: Booleans | None = None,
    tolerance: float | Callable[[float], float] | None = None,
) -> Pick:
    """The lowest index inside the mask whose score (M,) is within `tolerance` of the largest.

    The default suits means, and any score in units of y (see `ties`).

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
    >>> [round(pick.std, 2) for pick in picked(posterior, [2, 2], "randomised", [0.1, 0.3])]
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
