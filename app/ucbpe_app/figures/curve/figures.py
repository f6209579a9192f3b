"""The three figures of the line view, their sources and glyphs: built once, never again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.core.properties import value
from bokeh.models import BasicTicker, ColumnDataSource, Label, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.candidate_marker import CandidateMarker
from ucbpe_app.figures.curve import badges
from ucbpe_app.figures.curve.geometry import FAMILIES
from ucbpe_app.figures.curve.pinned import PinnedCurve

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

BAND_ALPHA, FADED = 0.3, 0.5
NOISY = theme.BAND.line(line_width=1)
GHOST = theme.Mark(theme.INK, dash="dotted")
LEFT, RIGHT = 68, 32  # px beside the frames: one value for all three, so that they line up
# Far below every figure. A hidden label takes no room, and would need a layout when it is shown.
_NOWHERE = -1e12
_TEXT_COLOR = f":host {{ --bk-text-color: var(--mui-palette-text-secondary, {theme.INK}); }}"
_ROWS = ("R⁺", "R")  # from the bottom up
_COLUMNS = {
    "truth": ("x", "y"),
    "posterior": ("x", "mean", "lower", "upper"),
    "noisy": ("x", "lower", "upper"),
    "updated": ("x", "lower", "upper"),
    "std": ("x", "now", "inside", "before"),
    "region": ("left", "right"),
    "region_plus": ("left", "right"),
    "data": ("x", "y"),
    "fresh": ("x", "y"),
    "ucb": ("x", "y", "std", "size", "alpha"),
    "pe": ("x", "y", "std", "size", "alpha"),
    "other": ("x", "y", "std", "size", "alpha"),
    "badges": badges.COLUMNS,
    "guide": ("x",),
    "y_dot": ("x", "y"),
}


class Figures:
    """The posterior, the strips of R and R+, and the std, above each other.

    Attributes
    ----------
    sources : by name, with the columns of `_COLUMNS`
    truth : the renderer that a layer hides
    marker : the candidate pointed at, on the mean and on the std
    y_dot_label : the name of y•, beside the frame at its height
    pinned : another run, behind the posterior
    """

    def __init__(self) -> None:
        self.sources = {
            name: ColumnDataSource({column: [] for column in columns}, name=name)
            for name, columns in _COLUMNS.items()
        }
        x_range = Range1d(0, 1)
        self.marker = CandidateMarker("x", "mean", "std")
        self.main = _figure("Function", x_range, 280, y_range=Range1d(0, 1), min_border_top=8)
        self.strips = _figure("Relevant region", x_range, 56, y_range=list(_ROWS))
        self.std = _figure(
            "Standard deviation", x_range, 168, y_range=Range1d(0, 1), min_border_bottom=48
        )
        self.main.xaxis.visible = self.strips.xaxis.visible = False
        self.truth = self._draw_posterior()
        self._draw_choices()
        self._draw_strips()
        self._draw_std()
        self.y_dot_label = _y_dot_label()
        self.main.add_layout(self.y_dot_label, "right")
        self.pinned = PinnedCurve(self.main)

    @property
    def plots(self) -> tuple[Figure, Figure, Figure]:
        """From the top down."""
        return self.main, self.strips, self.std

    @property
    def x_range(self) -> Range1d:
        """That of all three."""
        return self.main.x_range

    def label_y_dot(self, y_dot: float | None) -> None:
        """Write y• beside the frame at its height, where it covers nothing."""
        self.y_dot_label.y = _NOWHERE if y_dot is None else y_dot

    def _draw_posterior(self) -> GlyphRenderer:
        plot, sources = self.main, self.sources
        plot.varea("x", "lower", "upper", source=sources["posterior"], **_band())
        for edge in ("lower", "upper"):
            plot.line("x", edge, source=sources["noisy"], **NOISY)
            plot.line("x", edge, source=sources["updated"], **theme.UPDATED_BAND.line())
        truth = plot.line("x", "y", source=sources["truth"], **theme.TRUTH.line())
        plot.line("x", "mean", source=sources["posterior"], **theme.MEAN.line(line_width=2.5))
        return truth

    def _draw_choices(self) -> None:
        plot, sources = self.main, self.sources
        plot.line(source=sources["y_dot"], **theme.Y_DOT.line(line_width=2.5))
        self._draw_guide(plot)
        plot.text(source=sources["badges"], **_badge())
        plot.scatter(source=sources["data"], **theme.DATA.point(9))
        plot.scatter(source=sources["fresh"], **theme.DATA.point(12, line_width=3))
        plot.scatter(source=sources["fresh"], **_ring())
        self._draw_picks(plot, "y")
        self.marker.attach(plot, "x", "mean")

    def _draw_strips(self) -> None:
        plot = self.strips
        plot.grid.visible = False
        plot.yaxis.major_tick_line_color = None
        self._draw_row("R", "region", theme.REGION.fill(0.9))
        color = theme.REGION_PLUS.color
        hatch = {"hatch_pattern": "/", "hatch_color": color, "hatch_scale": 8, "hatch_weight": 1.5}
        fill = theme.REGION_PLUS.fill(0.2, line_color=color, line_width=1.5)
        self._draw_row("R⁺", "region_plus", {**fill, **hatch})
        self._draw_guide(plot)

    def _draw_row(self, row: str, name: str, look: dict[str, Any]) -> None:
        place = {"y": value(row), "height": 0.62, "left": "left", "right": "right"}
        self.strips.hbar(source=self.sources[name], **place, **look)

    def _draw_std(self) -> None:
        plot, source = self.std, self.sources["std"]
        plot.yaxis.axis_label = "std σ"
        plot.yaxis.ticker = BasicTicker(desired_num_ticks=3, num_minor_ticks=0)
        self._draw_guide(plot)
        plot.line("x", "before", source=source, **GHOST.line())
        plot.line("x", "now", source=source, **theme.MEAN.line(line_alpha=FADED))
        plot.line("x", "inside", source=source, **theme.MEAN.line(line_width=2.5))
        self._draw_picks(plot, "std")
        self.marker.attach(plot, "x", "std")

    def _draw_guide(self, plot: Figure) -> None:
        plot.vspan("x", source=self.sources["guide"], line_color=theme.INK, line_alpha=0.7)

    def _draw_picks(self, plot: Figure, y: str) -> None:
        for name, mark in FAMILIES.items():
            fill = {"size": "size", "fill_alpha": "alpha"}
            plot.scatter("x", y, source=self.sources[name], **{**mark.point(), **fill})


def _figure(name: str, x_range: Range1d, height: int, **options: Any) -> Figure:
    borders = {"min_border_left": LEFT, "min_border_right": RIGHT}
    borders |= {"min_border_top": 3, "min_border_bottom": 3}
    css_classes = ["lab-at-curve", f"lab-{name.split()[0].lower()}"]
    options = {
        "height": height,
        "html_attributes": theme.region(name),
        "x_range": x_range,
        "css_classes": css_classes,
        **options,
    }
    plot = theme.figure(**{**borders, **options})
    plot.xgrid.visible = False
    return plot


def _band() -> dict[str, Any]:
    fill = theme.BAND.fill(BAND_ALPHA)
    return {name: option for name, option in fill.items() if not name.startswith("line")}


def _ring() -> dict[str, Any]:
    return {"marker": "circle", "size": 20, "fill_color": None, "line_color": theme.DATA.color}


def _y_dot_label() -> Label:
    # Not an axis of one tick, for each of whose changes Bokeh lays out the figure again.
    return Label(
        text="y•",
        x=5,
        x_units="screen",
        y=_NOWHERE,
        anchor="center_left",
        text_font=theme.FONT,
        text_font_size="13px",
        stylesheets=[_TEXT_COLOR],
    )


def _badge() -> dict[str, Any]:
    """The name of a pick, black on the colour of its role: it reads on both themes."""
    return {
        "text": "text",
        "text_color": "#000000",
        "text_font": value(theme.FONT),
        "text_font_size": "13px",
        "text_font_style": "bold",
        "background_fill_color": "color",
        "border_radius": 4,
        "padding": {"x": 4, "y": 0},
        "anchor": "anchor",
        "x_offset": "dx",
        "y_offset": "dy",
    }
