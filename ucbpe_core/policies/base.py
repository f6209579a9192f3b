"""The policy interface, and rules that several policies share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ucbpe_core import confidence, large
from ucbpe_core.assignment import Frozen
from ucbpe_core.checkpoints import checkpoint
from ucbpe_core.errors import InputError
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.policies.eligible import both, choose, fresh, unknown
from ucbpe_core.region import relevant_region
from ucbpe_core.ties import first_best
from ucbpe_core.validation import MOST_POINTS, count, set_checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Booleans, Floats, Repeats


@dataclass(frozen=True, eq=False)
class BatchContext(Frozen):
    """All that a policy may know at the start of batch t. No problem, no true value.

    Attributes
    ----------
    posterior : at batch start, outstanding picks of earlier batches hallucinated
    t : iteration, from 1
    beta, beta_next : beta_t and beta_(t+1)
    y_dot, region, region_plus : the relevant region at batch start
    repeats : "avoid" if no candidate is to be picked where f is known, else "allow"

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, Posterior, RandomSearch, RBF
    >>> class Reporting(RandomSearch):
    ...     def picks(self, context):
    ...         print(context.t, round(context.beta, 2), context.region_plus)
    ...         return super().picks(context)
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(4)).observe([1], [9.0])
    >>> decision = Reporting(2, seed=0).decide(posterior, t=1, schedule=FiniteBeta(scale=0.2))
    1 1.67 [False  True False False]
    """

    posterior: Posterior
    t: int
    beta: float
    beta_next: float
    y_dot: float
    region: Booleans
    region_plus: Booleans
    repeats: Repeats = "allow"

    def unknown(self, posterior: Posterior) -> Booleans | None:
        """Where a pick can be made, given `posterior` after the picks before; None: everywhere.

        Under ``repeats="avoid"`` that is where f is not known: a policy that draws or ranks
        candidates itself leaves out the others.
        """
        return unknown(posterior) if self.repeats == "avoid" else None


class Policy(ABC):
    """A rule that turns a context into K picks. Frozen and stateless.

    A policy is a frozen dataclass that defines `picks` and sets the class attributes `name` and
    `rules` (role to rule in words, in the order the roles occur), without annotation, so that they
    are not fields. `uses_region` means that the picks after the first are made inside R+, `repeats`
    that a batch may have a candidate twice (if not, at least `batch_size` candidates are needed),
    and `confined` that no pick depends on the posterior outside R and R+ (then `large.screening`
    may leave it out of date there). Randomness, if any, derives from the policy's own `seed` and
    from t, so that asking twice gives the same answer; a `seed` of None leaves it to `simulate` to
    choose one.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Matern, Posterior
    >>> posterior = Posterior.prior(GaussianProcess(Matern(4.0)), range(21))
    >>> decision = GPUCBPE(batch_size=3).decide(posterior, t=1, schedule=FiniteBeta())
    >>> decision.indices
    array([ 0, 20, 10])
    """

    name: ClassVar[str]
    rules: ClassVar[Mapping[str, str]]
    uses_region: ClassVar[bool] = False
    repeats: ClassVar[bool] = True
    confined: ClassVar[bool] = False
    batch_size: int

    def __post_init__(self) -> None:
        if "batch_size" in vars(self):  # it can be a property
            set_checked(self, batch_size=partial(count, maximum=MOST_POINTS))
        if getattr(self, "seed", None) is not None:
            set_checked(self, seed=partial(count, minimum=0))

    @abstractmethod
    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        """The `batch_size` picks of batch t, in order."""

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """The schedule that this policy's bands use, given the one passed in."""
        return schedule

    def seeded(self, seed: int) -> Self:
        """The same policy with that seed if its own `seed` is None; else the policy itself."""
        if getattr(self, "seed", 0) is None:
            return replace(self, seed=seed)  # type: ignore[type-var]
        return self

    def decide(
        self,
        posterior: Posterior,
        t: int,
        schedule: BetaSchedule,
        *,
        allowed: Booleans | None = None,
        repeats: Repeats = "allow",
    ) -> Decision:
        """Choose batch t from the posterior; beta_t comes from the schedule.

        Parameters
        ----------
        allowed : which candidates may be picked, shape (M,); default all. R, R+, y_dot and beta_t
            stay those of all X. Where R+ has none of them, they take its place
        repeats : "avoid" leaves out candidates where f is known, given the picks before: without
            noise, those measured or picked, and numerically equal ones. Where R+ has no other, the
            policy goes on over X, and a batch has fewer than `batch_size` picks where X has no
            other. "allow" is the rule of the policy itself

        Raises
        ------
        InputError
            For t below 1, a schedule outside its range, more picks than candidates if the policy
            never repeats one, or picks that are not what a policy has to return (another number
            than `batch_size`, a role that is not in `rules`, no candidate, one twice where
            `repeats` is false).
        NothingLeftError
            If no candidate is left to pick.
        """
        self.check_fits(len(posterior.candidates))
        beta, beta_next = self.betas(posterior, t, schedule)
        return self.decide_between(posterior, t, beta, beta_next, allowed, repeats)

    def betas(
        self,
        posterior: Posterior,
        t: int,
        schedule: BetaSchedule,
        size: int | None = None,
        sides: Floats | None = None,
    ) -> tuple[float, float]:
        """beta_t and beta_(t+1) of this policy's bands, for a batch chosen from `posterior`.

        `size` is the number of candidates if that is not the posterior's; `sides` (d,) are the
        units of the inputs in which the schedule's r is given, by default those of the candidates.
        """
        effective, (M, dimension) = self.effective_schedule(schedule), posterior.candidates.shape
        gain, kernel = posterior.information_gain, posterior.gp.kernel
        run = (M if size is None else size, dimension, gain, kernel, sides)
        return effective(t, *run), effective(t + 1, *run)

    def check_fits(self, size: int) -> None:
        """Raise InputError for more picks than `size` candidates, if none may be repeated."""
        if self.batch_size > size and not self.repeats:
            raise InputError(
                f"batch_size of at most {size}, the number of candidates, as {self.name} "
                "repeats none",
                str(self.batch_size),
                "lower batch_size, give more candidates, or take a policy that repeats picks",
            )

    def decide_between(
        self,
        posterior: Posterior,
        t: int,
        beta: float,
        beta_next: float,
        allowed: Booleans | None = None,
        repeats: Repeats = "allow",
    ) -> Decision:
        """Choose batch t with these beta_t and beta_(t+1); the rest as in `decide`."""
        checkpoint()
        relevant = relevant_region(posterior, beta, beta_next)
        context = BatchContext(posterior, t, beta, beta_next, **vars(relevant), repeats=repeats)
        picks = choose(self, context, allowed)
        left = both(allowed, unknown(posterior))
        return Decision.of(
            picks,
            posterior.candidates[[pick.index for pick in picks]],
            posterior.gp,
            t=t,
            n=posterior.n,
            betas=(beta, beta_next),
            relevant=relevant,
            signal=posterior.prior_variance,
            exhausted=left is not None and not (left & relevant.region_plus).any(),
        )


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


