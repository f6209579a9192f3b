"""Numbers of an event that a lesson's task can be about, by name.

They go to the browser with each frame, and `engine/asked.js` has the same ones of a run that the
browser computes, so that a task is judged in one place, its script.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.run.frames import Frame


def _first_pick(frame: Frame) -> float | None:
    """Where the first pick of the batch is, along the first input."""
    return next((float(pick.x[0]) for pick in frame.picks if pick.number == 0), None)


def _region(frame: Frame) -> float | None:
    """The share of R+, in per cent of all candidates."""
    return None if frame.region_plus is None else 100 * float(frame.region_plus.mean())


FACTS: Mapping[str, Callable[[Frame], float | None]] = MappingProxyType(
    {"x0": _first_pick, "region": _region}
)


def facts(frame: Frame) -> dict[str, float]:
    """Those that are on screen at an event."""
    found = {name: of(frame) for name, of in FACTS.items()}
    return {name: value for name, value in found.items() if value is not None}
