"""The effect of another setting on an event, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.sentences import number, percentage, pick_label, place
from ucbpe_app.run.sentences.direction import words_of

if TYPE_CHECKING:
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.replay import Replay


def compare(before: Replay, after: Replay, event: Event) -> str:
    """What differs at an event of `after` from the same of `before`; empty if that has no such.

    Only what is already on screen is compared, never a later pick.
    """
    if event.t > len(before.trace.decisions):
        return ""
    old, new = (run.trace.decisions[event.t - 1] for run in (before, after))
    parts = [_changed("√β", number(old.sqrt_beta), number(new.sqrt_beta))]
    if before.events[closest(before.events, event)] == event:
        parts += _choice(before, after, event)
    done = event.t if event.kind is Kind.OBSERVE else event.t - 1
    if done:
        best = [number(run.trace.running_minimum[done - 1]) for run in (before, after)]
        words = words_of(after.trace)
        unit = f" {words.short_of} the {words.extreme}"
        parts.append(_changed("best so far", best[0], best[1], unit))
    return ", ".join(parts)


def _choice(before: Replay, after: Replay, event: Event) -> list[str]:
    """The pick made last, at a pick or region event, and the region where it is known."""
    if event.kind not in (Kind.PICK, Kind.REGION):
        return []
    old, new = (run.trace.decisions[event.t - 1] for run in (before, after))
    X = after.trace.problem.candidates
    was, now = (int(one.indices[event.k]) for one in (old, new))
    moved = _changed(pick_label(event.k), place(X, was), place(X, now))
    known = event.kind is Kind.REGION or event.k > 0
    if not known or not all(run.trace.policy.uses_region for run in (before, after)):
        return [moved]
    shares = percentage(old.region_plus), percentage(new.region_plus)
    return [moved, _changed("R⁺", shares[0], shares[1], " of X")]


def _changed(name: str, old: str, new: str, unit: str = "") -> str:
    return f"{name} stays {new}{unit}" if old == new else f"{name} {old} → {new}{unit}"
