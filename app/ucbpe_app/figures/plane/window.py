"""What part of the decision plane is shown: the part where a batch is decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.figures.axes import stepped
from ucbpe_core.errors import grouped
from ucbpe_core.region import relevant_region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats

Box = tuple[float, float, float, float]  # left, right, bottom and top
_PAD = 0.06  # of a range, left around what must be seen
_PLACES = 8  # per length, where a range may begin


def window(scene: Scene, frame: Frame, positions: Sequence[tuple[float, float]]) -> Box:
    """The box that holds R+ and the picks at `positions`, in rare steps from the run's whole.

    It stays the same inside a batch, unless a policy picks outside R+. Far outside R+ are corners
    that never mattered: with them in view, the decisions of late batches would be in a tiny spot.
    """
    maximised = frame if scene.sign > 0 else replace(frame, mean=-frame.mean)
    relevant = relevant_region(maximised, frame.beta, frame.beta_next).region_plus
    stds = [float(frame.std[relevant].max()), *(std for std, _ in positions)]
    means = [*_extremes(frame.mean[relevant]), *(mean for _, mean in positions)]
    widest = stepped(scene.largest_std, max(stds)) or 1.0
    bottom, top = _bracket(scene.means, min(means), max(means))
    pad = _PAD * (top - bottom)
    # A little room left of 0, or marks at std 0 would be cut in half.
    return -_PAD / 2 * widest, (1 + _PAD) * widest, bottom - pad, top + pad


def _extremes(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _bracket(whole: tuple[float, float], lowest: float, highest: float) -> tuple[float, float]:
    """A part of `whole` that holds both values, of a stepped length and in a stepped place."""
    low, high = whole
    span = stepped(high - low, (highest - lowest) / (1 - 1 / _PLACES)) or 1.0
    bottom = low + np.floor((lowest - low) / span * _PLACES) * span / _PLACES
    return float(bottom), float(bottom + span)


def beyond(frame: Frame, box: Box) -> int:
    """How many dots of a frame the box leaves out."""
    left, right, bottom, top = box
    std, mean = frame.std_now, frame.mean
    shown = (left <= std) & (std <= right) & (bottom <= mean) & (mean <= top)
    return int(np.count_nonzero(~shown))


def outside(frame: Frame, box: Box) -> str:
    """The same in words; empty if there are none."""
    out = beyond(frame, box)
    return f"{grouped(out)} dot{'' if out == 1 else 's'} not shown." if out else ""
