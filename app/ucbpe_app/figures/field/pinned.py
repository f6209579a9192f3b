"""A pinned run over the squares: its picks, and the outline of its R+."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.field.region import outlines
from ucbpe_app.figures.marks import mark_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.run.frames import Frame, Scene

DASH = "dotted"
_SIZE = 12
_DARK, _LIGHT = theme.OVER_FIELD_CASING, theme.OVER_FIELD
_LINES = ("xs", "ys", "dash", "color", "width")
_MARKS = ("x", "y", "marker", "color", "width")


class PinnedLayer:
    """Thin dotted outlines and empty marks. Its models are in the figures only while it is."""

    def __init__(self, plots: Sequence[Figure]) -> None:
        self._plots = plots
        self.lines = ColumnDataSource({name: [] for name in _LINES})
        self.picks = ColumnDataSource({name: [] for name in _MARKS})
        self._drawn: list[tuple[Figure, GlyphRenderer]] = []

    def draw(self, frame: Frame | None, scene: Scene) -> None:
        """Show an event of the pinned run, or nothing."""
        if frame is None:
            self._remove()
            return
        xs, ys = outlines(scene, frame)[0] if scene.grid else ([], [])
        n, K = len(xs), len(frame.picks)
        self.lines.data = {
            "xs": xs * 2,
            "ys": ys * 2,
            "dash": ["solid"] * n + [DASH] * n,
            "color": [_DARK] * n + [_LIGHT] * n,
            "width": [2.6] * n + [1.6] * n,
        }
        self.picks.data = {
            "x": [float(pick.x[0]) for pick in frame.picks] * 2,
            "y": [float(pick.x[1]) for pick in frame.picks] * 2,
            "marker": [mark_of(pick.role).marker for pick in frame.picks] * 2,
            "color": [_DARK] * K + [_LIGHT] * K,
            "width": [3.0] * K + [1.2] * K,
        }
        self._add()

    def _add(self) -> None:
        if self._drawn:
            return
        for plot in self._plots:
            lines = plot.multi_line(
                "xs", "ys", line_dash="dash", line_color="color", line_width="width",
                source=self.lines, level="underlay",
            )  # fmt: skip
            picks = plot.scatter(
                "x", "y", marker="marker", line_color="color", line_width="width", size=_SIZE,
                fill_color=None, source=self.picks, level="underlay",
            )  # fmt: skip
            self._drawn += [(plot, lines), (plot, picks)]

    def _remove(self) -> None:
        gone = [renderer for _, renderer in self._drawn]
        for plot in self._plots if gone else ():
            plot.renderers = [one for one in plot.renderers if one not in gone]
        self._drawn = []


def swatch(*, outlined: bool) -> legends.Shapes:
    """The look of it for a legend."""
    if outlined:
        return legends.stroke(_DARK, width=2.6) + legends.stroke(_LIGHT, DASH, 1.6)
    diamond = theme.PE_PICK.marker
    return legends.point(diamond, "none", line=_DARK, width=3) + legends.point(
        diamond, "none", line=_LIGHT, width=1.2
    )
