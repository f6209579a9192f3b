"""The policy interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.gp import ties
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.policies.decision import (
    EVERYWHERE,
    BatchContext,
    Decision,
    Eligible,
    Pick,
    both,
    checked_picks,
    fresh,
    unknown,
)
from ucbpe_core.policies.schedules import RunState
from ucbpe_core.support.limits import checkpoint
from ucbpe_core.support.validation import MOST_POINTS, Keyworded, count, instance, set_checked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.decision import Explored
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Booleans, Floats


class Policy(Keyworded, ABC):
    """A rule that turns a context into K picks. Frozen and stateless.

    A policy is a frozen dataclass that defines `picks` and sets class attributes, without
    annotation so that they are not fields: `name`; `rules`, from each role to its rule in words, in
    the order in which the roles occur; and each of the following that is not False.

    - `uses_region`: the picks after the first are made inside R+.
    - `own_region`: they can be made in a region of the policy's own (`explored`), and pages show
      the edge of that region.
    - `whole`: results have to come in whole batches, not one by one.
    - `repeats`: a batch may contain a candidate twice. If not, there have to be at least
      `batch_size` candidates.
    - `evenly`: over a box it chooses among points that are spread evenly.

    Over a box, a pick is the maximum of the `score` of its `role` that a search finds. A policy
    whose class defines `picks` but no `score` chooses among the points of the search instead.

    Randomness, if any, derives from the policy's own `seed` and from t, so that asking twice gives
    the same answer. With a `seed` of None, `simulate` chooses one.

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
    own_region: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    repeats: ClassVar[bool] = True
    evenly: ClassVar[bool] = False
    batch_size: int

    def __post_init__(self) -> None:
        if "batch_size" in vars(self):  # it can be a property
            set_checked(self, batch_size=partial(count, maximum=MOST_POINTS))
        if getattr(self, "seed", None) is not None:
            set_checked(self, seed=partial(count, minimum=0))

    @abstractmethod
    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        """The `batch_size` picks of batch t, in order."""

    def role(self, k: int, batch: OverBox) -> str:
        """The role of pick k of a batch over a box: the first of `rules`, then the last."""
        roles = tuple(self.rules)
        return roles[-1] if k else roles[0]

    def score(self, role: str, batch: OverBox) -> Score:
        """What a pick of that role maximises over a box, given the picks before."""
        raise NotImplementedError

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """The schedule that this policy's bands use, given the one passed in."""
        return schedule

    def starts(self, t: int) -> tuple[int, ...]:
        """The first batch of each phase up to that of batch t; (1,) for a policy without phases."""
        return (1,)

    def explored(
        self,
        posterior: Posterior,
        t: int,
        beta: float,
        indices: Sequence[int],
        roles: Sequence[str],
    ) -> tuple[Explored | None, ...]:
        """The region that each pick of a batch explored, if that is not R+ (`Decision.explored`).

        Parameters
        ----------
        posterior : at batch start, outstanding picks hallucinated
        t, beta : of the batch
        indices, roles : of its picks, in order
        """
        return ()

    def seeded(self, seed: int) -> Self:
        """The same policy with that seed if its own `seed` is None; else the policy itself."""
        if getattr(self, "seed", self) is None:
            return replace(self, seed=seed)  # type: ignore[type-var]
        return self

    def with_pending(self, pending: Sequence[str], size: int) -> Policy:
        """The policy that makes `size` picks while picks with the roles `pending` have no result.

        By default this policy with a batch of that size. A policy whose picks differ by their place
        in a batch decides here which of them are still to be made. One that is `whole` raises
        `InputError` for anything but a whole batch, or while picks are pending.
        """
        if self.whole and (pending or size != self.batch_size):
            got = f"{size} picks while {len(pending)} are running"
            remedy = "take another policy where results come one by one"
            raise InputError(f"batches of {self.batch_size} for {self.name}", got, remedy)
        return sized(self, size)

    def decide(
        self,
        posterior: Posterior,
        t: int,
        schedule: BetaSchedule,
        *,
        eligible: Eligible = EVERYWHERE,
    ) -> Decision:
        """Choose batch t from the posterior; beta_t comes from the schedule.

        Parameters
        ----------
        eligible : which candidates can be picked; default all. R, R+, y_dot and beta_t stay those
            of all X

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
        t = count(t, "t")
        self.check_fits(len(posterior.candidates))
        beta, beta_next = self.betas(posterior, t, schedule)
        return self.decide_between(posterior, t, beta, beta_next, eligible)

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
        units of the inputs for the schedule's r, by default the candidates' units.
        """
        effective, (M, dimension) = self.effective_schedule(schedule), posterior.candidates.shape
        M = M if size is None else size
        run = RunState(t, M, dimension, posterior.gain, posterior.gp.kernel, sides)
        return effective.at(run), effective.at(replace(run, t=t + 1))

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
        eligible: Eligible = EVERYWHERE,
    ) -> Decision:
        """Choose batch t with these beta_t and beta_(t+1); the rest as in `decide`."""
        checkpoint()
        relevant = relevant_region(posterior, beta, beta_next)
        context = BatchContext(posterior, t, beta, beta_next, **vars(relevant), eligible=eligible)
        picks = _choose(self, context)
        left = both(eligible.allowed, unknown(posterior))
        indices, roles = [pick.index for pick in picks], [pick.role for pick in picks]
        return Decision.of(
            picks,
            posterior.candidates[indices],
            posterior.gp,
            t=t,
            n=posterior.n,
            betas=(beta, beta_next),
            relevant=relevant,
            signal=posterior.prior_variance,
            exhausted=left is not None and not (left & relevant.region_plus).any(),
            explored=self.explored(posterior, t, beta, indices, roles),
        )


