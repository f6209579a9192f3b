"""What is sent of figures: panes without unused parts, changed columns, where a person points."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.events import DoubleTap, Tap
from bokeh.models import (
    AllIndices,
    AllLabels,
    Axis,
    CDSView,
    ColumnDataSource,
    CrosshairTool,
    GlyphRenderer,
    LinearScale,
    Plot,
    Selection,
    UnionRenderers,
)

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.plotting import figure as Figure

    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class Place:
    """A place in a figure, in the units of its axes, and how many of them a pixel is wide."""

    x: float
    y: float
    dx: float
    dy: float

    def nearest(self, x: Floats, y: Floats, reach: float = np.inf) -> int | None:
        """Index of the point (x, y), shape (M,), nearest on screen, if within `reach` px."""
        if len(x) == 0:
            return None
        squared = ((x - self.x) / self.dx) ** 2 + ((y - self.y) / self.dy) ** 2
        index = int(np.argmin(squared))
        return index if squared[index] <= reach**2 else None


_AIM = {"line_color": theme.INK, "line_alpha": 0.6}  # under the pointer: a click goes there


def aim(figure: Figure, on_select: Callable[[float], None]) -> None:
    """Have a click tell its x; a line under the pointer announces it."""

    def tapped(event: Tap | DoubleTap) -> None:
        # A click outside the axes has no place in the data.
        if event.x is not None and isfinite(event.x):
            on_select(event.x)

    # A second click within 300 ms, wherever it is, is a double click.
    figure.on_event(Tap, tapped)
    figure.on_event(DoubleTap, tapped)
    # Bokeh leaves no other say over the cursor.
    figure.add_tools(CrosshairTool(dimensions="height", **_AIM))


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bokeh.model import Model

    Column = Sequence[Any] | np.ndarray


@dataclass(frozen=True)
class Shared:
    """What figures of one document share; views and outlines by the ids of their sources.

    `nothing` is what is selected in every source, which `source_of` is given: it cannot be set.
    """

    every: AllIndices = field(default_factory=AllIndices)
    union: UnionRenderers = field(default_factory=UnionRenderers)
    labels: AllLabels = field(default_factory=AllLabels)
    scale: LinearScale = field(default_factory=LinearScale)
    nothing: Selection = field(default_factory=Selection)
    views: dict[str, CDSView] = field(default_factory=dict)
    outlines: dict[str, ColumnDataSource] = field(default_factory=dict)


def pane(figures: Model, shared: Shared | None = None, **options: Any) -> pn.pane.Bokeh:
    """A figure, or a layout of several, as wide as its place; ``options`` go to the pane."""
    lighten(figures, shared or Shared())
    return pn.pane.Bokeh(figures, **{"sizing_mode": "stretch_width", **options})


def lighten(figures: Model, shared: Shared) -> None:
    """Drop what serves selection and muting, and share among all renderers what they can share."""
    for model in figures.references():  # once: each `select` would go through all of them
        if isinstance(model, GlyphRenderer):
            model.update(nonselection_glyph=None, muted_glyph=None)
            model.view = shared.views.setdefault(model.data_source.id, model.view)
            model.view.filter = shared.every
        elif isinstance(model, ColumnDataSource):
            model.selection_policy = shared.union
        elif isinstance(model, Plot):
            model.update(title=None, x_scale=shared.scale, y_scale=shared.scale)
            for side in ("center", "below", "left"):
                shown = [part for part in getattr(model, side) if part.visible]
                model.update(**{side: shown})
        elif isinstance(model, Axis):
            model.major_label_policy = shared.labels


_FEW = 100  # up to so many entries, text is faster than separate messages


def put(source: ColumnDataSource, columns: Mapping[str, Column]) -> None:
    """Give a source these columns, each of them numbers, texts, or images.

    An array takes two separate websocket messages, which the browser handles one by one: the
    candidates' places, the same at every event, would cost as much as the curve over them. A short
    array is sent as a list, within the message about it.
    """
    sent, columns = source.data, {name: _sendable(column) for name, column in columns.items()}
    if sent.keys() != columns.keys() or _height(sent) != _height(columns):
        source.data = columns  # a source never has columns of different heights
    elif changed := {n: column for n, column in columns.items() if not _same(sent[n], column)}:
        sent.update(changed)


def _sendable(column: Column) -> Column:
    if isinstance(column, np.ndarray) and column.size <= _FEW:
        return column.tolist()
    return column


def _height(columns: Mapping[str, Column]) -> int:
    return len(next(iter(columns.values()), ()))


def _same(sent: Column, column: Column) -> bool:
    if isinstance(sent, np.ndarray) and isinstance(column, np.ndarray):
        return sent.dtype == column.dtype and np.array_equal(sent, column, equal_nan=True)
    pairs = zip(sent, column, strict=True)
    # An image is an entry of its column; NaN is not equal to itself.
    return all(
        _same(a, b) if isinstance(a, np.ndarray) else a == b or (a != a and b != b)
        for a, b in pairs
    )
