"""A one-dimensional problem at one event: the posterior, R and R+, and the std."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn

from ucbpe_app.figures.curve import geometry
from ucbpe_app.figures.curve.badges import badges
from ucbpe_app.figures.curve.figures import Figures
from ucbpe_app.figures.curve.legend import (
    POSTERIOR,
    RESERVED,
    STD,
    Legend,
    posterior_labels,
    std_labels,
)
from ucbpe_app.figures.lit import Lit, glyphs
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.sources import put
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.figures.candidate_marker import Place
    from ucbpe_app.markup import Markup
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats, Integers


# A page may give the figures other heights than those of `Figures`.
_CSS = """
:host(.lab-no-region) .lab-relevant { display: none !important; }
.lab-function { flex: none !important; height: var(--function-height, 280px) !important; }
.lab-standard { flex: none !important; height: var(--std-height, 168px) !important; }
"""


class LineView:
    """Three figures above each other that share x; `sources` hold all that they draw."""

    def __init__(self) -> None:
        self.figures = Figures()
        self.sources = self.figures.sources
        plots = self.figures.plots
        self._lit = Lit(
            {
                "mean": glyphs(plots, "posterior", "mean"),
                "band": glyphs(plots, "posterior")[:1],
                "truth": glyphs(plots, "truth"),
                "std": glyphs(plots, "std"),
                "y_dot": glyphs(plots, "y_dot"),
                "region": glyphs(plots, "region"),
                "region_plus": glyphs(plots, "region_plus"),
                "data": [*glyphs(plots, "data"), *glyphs(plots, "fresh")],
            }
        )
        self._legend, self._std_legend = Legend(POSTERIOR, RESERVED), Legend(STD)
        self._layers, self._held = Layers(), False
        self._frame: Frame | None = None
        self._pinned: tuple[Frame | None, str] = (None, "")
        self._beside: Frame | None = None
        self._pointed: int | None = None
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._order: Integers = np.empty(0, np.intp)
        self._candidates = self._x = self._edges = np.empty(0)
        self._span = (0.0, 1.0)
        self._noise_variance = 0.0
        self._panel = pn.Column(
            self._legend.pane,
            *(pane(plot, margin=0) for plot in self.figures.plots),
            self._std_legend.pane,
            css_classes=["lab-curve"],
            stylesheets=[_CSS],
            sizing_mode="stretch_width",
            margin=0,
        )

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        figures = self.figures
        return {
            **self.sources,
            "main.y_range": figures.main.y_range,
            "std.y_range": figures.std.y_range,
            "y_dot.label": figures.y_dot_label,
            "curve.legend": self._legend.pane,
            "std.legend": self._std_legend.pane,
            "curve": self._panel,
        }

    @property
    def pointed(self) -> tuple[Figure, ...]:
        """The figures in which a place is one of the inputs."""
        return self.figures.plots

    @property
    def legend(self) -> Markup:
        """What is on screen, above the pictures."""
        return self._legend.pane

    def load(self, scene: Scene) -> None:
        """Set ranges, axis labels and the truth of another run."""
        self._candidates = scene.candidates[:, 0]
        self._order = np.argsort(self._candidates, kind="stable")
        self._x = self._candidates[self._order]
        self._edges = geometry.cell_edges(self._x)
        self._noise_variance, self._sign = scene.noise_variance, scene.sign
        self._frame, self._pointed, self._drawn = None, None, {}
        self._span = geometry.input_range(self._edges)
        figures = self.figures
        figures.x_range.update(start=self._span[0], end=self._span[1])
        figures.main.yaxis[0].axis_label = scene.axes[-1]
        figures.std.xaxis.axis_label = scene.axes[0]
        # By style sheet: a Bokeh pane of Panel 1.9.4 that was hidden ignores the first "visible".
        without = [] if scene.uses_region else ["lab-no-region"]
        self._panel.css_classes = ["lab-curve", *without]
        put(self.sources["truth"], {"x": self._x, "y": scene.truth[self._order]})

    def update(self, frame: Frame) -> None:
        """Draw an event: only what differs from the one on screen is sent."""
        self._frame = frame
        self._set_ranges(frame)
        self.figures.pinned.draw(self._pinned[0], self._x, self._order)
        self._draw_posterior(frame)
        self._draw_updated(frame)
        self._draw_region(frame)
        self._draw_std(frame)
        self._draw_points(frame)
        self._draw_marker(frame)
        self._draw_legends(frame)

    def show(self, layers: Layers) -> None:
        """Show or hide the truth and the band of a measurement."""
        self._layers = layers
        self.figures.truth.visible = layers.truth
        if self._frame is not None:
            self.update(self._frame)

    def at(self, place: Place) -> int | None:
        """The candidate at a place: the one of nearest x, however high the place."""
        return place.nearest(self._candidates, np.full_like(self._candidates, place.y))

    def point(self, index: int | None) -> None:
        """Mark a candidate on its mean and on its std, or none."""
        self._pointed = index
        if self._frame is not None:
            self._draw_marker(self._frame)

    def light(self, name: str) -> None:
        """Draw what has this name boldly."""
        self._lit.light("band" if name == "upper" else name)

    def share(self, other: tuple[Scene, Frame] | None) -> None:
        """Fit the vertical ranges to an event of another run as well, or to none."""
        self._beside = other[1] if other else None

    def hold(self, *, on: bool) -> None:
        """Keep the vertical ranges as they are, or have them follow again."""
        self._held = on

    def pin(self, frame: Frame | None, label: str) -> None:
        """Take an event of a pinned run to draw behind the next update, or none."""
        self._pinned = (frame, label)

    def _set_ranges(self, frame: Frame) -> None:
        """Vertical ranges: they fit the batch, and stay still within it."""
        if self._held:
            return
        behind, beside = self._pinned[0], self._beside
        noise = self._noise_variance if self._layers.noisy else 0.0
        frames = [one for one in (frame, behind, beside) if one]
        start, end = geometry.value_range(frames, noise)
        self.figures.main.y_range.update(start=start, end=end)
        start, end = geometry.std_range([one for one in (frame, beside) if one])
        self.figures.std.y_range.update(start=start, end=end)

    def _draw_posterior(self, frame: Frame) -> None:
        if not self._stale("posterior", frame.mean, frame.lower, frame.upper, self._layers.noisy):
            return
        curves = {"mean": frame.mean, "lower": frame.lower, "upper": frame.upper}
        self._send("posterior", **curves)
        if self._layers.noisy:
            half = frame.sqrt_beta * np.sqrt(frame.std**2 + self._noise_variance)
            self._send("noisy", lower=frame.mean - half, upper=frame.mean + half)
        else:
            self._clear("noisy")

    def _draw_updated(self, frame: Frame) -> None:
        """The bounds once the picks so far are counted, before any of them is measured."""
        visible = geometry.is_updated(frame)
        if not self._stale("updated", frame.mean, frame.std_now, visible):
            return
        if visible:
            half = frame.sqrt_beta * frame.std_now
            self._send("updated", lower=frame.mean - half, upper=frame.mean + half)
        else:
            self._clear("updated")

    def _draw_region(self, frame: Frame) -> None:
        for name, mask in (("region", frame.region), ("region_plus", frame.region_plus)):
            if not self._stale(name, mask):
                continue
            if mask is None:
                self._clear(name)
            else:
                runs = geometry.intervals(self._edges, mask[self._order])
                put(self.sources[name], runs)

    def _draw_std(self, frame: Frame) -> None:
        now, before, inside = frame.std_now, frame.std_before, frame.region_plus
        if not self._stale("std", now, before, inside):
            return
        self._send(
            "std",
            now=now,
            inside=now if inside is None else np.where(inside, now, np.nan),
            before=np.full_like(now, np.nan) if before is None else before,
        )

    def _draw_points(self, frame: Frame) -> None:
        """Data, picks and lines: short lists, compared by value with what is on screen."""
        x = self._candidates[frame.observed].tolist()
        y, old = frame.observed_y.tolist(), len(x) - frame.fresh
        put(self.sources["data"], {"x": x[:old], "y": y[:old]})
        put(self.sources["fresh"], {"x": x[old:], "y": y[old:]})
        for name in geometry.FAMILIES:
            put(self.sources[name], geometry.picks(frame, name))
        y_range = self.figures.main.y_range
        names = badges(frame, self._span, (y_range.start, y_range.end))
        put(self.sources["badges"], names)
        current = [float(pick.x[0]) for pick in frame.picks if pick.current]
        put(self.sources["guide"], {"x": current})
        ends = [] if frame.y_dot is None else list(self._span)
        put(self.sources["y_dot"], {"x": ends, "y": [frame.y_dot for _ in ends]})
        self.figures.label_y_dot(frame.y_dot)

    def _draw_marker(self, frame: Frame) -> None:
        i = self._pointed
        place = () if i is None else (self._candidates[i], frame.mean[i], frame.std_now[i])
        self.figures.marker.draw(*map(float, place))

    def _draw_legends(self, frame: Frame) -> None:
        """List what is on screen."""
        behind, label = self._pinned
        pinned = label if behind is not None else ""
        self._legend.show(posterior_labels(frame, self._layers, self._sign, pinned))
        self._std_legend.show(std_labels(frame))

    def _stale(self, name: str, *parts: object) -> bool:
        """Whether a source shows other objects than these; they then count as shown."""
        drawn, self._drawn[name] = self._drawn.get(name, ()), parts
        return len(drawn) != len(parts) or any(
            a is not b for a, b in zip(drawn, parts, strict=True)
        )

    def _send(self, name: str, **columns: Floats) -> None:
        """Replace the curves of a source, sorting those that come in the candidates' order."""
        data = {column: values[self._order] for column, values in columns.items()}
        put(self.sources[name], {"x": self._x, **data})

    def _clear(self, name: str) -> None:
        source = self.sources[name]
        if any(len(values) for values in source.data.values()):
            source.data = {column: [] for column in source.column_names}