def sized(policy: Policy, n: int) -> Policy:
    """The policy with batches of n picks.

    Raises
    ------
    InputError
        For n below 1, or a policy that is none, or has no other batch size.
    """
    size = count(n, "n")
    instance(policy, Policy, "pass GPUCBPE(batch_size=10)")
    if size == policy.batch_size:
        return policy
    try:
        return replace(policy, batch_size=size)  # type: ignore[type-var]
    except TypeError:  # its batch size is not a field
        remedy = "leave n out"
        got = f"{type(policy).__name__}, whose batch_size is fixed"
        raise InputError("a policy with batches of any size", got, remedy) from None


def _choose(policy: Policy, context: BatchContext) -> tuple[Pick, ...]:
    """The policy's picks among the candidates that are eligible, of one group if there are any."""
    groups, by = context.eligible.groups, context.eligible.shared_by
    if groups is None:
        return _in_turn(policy, context)
    context = replace(context, eligible=replace(context.eligible, groups=None))
    if by == "sum":
        found = [_inside(policy, context, groups == one) for one in dict.fromkeys(groups.tolist())]
        made = [picks for picks in found if picks]
        sums = np.array([sum(pick.score for pick in picks) for picks in made])
        if made and not np.isnan(sums).any():
            full = np.array([len(picks) == max(map(len, made)) for picks in made])
            tie = policy.batch_size * ties.of_bound(context.posterior, context.beta)
            return made[ties.first_best(sums, tie, full)]
    first, *_ = _in_turn(policy, context)
    return _inside(policy, context, groups == groups[first.index])


def _inside(policy: Policy, context: BatchContext, group: Booleans) -> tuple[Pick, ...]:
    """The policy's picks among the candidates of a group (M,); none if it has none left."""
    eligible = replace(context.eligible, allowed=both(context.eligible.allowed, group))
    free = eligible.mask(context.posterior)
    left = len(group) if free is None else int(np.count_nonzero(free))
    if not left:
        return ()
    if not policy.repeats and policy.batch_size > left:
        policy = sized(policy, left)
    return _in_turn(policy, replace(context, eligible=eligible))


def _in_turn(policy: Policy, context: BatchContext) -> tuple[Pick, ...]:
    """The policy's picks among the candidates that are eligible, whatever their groups.

    Under ``repeats="avoid"`` f is not known at any of them, given the picks before; at the first
    pick where it is, the policy is asked again over the candidates that are left, with the picks
    before it hallucinated. There are fewer picks than `batch_size` if f is then known at all
    others.

    Raises
    ------
    NothingLeftError
        If no candidate is left.
    InputError
        For picks that are not what a policy has to return.
    """
    eligible, chosen = context.eligible, list[Pick]()
    avoiding, start = eligible.repeats == "avoid", context.posterior.n
    while len(chosen) < policy.batch_size:
        if chosen:
            added = [pick.index for pick in chosen[context.posterior.n - start :]]
            context = replace(context, posterior=context.posterior.hallucinate(added))
        free = eligible.mask(context.posterior)
        if free is not None and not free.any():
            break
        found = _among(policy, context, free)[: policy.batch_size - len(chosen)]
        chosen += found[: fresh(context.posterior, found)] if avoiding else found
    if not chosen:
        raise _nothing_left(len(context.posterior.candidates), eligible.allowed)
    return tuple(chosen)


def _among(policy: Policy, context: BatchContext, free: Booleans | None) -> tuple[Pick, ...]:
    """The picks of a policy that sees only the candidates `free`.

    Where R+ has none of these, it is all of them.
    """
    size = len(context.posterior.candidates)
    if free is None:
        return _checked(policy, context, size)
    where = np.flatnonzero(free)
    policy = _sized(policy, len(where), avoiding=context.eligible.repeats == "avoid")
    inside = context.region_plus[where]
    part = replace(
        context,
        posterior=context.posterior.restricted(where),
        region=context.region[where],
        region_plus=inside if inside.any() else np.ones_like(inside),
        eligible=Eligible(None, context.eligible.repeats),
    )
    picks = _checked(policy, part, len(where))
    return tuple(replace(pick, index=int(where[pick.index])) for pick in picks)


def _sized(policy: Policy, size: int, *, avoiding: bool) -> Policy:
    """The policy for `size` candidates: with a smaller batch if it can repeat none."""
    if avoiding and not policy.repeats and policy.batch_size > size:
        try:
            return replace(policy, batch_size=size)  # type: ignore[type-var]
        except (TypeError, ValueError):
            pass  # its batch size is not a field
    policy.check_fits(size)
    return policy


def _nothing_left(size: int, allowed: Booleans | None) -> NothingLeftError:
    withdrawn = 0 if allowed is None else size - int(np.count_nonzero(allowed))
    got = f"f known at {size - withdrawn} of {size}" if withdrawn < size else "none"
    got += f", and {withdrawn} withdrawn" if withdrawn else ""
    remedy = "the search is complete: use best()" + (", or allow() some" if withdrawn else "")
    return NothingLeftError("a candidate left to measure", got, remedy)


def _checked(policy: Policy, context: BatchContext, size: int) -> tuple[Pick, ...]:
    """The policy's picks, if they are what it has to return."""
    found, owner = policy.picks(context), type(policy).__name__
    return checked_picks(
        found, owner, size, policy.batch_size, policy.rules, repeats=policy.repeats
    )
