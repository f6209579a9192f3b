"""The regret of a pinned run: the same curves, thin and grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.figures.regret.chart import Curve

LOOK = theme.PINNED.line(line_width=1.2)
_SIZE = 5


class PinnedCurves:
    """Curves below those of the run on screen. Their models are in the plots only while they are.

    Parameters
    ----------
    plot : the figure of the run on screen
    curves : those to draw
    """

    def __init__(self, plot: Figure, curves: Sequence[Curve]) -> None:
        self._plot, self._curves = plot, curves
        self.source = ColumnDataSource({"t": []})
        self._drawn: list[GlyphRenderer] = []

    def draw(self, columns: Mapping[str, Any] | None) -> None:
        """Show these columns, or nothing."""
        if columns is None:
            self._remove()
            return
        self.source.data = dict(columns)
        if not self._drawn:
            for curve in self._curves:
                self._drawn += self._add(curve)

    def _add(self, curve: Curve) -> list[GlyphRenderer]:
        plot, places = self._plot, ("t", curve.column)
        common = {"source": self.source, "level": "underlay"}
        if curve.step:
            return [plot.step(*places, mode="after", **common, **LOOK)]
        point = {**theme.PINNED.point(_SIZE, line_width=1), "marker": curve.mark.marker}
        dots = plot.scatter(*places, **common, **point)
        return [plot.line(*places, **common, **LOOK), dots]

    def _remove(self) -> None:
        if self._drawn:
            kept = [one for one in self._plot.renderers if one not in self._drawn]
            self._plot.renderers = kept
        self._drawn = []
