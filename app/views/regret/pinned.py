"""The regret of a pinned run: the same curves, thin and grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource

from app import theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from app.views.regret.chart import Curve

LOOK = theme.PINNED.line(line_width=1.2)
_SIZE = 5


class PinnedCurves:
    """Curves below those of the run on screen. Their models are in the plots only while they are.

    Parameters
    ----------
    plots : figures, and what the names of the columns end with in each
    curves : those to draw
    """

    def __init__(self, plots: Mapping[str, Figure], curves: Sequence[Curve]) -> None:
        self._plots, self._curves = dict(plots), curves
        self.source = ColumnDataSource({"t": []})
        self._drawn: list[GlyphRenderer] = []

    def draw(self, columns: Mapping[str, Any] | None) -> None:
        """Show these columns, or nothing."""
        if columns is None:
            self._remove()
            return
        self.source.data = dict(columns)
        if not self._drawn:
            for suffix, plot in self._plots.items():
                for curve in self._curves:
                    self._drawn += self._add(plot, curve, f"{curve.column}{suffix}")

    def _add(self, plot: Figure, curve: Curve, column: str) -> list[GlyphRenderer]:
        common = {"source": self.source, "level": "underlay"}
        if curve.step:
            return [plot.step("t", column, mode="after", **common, **LOOK)]
        point = {**theme.PINNED.point(_SIZE, line_width=1), "marker": curve.mark.marker}
        dots = plot.scatter("t", column, **common, **point)
        return [plot.line("t", column, **common, **LOOK), dots]

    def _remove(self) -> None:
        for plot in self._plots.values() if self._drawn else ():
            plot.renderers = [one for one in plot.renderers if one not in self._drawn]
        self._drawn = []
