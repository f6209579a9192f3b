"""Figures as panes: lighter, and otherwise as they were; a source is told what is new."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent
from bokeh.models import AllIndices, CDSView, ColumnDataSource
from bokeh.plotting import figure

from ucbpe_app.render.sending import pane, put


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


X = np.linspace(0, 1, 5)
Y = np.array([1.0, np.nan, 2.0, 3.0, 5.0])


@pytest.fixture
def source() -> ColumnDataSource:
    return ColumnDataSource({"x": X, "y": Y, "name": list("abcde")})


@pytest.fixture
def told(source: ColumnDataSource) -> list[set[str] | None]:
    """The columns of each message; None stands for all."""
    document, told = Document(), list[set[str] | None]()
    document.add_root(source)

    def note(event: Any) -> None:
        hinted = event if isinstance(event, ColumnDataChangedEvent) else event.hint
        cols = hinted.cols if hinted is not None else None
        told.append(None if cols is None else set(cols))

    document.on_change(note)
    return told


def test_nothing_is_told_of_the_same_columns(
    source: ColumnDataSource, told: list[set[str] | None]
) -> None:
    put(source, {"x": X.copy(), "y": Y.copy(), "name": list("abcde")})
    assert told == []


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("y", Y + 1),
        ("y", np.array([1.0, np.nan, 2.0, 3.0, 6.0])),
        ("name", list("abcdf")),
        ("x", X.tolist()[::-1]),
    ],
)
def test_only_the_column_that_differs_is_told(
    source: ColumnDataSource, told: list[set[str] | None], column: str, values: Any
) -> None:
    columns = {"x": X, "y": Y, "name": list("abcde"), column: values}
    put(source, columns)
    assert told == [{column}]
    held = [repr(one) for one in np.asarray(source.data[column]).tolist()]  # NaN as written
    assert held == [repr(one) for one in np.asarray(values).tolist()]
    assert source.data.keys() == {"x", "y", "name"}


def test_columns_of_another_height_come_together(
    source: ColumnDataSource, told: list[set[str] | None]
) -> None:
    put(source, {"x": X[:2], "y": Y[:2], "name": ["a", "b"]})
    assert told == [None]
    assert {len(column) for column in source.data.values()} == {2}
    put(source, {"x": [], "y": [], "name": []})
    assert told == [None, None]
    put(source, {"x": np.empty(0), "y": [], "name": []})
    assert told == [None, None]


def test_a_long_array_is_told_if_a_number_or_its_type_differs(
    source: ColumnDataSource, told: list[set[str] | None]
) -> None:
    curve = np.where(np.arange(300) % 7, np.linspace(0, 1, 300), np.nan)
    put(source, {"x": np.arange(300.0), "y": curve})
    put(source, {"x": np.arange(300.0), "y": curve.copy()})
    assert told == [None]
    other = curve.copy()
    other[8] = 2
    put(source, {"x": np.arange(300.0), "y": other})
    assert told == [None, {"y"}]
    put(source, {"x": np.arange(300, dtype=np.float32), "y": other})
    assert told == [None, {"y"}, {"x"}]
