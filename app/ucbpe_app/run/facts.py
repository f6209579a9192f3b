"""Numbers of an event that a lesson's task can be about, by name.

They go to the browser with each frame, and `engine/facts.js` has the same ones of a run that the
browser computes, so that a task is judged in one place, its script.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.run.frames import Frame, Scene


class Fact(NamedTuple):
    """What the number is, and the number of a frame: None where it is not on screen."""

    meaning: str
    of: Callable[[Scene, Frame], float | None]


def _first_pick(_: Scene, frame: Frame) -> float | None:
    return next((float(pick.x[0]) for pick in frame.picks if pick.number == 0), None)


def _region(_: Scene, frame: Frame) -> float | None:
    return None if frame.region_plus is None else 100 * float(frame.region_plus.mean())


def _apart(_: Scene, frame: Frame) -> float | None:
    places = [pick.x for pick in frame.picks]
    between = (float(np.linalg.norm(one - other)) for one, other in combinations(places, 2))
    return min(between, default=None)


def _missed(scene: Scene, frame: Frame) -> float:
    outside = (scene.truth < frame.lower) | (scene.truth > frame.upper)
    return 100 * float(outside.mean())


def _std(_: Scene, frame: Frame) -> float:
    return float(frame.std_now.max())


FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        "x0": Fact("where the first pick of the batch is, along the first input", _first_pick),
        "apart": Fact("the least distance between two picks of the batch", _apart),
        "region": Fact("the share of R⁺, in per cent of all candidates", _region),
        "std": Fact("the largest std of all candidates", _std),
        "missed": Fact("the share of candidates where f is outside its band, in per cent", _missed),
    }
)


def facts(scene: Scene, frame: Frame) -> dict[str, float]:
    """Those that are on screen at an event."""
    found = ((name, fact.of(scene, frame)) for name, fact in FACTS.items())
    return {name: value for name, value in found if value is not None}
