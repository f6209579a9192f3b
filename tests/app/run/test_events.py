"""The order of events, and where a change of settings lands."""

from __future__ import annotations

from ucbpe_app.run.events import Event, Kind, closest
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import GreedyUCB


def _events(policy: GPUCBPE | GreedyUCB, batches: int = 2) -> tuple[Event, ...]:
    return Replay(simulate(problems.multimodal(), policy, batches=batches, initial=3)).events


def test_a_batch_is_fit_first_pick_region_further_picks_observe() -> None:
    assert _events(GPUCBPE(batch_size=3))[:6] == (
        Event(1, Kind.POSTERIOR),
        Event(1, Kind.PICK, 0),
        Event(1, Kind.REGION),
        Event(1, Kind.PICK, 1),
        Event(1, Kind.PICK, 2),
        Event(1, Kind.OBSERVE),
    )


def test_a_policy_without_a_region_has_no_region_event() -> None:
    events = _events(GreedyUCB(batch_size=3))
    assert len(events) == 2 * 5
    assert all(event.kind is not Kind.REGION for event in events)


def test_closest_keeps_an_event_that_is_still_there() -> None:
    events = _events(GPUCBPE(batch_size=4))
    assert all(closest(events, event) == i for i, event in enumerate(events))


def test_closest_falls_back_to_the_last_pick_and_the_last_batch() -> None:
    events = _events(GPUCBPE(batch_size=3))
    assert events[closest(events, Event(2, Kind.PICK, 9))] == Event(2, Kind.PICK, 2)
    assert events[closest(events, Event(7, Kind.POSTERIOR))] == Event(2, Kind.OBSERVE)


def test_closest_without_a_region_event_goes_to_the_batch_start() -> None:
    events = _events(GreedyUCB(batch_size=3))
    assert events[closest(events, Event(2, Kind.REGION))] == Event(2, Kind.POSTERIOR)
