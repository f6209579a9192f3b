"""The events of a run: what can be stepped through, in order.

Each batch is posterior -> first pick -> region -> further picks -> observe. Where no pick is made
inside R+, nor inside a region of the policy's own, there is no region event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision, Explored


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
    K = trace.policy.batch_size
    region = (trace.policy.uses_region or trace.policy.own_region) and K > 1
    return tuple(
        event for t in range(1, len(trace.decisions) + 1) for event in _batch(t, K, region=region)
    )


def explored_at(decision: Decision, event: Event) -> Explored | None:
    """The region of the policy's own that an event shows: a pick's, or the next one's."""
    if event.kind is Kind.PICK:
        return decision.explored[event.k] if decision.explored else None
    later = decision.explored[1:] if event.kind is Kind.REGION else ()
    return next((one for one in later if one is not None), None)


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


def _batch(t: int, batch_size: int, *, region: bool) -> tuple[Event, ...]:
    picks = [Event(t, Kind.PICK, k) for k in range(batch_size)]
    if region:
        picks.insert(1, Event(t, Kind.REGION))
    return (Event(t, Kind.POSTERIOR), *picks, Event(t, Kind.OBSERVE))
