"""Figures as panes, without the parts that no picture here makes use of.

Bokeh gives every renderer a glyph for what is not selected, one for what is muted and a view of its
source, with a filter that keeps every row; every source a policy of selection; and every axis one
of labels. Nothing here is selected, filtered or muted: in a page of the Step page's size that is
two fifths of all its models, each of which the browser has to build, and the server to number for
every message. Grids that are not shown are left out, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import panel as pn
from bokeh.models import (
    AllIndices,
    AllLabels,
    Axis,
    CDSView,
    ColumnDataSource,
    GlyphRenderer,
    Grid,
    LinearScale,
    Plot,
    UnionRenderers,
)

if TYPE_CHECKING:
    from bokeh.model import Model

# The view of each source, for all figures that draw it.
_VIEWS: WeakKeyDictionary[ColumnDataSource, CDSView] = WeakKeyDictionary()


def pane(figures: Model, **options: Any) -> pn.pane.Bokeh:
    """A figure, or a layout of several, as wide as its place; ``options`` go to the pane."""
    lighten(figures)
    return pn.pane.Bokeh(figures, **{"sizing_mode": "stretch_width", **options})


def lighten(figures: Model) -> None:
    """Drop what serves selection and muting, and share among all renderers what they can share."""
    every, union, labels, scale = AllIndices(), UnionRenderers(), AllLabels(), LinearScale()
    for model in figures.references():  # once: each `select` would go through all of them
        if isinstance(model, GlyphRenderer):
            model.update(nonselection_glyph=None, muted_glyph=None)
            model.view = _VIEWS.setdefault(model.data_source, model.view)
            model.view.filter = every
        elif isinstance(model, ColumnDataSource):
            model.selection_policy = union
        elif isinstance(model, Plot):
            model.update(title=None, x_scale=scale, y_scale=scale)
            hidden = [one for one in model.center if isinstance(one, Grid) and not one.visible]
            model.center = [one for one in model.center if one not in hidden]
        elif isinstance(model, Axis):
            model.major_label_policy = labels