def pick_upper(posterior: Posterior, beta: float, role: str = "ucb") -> Pick:
    """argmax over X of mean + sqrt(beta) std; ties to the lowest index.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import pick_upper
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([1], [0.5])
    >>> pick_upper(posterior, beta=4.0).index
    3
    """
    upper = confidence.upper(posterior, beta)
    # What ties by symmetry has the same std as the largest.
    std = float(posterior.std[upper.argmax()])
    tolerance = posterior.bound_tolerance(float(np.sqrt(beta)), std)
    return pick_largest(upper, posterior, role, tolerance=tolerance)


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


def then_explore(first: Pick, context: BatchContext, batch_size: int) -> tuple[Pick, ...]:
    """`first`, then pure exploration of R+ for the other `batch_size` - 1 picks.

    Under ``repeats="avoid"``, once f is known at all of R+, of X.

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
    if context.repeats == "avoid" and not mask.all():
        inside = fresh(start, found)
        if inside < batch_size:  # R+ is used up: go on over X
            given = tuple(one.index for one in found[:inside])
            return found[:inside] + explore(start, mask | True, batch_size - inside, given=given)
    return found


def explore(
    posterior: Posterior,
    mask: Booleans,
    picks: int,
    *,
    given: tuple[int, ...] = (),
    role: str = "pe",
) -> tuple[Pick, ...]:
    """Pure exploration: `picks` times argmax over the mask of the std after the earlier picks.

    The candidates `given` count as earlier picks. Over many candidates `large` finds the same
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
    if np.count_nonzero(mask) >= large.lazy.LEAST:
        found = large.explore(posterior, np.flatnonzero(mask), picks, given)
        return tuple(Pick(index, role, std, score=std) for index, std in found)
    chosen = list[Pick]()
    posterior = posterior.hallucinate(given) if picks else posterior
    for now in before_each(posterior, chosen, picks):
        chosen.append(pick_largest(now.std, now, role, mask, now.std_tolerance))
    return tuple(chosen)
