"""Markers and texts with casings, which read over a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.transforms import offset_copy

from ucbpe_app.plots.elements import options

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def cased(points: hv.Scatter, casing: float, edge: float) -> hv.Scatter:
    """Markers with so many points of black around their outlines."""

    def finish(plot: Any, element: Any) -> None:
        stroke = withStroke(linewidth=edge + 2 * casing, foreground="black")
        plot.handles["artist"].set_path_effects([stroke])

    return options(points, hooks=[finish])


def dots(
    x: ArrayLike, y: ArrayLike, size: float, values: ArrayLike, colors: Any, low: float, high: float
) -> hv.Scatter:
    """Points whose colour tells their values, shape (n,), from `low` to `high`."""
    return options(
        hv.Scatter((np.asarray(x), np.asarray(y), np.asarray(values)), "x", ["y", "value"]),
        color="value", cmap=list(colors), clim=(low, high), s=size**2, linewidth=0,
    )  # fmt: skip


def texts(
    x: ArrayLike, y: ArrayLike, words: tuple[str, ...], offsets: Any, size: float
) -> hv.Labels:
    """Short words beside (x, y), shape (n,) each, (right, up) of them in typographic points."""

    def finish(plot: Any, element: Any) -> None:
        for i, text in enumerate(plot.handles["artist"]):
            right, up = offsets[i]
            place = offset_copy(text.get_transform(), text.figure, right, up, units="points")
            text.set(transform=place, ha="left" if right > 0 else "right", va="center_baseline")
            text.set(color="white")
            text.set_path_effects([withStroke(linewidth=1.9, foreground="black")])

    data = (np.asarray(x), np.asarray(y), list(words))
    labels = hv.Labels(data, ["x", "y"], "text")
    return options(labels, size=size, weight="bold", hooks=[finish])
