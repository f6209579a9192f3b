"""Which candidates a batch may have, whatever the policy; and checks of what a policy returns.

Two kinds of candidates can be ruled out: those withdrawn, which will never be measured, and, under
``repeats="avoid"``, those where f is known, where a measurement tells nothing. A policy then
chooses among the others alone, from the same posterior: R, R+ and y_dot stay those of all X.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core import large
from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.linalg import enlargement
from ucbpe_core.policies.decision import Pick
from ucbpe_core.validation import non_negative, read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.policies.base import BatchContext, Policy
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats, Integers, Repeats


@dataclass(frozen=True, eq=False)
class Eligible(Frozen):
    """Which of M candidates can be picked.

    Attributes
    ----------
    allowed : those that were not withdrawn, shape (M,); None for all. Where R+ has none of them,
        they take its place
    repeats : "avoid" leaves out candidates where f is known, given the picks before: without noise,
        those measured or picked, and numerically equal ones. Where R+ has no other, the policy goes
        on over X, and a batch has fewer than `batch_size` picks where X has no other. "allow" is
        the rule of the policy itself

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Matern, Posterior
    >>> from ucbpe_core.policies import Eligible
    >>> posterior = Posterior.prior(GaussianProcess(Matern(4.0)), range(21))
    >>> eligible = Eligible.without([0, 20], size=21)
    >>> GPUCBPE(batch_size=3).decide(posterior, 1, FiniteBeta(), eligible=eligible).indices
    array([ 1, 19, 10])
    """

    allowed: Booleans | None = None
    repeats: Repeats = "allow"

    @classmethod
    def without(
        cls, indices: Sequence[int] | Integers, size: int, repeats: Repeats = "allow"
    ) -> Eligible:
        """All of `size` candidates but those `indices` (k,)."""
        if len(indices) == 0:
            return cls(None, repeats)
        allowed = np.ones(size, dtype=bool)
        allowed[indices] = False
        return cls(read_only(allowed), repeats)

    def among(self, indices: Integers) -> Eligible:
        """The same over only the candidates `indices` (k,)."""
        return self if self.allowed is None else replace(self, allowed=self.allowed[indices])

    def mask(self, posterior: Posterior) -> Booleans | None:
        """Where a pick can be made, given the posterior after the picks before, shape (M,); None
        for everywhere.
        """
        return both(self.allowed, unknown(posterior) if self.repeats == "avoid" else None)


EVERYWHERE = Eligible()


def unknown(posterior: Posterior) -> Booleans | None:
    """Where f is not known, shape (M,); None for everywhere, as with noise."""
    known = _known(posterior, posterior.std)
    return ~known if known.any() else None


def _known(posterior: Posterior, std: Floats) -> Booleans:
    """Whether f is known (`gp.knows`) at candidates with that std, shape (k,)."""
    # No further result would lessen what a std is enlarged by for the error of a mean.
    std = std / math.sqrt(enlargement(posterior.rounded))
    return posterior.gp.knows(std, posterior.prior_variance)


def both(left: Booleans | None, right: Booleans | None) -> Booleans | None:
    """Where two conditions hold; None stands for everywhere."""
    if left is None or right is None:
        return left if right is None else right
    return left & right


def choose(policy: Policy, context: BatchContext) -> tuple[Pick, ...]:
    """The policy's picks among the candidates that are eligible.

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
        free = eligible.mask(context.posterior)
        if free is not None and not free.any():
            break
        found = _among(policy, context, free)[: policy.batch_size - len(chosen)]
        chosen += found[: fresh(context.posterior, found)] if avoiding else found
        if len(chosen) < policy.batch_size:
            added = [pick.index for pick in chosen[context.posterior.n - start :]]
            context = replace(context, posterior=context.posterior.hallucinate(added))
    if not chosen:
        raise _nothing_left(len(context.posterior.candidates), eligible.allowed)
    return tuple(chosen)


def fresh(posterior: Posterior, picks: tuple[Pick, ...]) -> int:
    """How many picks come before the first where f is known; at least one, as it was free."""
    known = _known(posterior, np.array([pick.std for pick in picks]))
    return max(int(known.argmax()), 1) if known.any() else len(picks)


def _among(policy: Policy, context: BatchContext, free: Booleans | None) -> tuple[Pick, ...]:
    """The picks of a policy that sees only the candidates `free`.

    Where R+ has none of these, it is all of them.
    """
    size = len(context.posterior.candidates)
    if free is None:
        return checked(policy, policy.picks(context), size)
    where = np.flatnonzero(free)
    policy = _sized(policy, len(where), avoiding=context.eligible.repeats == "avoid")
    inside = context.region_plus[where]
    part = replace(
        context,
        posterior=large.parts.restrict(context.posterior, where),
        region=context.region[where],
        region_plus=inside if inside.any() else np.ones_like(inside),
        eligible=Eligible(None, context.eligible.repeats),
    )
    picks = checked(policy, policy.picks(part), len(where))
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


def checked(policy: Policy, picks: Any, size: int) -> tuple[Pick, ...]:
    """`picks` if they are what a policy has to return over `size` candidates.

    Raises
    ------
    InputError
        For another number than `batch_size`, anything but a `Pick`, a role that is not in `rules`,
        an index that is not a candidate's, a std that is negative or not finite, or a candidate
        twice if the policy says that it repeats none.
    """
    owner = f"{type(policy).__name__}.picks"
    if not isinstance(picks, tuple | list):
        raise InputError(f"a tuple of picks from {owner}", type(picks).__name__, "return a tuple")
    if len(picks) != policy.batch_size:
        wanted = f"{policy.batch_size} picks from {owner}, its batch_size"
        raise InputError(wanted, str(len(picks)), "return one Pick for each")
    for k, pick in enumerate(picks):
        _check(pick, k, policy, size)
    indices = [int(pick.index) for pick in picks]
    if not policy.repeats and len(set(indices)) < len(indices):
        twice = next(j for j in indices if indices.count(j) > 1)
        wanted = f"no candidate twice from {owner}, which says repeats = False"
        raise InputError(wanted, f"candidate {twice} twice", "leave it out, or set repeats = True")
    return tuple(picks)


def _check(pick: Any, k: int, policy: Policy, size: int) -> None:
    """Raise InputError unless pick k is one of a candidate, with a known role and a std."""
    # Every pick of every run comes by here: the words of an error are made only for one.
    good = isinstance(pick, Pick) and pick.role in policy.rules
    if good and _in_range(pick.index, int, size) and _in_range(pick.std, float, math.inf):
        return
    where = f"pick {k} of {type(policy).__name__}.picks"
    if not isinstance(pick, Pick):
        raise InputError(f"{where} to be a Pick", type(pick).__name__, "return Pick(j, role, ..)")
    if pick.role not in policy.rules:
        wanted = f"{where} to have a role among {', '.join(policy.rules)}"
        raise InputError(wanted, repr(pick.role), "add it to rules, with its rule in words")
    try:
        index = operator.index(pick.index)
    except TypeError:
        index = -1
    if not 0 <= index < size:
        wanted = f"{where} to be a candidate from 0 to {size - 1}"
        raise InputError(wanted, repr(pick.index), "return the row number of a candidate")
    non_negative(pick.std, f"the std of {where}")


def _in_range(number: Any, kind: type[int] | type[float], end: float) -> bool:
    return isinstance(number, kind) and 0 <= number < end
