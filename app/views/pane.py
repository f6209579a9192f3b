"""Figures as panes, without the parts that no picture here makes use of.

Bokeh gives every renderer a glyph for what is not selected, one for what is muted and a filter
that keeps every row, every source a policy of selection and every axis one of labels. Nothing here
is selected or muted: in a page of the Step page's size that is a third of all its models, each of
which the browser has to build, and the server to number for every message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.models import (
    AllIndices,
    AllLabels,
    Axis,
    ColumnDataSource,
    GlyphRenderer,
    UnionRenderers,
)

if TYPE_CHECKING:
    from bokeh.model import Model


def pane(figures: Model, **options: Any) -> pn.pane.Bokeh:
    """A figure, or a layout of several, as wide as its place; ``options`` go to the pane."""
    lighten(figures)
    return pn.pane.Bokeh(figures, **{"sizing_mode": "stretch_width", **options})


def lighten(figures: Model) -> None:
    """Drop what serves selection and muting, and share among all renderers what they can share."""
    every, union, labels = AllIndices(), UnionRenderers(), AllLabels()
    for renderer in figures.select({"type": GlyphRenderer}):
        renderer.update(nonselection_glyph=None, muted_glyph=None)
        renderer.view.filter = every
    for source in figures.select({"type": ColumnDataSource}):
        source.selection_policy = union
    for axis in figures.select({"type": Axis}):
        axis.major_label_policy = labels
