"""Enlarged figures: larger in every size that is theirs, and afterwards as they were."""

from __future__ import annotations

import pytest
from bokeh.models import ColumnDataSource, Span
from bokeh.plotting import figure

from ucbpe_app.figures.enlarge import TEXT, Enlarged


@pytest.fixture
def plot() -> figure:
    plot = figure(height=200, min_border_left=40)
    source = ColumnDataSource({"x": [1.0], "y": [2.0], "size": [5], "text": ["a"]})
    plot.line("x", "y", source=source, line_width=2.5)
    plot.scatter("x", "y", size="size", source=source)
    plot.scatter("x", "y", size=10, source=source)
    plot.text("x", "y", text="text", text_font_size="12px", source=source)
    plot.add_layout(Span(location=1, line_width=2))
    return plot


def properties(plot: figure) -> dict[str, object]:
    return {
        f"{model.id}.{name}": model.properties_with_values()[name]
        for model in plot.references()
        for name in ("line_width", "size", "text_font_size", "min_border_left")
        if name in model.properties()
    }


def test_lines_marks_texts_and_borders_grow(plot: figure) -> None:
    Enlarged().enlarge([plot])
    line, by_column, by_value, text = (renderer.glyph for renderer in plot.renderers)
    assert line.line_width == pytest.approx(4.5)
    assert by_value.size == pytest.approx(14)
    assert by_column.size == "size"
    assert text.text_font_size == TEXT
    assert plot.min_border_left == 60
    assert plot.height == 200


def test_everything_is_put_back(plot: figure) -> None:
    before, enlarged = properties(plot), Enlarged()
    enlarged.enlarge([plot])
    assert properties(plot) != before
    enlarged.enlarge([plot])  # not twice as large
    assert plot.min_border_left == 60
    enlarged.restore()
    assert properties(plot) == before
    enlarged.restore()
    assert properties(plot) == before
