"""The events of a run: what can be stepped through, in order.

Each batch is posterior -> first pick -> region -> further picks -> observe. Where no pick is made
inside R+, nor inside a region of the policy's own, there is no region event. Where results arrive
one by one, a batch is one decision, and what is observed are the results that arrive next.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ucbpe_core.search.shared import groups_of
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision, Explored, Policy
    from ucbpe_core.support.validation import Booleans


class Kind(StrEnum):
    """What happens at an event."""

    POSTERIOR = "posterior"
    PICK = "pick"
    REGION = "region"
    OBSERVE = "observe"


@dataclass(frozen=True)
class Event:
    """One event: batch t (from 1), its kind, and the number k of the pick if it is one."""

    t: int
    kind: Kind
    k: int = 0

    @property
    def text(self) -> str:
        """Batch, kind and, of a pick, its number: 3.pick.2."""
        return f"{self.t}.{self.kind}" + (f".{self.k}" if self.kind is Kind.PICK else "")


def events_of(trace: Trace) -> tuple[Event, ...]:
    """Every event of a trace, in order."""
    return tuple(
        event for made in trace.decisions for event in _batch(made, region_at(trace.policy, made))
    )


def region_at(policy: Policy, decision: Decision) -> int | None:
    """How many picks of a batch come before its region: 1, or 0 while a first pick is running."""
    whole = len(decision.indices) == policy.batch_size
    if policy.uses_region and not whole and decision.roles[0] != next(iter(policy.rules)):
        return 0
    has_region = policy.uses_region or policy.own_region
    return 1 if has_region and len(decision.indices) > 1 else None


def explored_at(decision: Decision, event: Event) -> Explored | None:
    """The region of the policy's own that an event shows: a pick's, or the next one's."""
    if event.kind is Kind.PICK:
        return decision.explored[event.k] if decision.explored else None
    later = decision.explored[1:] if event.kind is Kind.REGION else ()
    return next((region for region in later if region is not None), None)


def group_at(trace: Trace, decision: Decision) -> Booleans | None:
    """The candidates with the values that the picks of a batch share, (M,); None for no such."""
    shared, problem = trace.history.plan.shared, trace.problem
    if not shared:
        return None
    groups = groups_of(problem.candidates[:, [problem.axes.index(name) for name in shared]])
    return read_only(groups == groups[decision.indices[0]])


def closest(events: tuple[Event, ...], wanted: Event) -> int:
    """Index of `wanted`, or of the last event of the same batch, or of the last batch, before it.

    A change of settings keeps the moment on screen where the new run still has it.
    """
    t = min(wanted.t, events[-1].t)
    batch = [i for i, event in enumerate(events) if event.t == t]
    if wanted.t > t:
        return batch[-1]
    same_kind = [i for i in batch if events[i].kind == wanted.kind]
    earlier = [i for i in same_kind if events[i].k <= wanted.k]
    return (earlier or same_kind[:1] or batch[:1])[-1]


def _batch(decision: Decision, region: int | None) -> tuple[Event, ...]:
    t = decision.t
    picks = [Event(t, Kind.PICK, k) for k in range(len(decision.indices))]
    if region is not None:
        picks.insert(region, Event(t, Kind.REGION))
    return (Event(t, Kind.POSTERIOR), *picks, Event(t, Kind.OBSERVE))
