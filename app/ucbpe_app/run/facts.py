"""Numbers of an event that a lesson's task can be about, by name.

They go to the browser with each frame, and `engine/facts.js` has the same ones of a run that the
browser computes, so that a task is judged in one place, its script.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.run.frames import Frame


class Fact(NamedTuple):
    """What the number is, and the number of a frame: None where it is not on screen."""

    meaning: str
    of: Callable[[Frame], float | None]


def _first_pick(frame: Frame) -> float | None:
    return next((float(pick.x[0]) for pick in frame.picks if pick.number == 0), None)


def _region(frame: Frame) -> float | None:
    return None if frame.region_plus is None else 100 * float(frame.region_plus.mean())


def _std(frame: Frame) -> float:
    return float(frame.std_now.max())


FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        "x0": Fact("where the first pick of the batch is, along the first input", _first_pick),
        "region": Fact("the share of R⁺, in per cent of all candidates", _region),
        "std": Fact("the largest std of all candidates", _std),
    }
)


def facts(frame: Frame) -> dict[str, float]:
    """Those that are on screen at an event."""
    found = ((name, fact.of(frame)) for name, fact in FACTS.items())
    return {name: value for name, value in found if value is not None}
