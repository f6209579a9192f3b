"""Figures as panes: lighter, and otherwise as they were."""

from bokeh.models import AllIndices, CDSView, ColumnDataSource
from bokeh.plotting import figure

from ucbpe_app.render.pane import pane


def test_only_what_serves_selection_and_muting_is_left_out() -> None:
    plot = figure(width=300, height=200)
    lines = [plot.line([0, 1], [0, 1], color=color) for color in ("red", "green", "blue")]
    glyphs = [line.glyph for line in lines]
    before = len(plot.references())
    shown = pane(plot, margin=0)
    assert shown.object is plot
    assert (shown.sizing_mode, shown.margin) == ("stretch_width", 0)
    assert [line.glyph for line in lines] == glyphs
    assert all(line.nonselection_glyph is None is line.muted_glyph for line in lines)
    assert len(plot.references()) <= before - 2 * len(lines) - (len(lines) - 1)
    assert len(list(plot.select({"type": AllIndices}))) == 1
    # A view keeps the rows of a source: those of another cannot share it.
    assert len(list(plot.select({"type": CDSView}))) == len(lines)


def test_the_renderers_of_a_source_share_its_view() -> None:
    source = ColumnDataSource({"x": [0, 1], "y": [0, 1]})
    plot = figure()
    line, dots = plot.line("x", "y", source=source), plot.scatter("x", "y", source=source)
    other = plot.line([0, 1], [0, 1])
    pane(plot)
    assert line.view is dots.view
    assert line.view is not other.view
