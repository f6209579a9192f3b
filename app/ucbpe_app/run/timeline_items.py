"""The events of a batch as the timeline shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import pick_label

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay


def timeline_items(replay: Replay, t: int) -> list[dict[str, Any]]:
    """The events of batch t for the timeline."""
    return [
        {
            "label": _label(event),
            "index": i,
            "role": _role(replay, event),
            "event": event.text,
        }
        for i, event in enumerate(replay.batch(t), replay.batch_start(t))
    ]


def _label(event: Event) -> str:
    if event.kind is Kind.PICK:
        return pick_label(event.k)
    return {Kind.FIT: "fit", Kind.REGION: "R⁺", Kind.OBSERVE: "observe"}[event.kind]


def _role(replay: Replay, event: Event) -> str:
    if event.kind is not Kind.PICK:
        return event.kind.value
    return replay.trace.decisions[event.t - 1].roles[event.k]
