"""The colour scales of the squares: they fit the batch, and change rarely, never within a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.figures.field.outline import edges
from ucbpe_app.pictures.picture import stepped

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene

Limits = tuple[float, float]
_MARGIN = 0.05  # of the width: many a pick is in a corner


def limits(scene: Scene, frame: Frame | None = None) -> tuple[Limits, Limits, Limits, Limits]:
    """Low and high of truth, mean, standard deviation and bound, of a batch or of the whole run."""
    low, high = scene.means
    # On a scale that holds means far beyond it, the truth would be nearly one colour.
    truth = float(scene.truth.min()), float(scene.truth.max())
    largest, (bottom, top) = scene.largest_std, scene.values
    if frame is not None:
        largest = stepped(largest, float(frame.std.max()))
        top = high + stepped(top - high, float(frame.upper.max()) - high)
    # No upper bound lies below the lowest mean, and no lower bound above the highest: from there
    # the colours are not wasted.
    bound = (low, top) if scene.sign > 0 else (bottom, high)
    return truth, (low, high), (0.0, largest), bound


def ranges(scene: Scene) -> tuple[Limits, Limits]:
    """The ranges of both axes; a margin keeps marks on the rim whole."""
    first, second = (edges(np.unique(scene.candidates[:, axis])) for axis in range(2))
    return _wider(first), _wider(second)


def _wider(extent: Limits) -> Limits:
    margin = _MARGIN * (extent[1] - extent[0])
    return extent[0] - margin, extent[1] + margin
