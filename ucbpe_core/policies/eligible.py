"""Which candidates a batch may have, whatever the policy; and checks of what a policy returns.

Two kinds of candidates can be ruled out: those withdrawn, which will never be measured, and, under
``repeats="avoid"``, those where f is known, where a measurement tells nothing. A policy then
chooses among the others alone, from the same posterior: R, R+ and y_dot stay those of all X.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.parts import restricted
from ucbpe_core.policies.decision import Pick
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import non_negative

if TYPE_CHECKING:
    from ucbpe_core.policies.base import BatchContext, Policy
    from ucbpe_core.validation import Booleans, Integers


def unknown(posterior: Posterior) -> Booleans | None:
    """Where f is not known, shape (M,); None for everywhere, as with noise (`gp.knows`)."""
    signal = posterior.state.rows.prior_variance
    if posterior.gp.resolves(signal):  # saves passes over M candidates in every run with noise
        return None
    known = posterior.gp.knows(posterior.candidates, posterior.std, signal)
    return ~known if known.any() else None


def both(one: Booleans | None, other: Booleans | None) -> Booleans | None:
    """Where two conditions hold; None stands for everywhere."""
    if one is None or other is None:
        return one if other is None else other
    return one & other


def choose(policy: Policy, context: BatchContext, allowed: Booleans | None) -> tuple[Pick, ...]:
    """The policy's picks among the candidates `allowed` (M,), None for all.

    Under ``context.repeats == "avoid"`` f is not known at any of them, given the picks before; at
    the first pick where it is, the policy is asked again over the candidates that are left, with
    the picks before it hallucinated. There are fewer picks than `batch_size` if f is then known at
    all others.

    Raises
    ------
    NothingLeftError
        If no candidate is left.
    InputError
        For picks that are not what a policy has to return.
    """
    avoiding, chosen = context.repeats == "avoid", list[Pick]()
    start = context.posterior.n
    while len(chosen) < policy.batch_size:
        free = both(allowed, unknown(context.posterior) if avoiding else None)
        if free is not None and not free.any():
            break
        found = _among(policy, context, free)[: policy.batch_size - len(chosen)]
        chosen += found[: fresh(context.posterior, found)] if avoiding else found
        if len(chosen) < policy.batch_size:
            added = [one.index for one in chosen[context.posterior.n - start :]]
            context = replace(context, posterior=context.posterior.hallucinate(added))
    if not chosen:
        raise _nothing_left(len(context.posterior.candidates), allowed)
    return tuple(chosen)


def fresh(posterior: Posterior, picks: tuple[Pick, ...]) -> int:
    """How many picks come before the first where f is known; at least one, as it was free."""
    X = posterior.candidates[[one.index for one in picks]]
    std = np.array([one.std for one in picks])
    known = posterior.gp.knows(X, std, posterior.state.rows.prior_variance)
    return max(int(known.argmax()), 1) if known.any() else len(picks)


def _among(policy: Policy, context: BatchContext, free: Booleans | None) -> tuple[Pick, ...]:
    """The picks of a policy that sees only the candidates `free`.

    Where R+ has none of these, it is all of them.
    """
    size = len(context.posterior.candidates)
    if free is None:
        return checked(policy, policy.picks(context), size)
    where = np.flatnonzero(free)
    policy = _sized(policy, len(where), avoiding=context.repeats == "avoid")
    inside = context.region_plus[where]
    part = replace(
        context,
        posterior=Posterior(restricted(context.posterior.state, where)),
        region=context.region[where],
        region_plus=inside if inside.any() else np.ones_like(inside),
    )
    picks = checked(policy, policy.picks(part), len(where))
    return tuple(replace(one, index=int(where[one.index])) for one in picks)


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
    known = f"f known at {size - withdrawn} of {size}" if withdrawn < size else "none"
    got = known + (f", and {withdrawn} withdrawn" if withdrawn else "")
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
    for k, one in enumerate(picks):
        _check(one, f"pick {k} of {owner}", policy, size)
    indices = [int(one.index) for one in picks]
    if not policy.repeats and len(set(indices)) < len(indices):
        twice = next(j for j in indices if indices.count(j) > 1)
        wanted = f"no candidate twice from {owner}, which says repeats = False"
        raise InputError(wanted, f"candidate {twice} twice", "leave it out, or set repeats = True")
    return tuple(picks)


def _check(pick: Any, where: str, policy: Policy, size: int) -> None:
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


def positions(indices: Integers, size: int) -> Booleans | None:
    """All candidates but those `indices`, as a mask (M,); None if there are none."""
    if not len(indices):
        return None
    mask = np.ones(size, dtype=bool)
    mask[indices] = False
    return mask
