"""The dot under the mouse, told: which candidate it is, its inputs, and what is known of it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource, CustomJS, CustomJSHover, HoverTool

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from app.frames import Scene

_TRUTH = "truth"
# `value` is a number, or for the format of a column a candidate, whose entry there is meant.
_WRITTEN = """
  if (format === "row") { return String(value) }
  const number = format in known.data ? known.data[format][value] : value
  return String(Number(number.toPrecision(4))).replace("-", "−")
"""
# Where a pick's mark is, the dots below it are not meant.
_MEANT = "return cb_data.data_source === marks || marks.inspected.indices.length === 0"
# Bokeh's own rows are larger than the text of the page, and their pale blue is hard to read.
_BOX = (
    "margin:-5px;padding:4px 8px;background:#fff;color:#1a1a1a;font:13px/1.35 sans-serif;"
    "font-variant-numeric:tabular-nums"
)
_NAME = "padding:0 10px 0 0;color:#5f6368;font-weight:400;text-align:left"
# What Bokeh would take for a column in a name.
_LITERAL = str.maketrans({"@": "&#64;", "$": "&#36;"})


class Pointer:
    """A tooltip for one dot or mark, the topmost, with the names that the problem's axes have.

    The candidates are sent once per run: sources of dots and marks name theirs by its `row`.

    Attributes
    ----------
    known : a column per input, "0", "1", .., and the true values
    """

    def __init__(self, plot: Figure, marks: GlyphRenderer, dots: GlyphRenderer) -> None:
        self.known = ColumnDataSource()
        written = CustomJSHover(args={"known": self.known}, code=_WRITTEN)
        meant = CustomJS(args={"marks": marks.data_source}, code=_MEANT)
        self.tool = HoverTool(
            renderers=[marks, dots],
            formatters=dict.fromkeys(("@row", "@x", "@y"), written),
            filters={"@row": meant},
            sort_by=[("$index", "descending")],
            limit=1,
            visible=False,
        )
        plot.add_tools(self.tool)
        self._axes: tuple[str, ...] = ("",)

    def load(self, scene: Scene) -> None:
        """Take the candidates of another run."""
        self._axes = scene.axes
        columns = {str(i): column for i, column in enumerate(scene.candidates.T)}
        self.known.data = {**columns, _TRUTH: scene.truth}

    def show(self, *, truth: bool) -> None:
        """Choose whether the true value is told too."""
        *inputs, output = self._axes
        rows = [
            ("candidate", "@row{row}"),
            *((name, f"@row{{{i}}}") for i, name in enumerate(inputs)),
            ("std σ", "@x{x}"),
            ("mean μ", "@y{y}"),
            *([(f"true {output}", f"@row{{{_TRUTH}}}")] if truth else []),
        ]
        self.tool.tooltips = f'<table style="{_BOX}">{"".join(map(_row, rows))}</table>'


def _row(row: tuple[str, str]) -> str:
    name = escape(row[0]).translate(_LITERAL)
    return f'<tr><th style="{_NAME}">{name}</th><td>{row[1]}</td></tr>'
