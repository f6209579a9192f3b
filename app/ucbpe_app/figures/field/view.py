"""The posterior over two inputs: truth, mean, std and upper bound as equal squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
from bokeh.models import Range1d

from ucbpe_app.figures import legends
from ucbpe_app.figures.candidate_marker import CandidateMarker
from ucbpe_app.figures.field import layout, scales, texts
from ucbpe_app.figures.field.layout import MAPS
from ucbpe_app.figures.field.panel import FieldPanel
from ucbpe_app.figures.field.pinned import PinnedLayer
from ucbpe_app.figures.field.region import RegionLayer
from ucbpe_app.figures.lit import Lit
from ucbpe_app.figures.marks import Data, Picks
from ucbpe_app.figures.pane import pane
from ucbpe_app.run.screen import Layers
from ucbpe_app.theme import region

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.figures.candidate_marker import Place
    from ucbpe_app.markup import Markup
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats


class FieldView:
    """Four squares that share pan and zoom, with the region, the picks and the data over each.

    Beside the maps of another run it shows the large one alone. `suffix` ends the accessible name
    of what is said of the region.
    """

    def __init__(self) -> None:
        x_range, y_range = Range1d(0, 1), Range1d(0, 1)
        self.truth, self.mean, self.std, self.upper = self.panels = tuple(
            FieldPanel(x_range, y_range) for _ in range(4)
        )
        self.region, self.data, self.picks = RegionLayer(), Data(), Picks()
        self.region.attach_veil(self.std.figure)
        for layer in (self.region, self.picks, self.data):
            for panel in self.panels:
                layer.attach(panel.figure)
        self.marker = CandidateMarker("x", "y")
        for panel in self.panels:
            self.marker.attach(panel.figure, "x", "y")
        self.pinned = PinnedLayer([panel.figure for panel in self.panels])
        for panel, (name, label) in zip(self.panels, MAPS.items(), strict=True):
            panel.figure.css_classes = [*panel.figure.css_classes, f"lab-field-{name}"]
            panel.figure.html_attributes = region(label)
        self._lit = Lit({name: [one.figure] for name, one in zip(MAPS, self.panels, strict=True)})
        self._legend, self._note = legends.text("", legends.OWN), legends.text("", "lab-note")
        self.suffix = ""
        wide = {"sizing_mode": "stretch_width"}
        self._squares = pn.Column(
            pn.Column(self._legend, self._note, css_classes=["lab-field-words"], margin=0, **wide),
            *(pane(panel.figure, margin=0) for panel in self.panels),
            css_classes=["lab-field-squares"],
            stylesheets=[layout.MAPS_IN_PLACE],
            **wide,
        )
        self._panel = pn.Column(
            self._squares,
            css_classes=["lab-field"],
            stylesheets=[layout.VIEW],
            **wide,
        )
        self._featured, self._layers, self._held = "", Layers(), False
        self._other: tuple[Scene, Frame] | None = None
        self._extent = (0.0, 1.0)
        self._pinned: tuple[Frame | None, str] = (None, "")
        self._listed: tuple[object, ...] | None = None  # what the legend depends on
        self._scene: Scene | None = None
        self._drawn: tuple[Floats, Floats, float] | None = None

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        panels = zip(MAPS, self.panels, strict=True)
        parts = {f"{name}.{part}": one for name, panel in panels for part, one in panel.named}
        region = {
            "lines": self.region.lines,
            "veil": self.region.veil,
            "faded": self.region.faded,
        }
        marks = {
            "field.data": self.data.source,
            "field.shapes": self.picks.shapes,
            "field.numbers": self.picks.numbers,
        }
        return {**parts, **region, **marks, "field.legend": self._legend, "field.note": self._note}

    @property
    def pointed(self) -> tuple[Figure, ...]:
        """The figures in which a place is one of the inputs."""
        return tuple(panel.figure for panel in self.panels)

    @property
    def legend(self) -> Markup:
        """What is on screen, above the pictures."""
        return self._legend

    def load(self, scene: Scene) -> None:
        """Set ranges, scales and labels for another run over two inputs, and draw its truth."""
        self._scene, self._drawn = scene, None
        self._set_ranges(scene)
        names = (texts.truth_title(scene), texts.MEAN_TITLE, "", "")
        for panel, name in zip(self.panels, names, strict=True):
            panel.load(scene, name)
        self._scale()
        self.truth.draw(scene.truth)
        self._draw_legend(scene)
        self.region.load(scene)
        self.data.load(scene.candidates)
        self.point(None)

    def update(self, frame: Frame) -> None:
        """Draw an event; what it shares with the one before is not sent again."""
        mean, std, sqrt_beta = self._drawn or (None, None, None)
        if frame.mean is not mean:
            self.mean.draw(frame.mean)
        if frame.std_now is not std:
            self.std.draw(frame.std_now)
        sign = self._scene.sign if self._scene else 1.0
        if frame.mean is not mean or frame.std_now is not std or frame.sqrt_beta != sqrt_beta:
            self.upper.draw(frame.mean + sign * frame.sqrt_beta * frame.std_now)
        self._drawn = frame.mean, frame.std_now, frame.sqrt_beta
        self._scale(frame)
        self.std.figure.title.text = texts.std_title(frame)
        self.upper.figure.title.text = texts.bound_title(frame, sign)
        self.region.draw(frame)
        name = f"Relevant region{self.suffix}"
        self._note.object = f'<section aria-label="{name}">{texts.note(frame)}</section>'
        self._draw_pinned()
        self.data.draw(frame)
        positions = [(float(pick.x[0]), float(pick.x[1])) for pick in frame.picks]
        self.picks.draw(frame.picks, positions, self._extent)

    def at(self, place: Place) -> int | None:
        """The candidate nearest to a place."""
        return None if self._scene is None else place.nearest(*self._scene.candidates.T)

    def point(self, index: int | None) -> None:
        """Mark a candidate in every square, or none."""
        if self._scene is not None and index is not None:
            self.marker.draw(*self._scene.candidates[index].tolist())
        else:
            self.marker.draw()

    def pin(self, frame: Frame | None, label: str) -> None:
        """Take an event of a pinned run to draw behind the next update, or none."""
        self._pinned = (frame, label)

    def show(self, layers: Layers) -> None:
        """Show or hide the truth; the other squares close ranks."""
        self._layers = layers
        self._arrange()

    def light(self, name: str) -> None:
        """Frame the map of what has this name, or draw the region's outline boldly."""
        self._lit.light(name)
        self.region.light(name)

    def share(self, other: tuple[Scene, Frame] | None) -> None:
        """Fit the colour scales to an event of another run as well, or to none."""
        alone = (other is None) != (self._other is None)
        self._other = other
        if alone:
            self._arrange()

    def hold(self, *, on: bool) -> None:
        """Keep the colour scales as they are, or have them follow again."""
        self._held = on

    def feature(self, name: str) -> None:
        """Draw one of `MAPS` large where the window has room, the others beside it."""
        self._featured = name
        self._arrange()

    def _arrange(self) -> None:
        # By style sheet: a Bokeh pane of Panel 1.9.4 that was hidden ignores the first "visible".
        three = [] if self._layers.truth else ["lab-field-three"]
        hidden = self._featured == "truth" and not self._layers.truth
        name = "mean" if hidden else self._featured
        large = ["lab-field-featured", f"lab-featured-{name}"] if name else []
        large += ["lab-field-alone"] if name and self._other else []
        for panel, one in zip(self.panels, MAPS, strict=True):
            panel.bare(on=bool(name) and one != name)
        self._squares.css_classes = ["lab-field-squares", *three, *large]

    def _draw_pinned(self) -> None:
        frame, label = self._pinned
        if self._scene is not None:
            self.pinned.draw(frame, self._scene)
            self._draw_legend(self._scene, "" if frame is None else label)

    def _draw_legend(self, scene: Scene, pinned: str = "") -> None:
        listed = scene.roles, bool(scene.grid) and scene.uses_region, pinned
        if listed != self._listed:
            self._listed = listed
            items = texts.legend(listed[0], outlined=listed[1], pinned=pinned)
            self._legend.object = legends.entries(items, over_field=True)

    def _scale(self, frame: Frame | None = None) -> None:
        """Fit the scales to the batch, or to the whole run."""
        if self._scene is None or self._held:
            return
        fits = [scales.limits(self._scene, frame)]
        fits += [scales.limits(*self._other)] if self._other else []
        for panel, limits in zip(self.panels, zip(*fits, strict=True), strict=True):
            low, high = zip(*limits, strict=True)
            panel.scale_to(min(low), max(high))

    def _set_ranges(self, scene: Scene) -> None:
        """Fit the shared ranges to the candidates."""
        plot = self.truth.figure
        ranges = scales.ranges(scene)
        for shared, (start, end) in zip((plot.x_range, plot.y_range), ranges, strict=True):
            shared.update(start=start, end=end, reset_start=start, reset_end=end)
        self._extent = ranges[0]
