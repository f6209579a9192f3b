"""The decision plane: each candidate a dot at (std, mean), each choice a straight line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn
from bokeh.models import Range1d, Slope, Span

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.axes import name_axes
from ucbpe_app.figures.candidate_marker import CandidateMarker
from ucbpe_app.figures.lit import Lit
from ucbpe_app.figures.marks import Picks
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.plane.dots import Dots
from ucbpe_app.figures.plane.lines import SHADE, guide, lines, positions
from ucbpe_app.figures.plane.window import outside, window
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from ucbpe_app.figures.candidate_marker import Place
    from ucbpe_app.figures.plane.window import Box
    from ucbpe_app.markup import Markup
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.validation import Floats

GUIDE = theme.Mark(theme.PE_PICK.color, dash="dotted")
_REACH = 12.0  # px in which a mouse still finds a mark or a dot


# A page may give the plane another height, and its legend a column beside it.
_CSS = """
:host(.lab-plane-beside) {
  display: grid !important;
  grid-template-columns: var(--plane-columns, minmax(0, 1fr));
  column-gap: 8px;
}
.lab-plane-words { --legend-size: var(--plane-words, 0.8125rem); }
.lab-plane-plot { height: var(--plane-height, 280px) !important; }
"""


class PlaneView:
    """Where the algorithm decides: lines of slope -sqrt(beta), sqrt(beta), -2 sqrt(beta_next).

    The lines stand where they were at batch start, and each pick where it stood when it was
    made. The dots follow std(k): once a pick is counted they move left, so the lines fade.
    """

    def __init__(self, dots: Dots | None = None) -> None:
        self.figure = theme.figure(
            title="Decision plane",
            height=280,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            html_attributes=theme.region("Decision plane"),
        )
        self.figure.grid.visible = False
        name_axes(self.figure, "std σ", "mean μ")
        self.dots, self.picks = dots or Dots(), Picks()
        plus, y_dot, ucb = theme.REGION_PLUS, theme.Y_DOT, theme.UCB_PICK
        self.plus_line = Slope(
            above_fill_color=plus.color,
            below_fill_color=plus.color,
            below_fill_alpha=0.0,
            visible=False,
            **plus.line(),
        )
        self.y_dot_line = Slope(visible=False, **y_dot.line(line_width=3))
        self.ucb_line = Slope(visible=False, **ucb.line())
        self.guide = Span(dimension="height", visible=False, **GUIDE.line(line_width=2))
        self.figure.add_layout(self.plus_line)
        self.dots.attach(self.figure)
        for line in (self.y_dot_line, self.ucb_line, self.guide):
            self.figure.add_layout(line)
        self._lit = Lit(
            {
                "region_plus": [self.plus_line],
                "y_dot": [self.y_dot_line],
                "upper": [self.ucb_line],
            }
        )
        self.picks.attach(self.figure)
        self.marker = CandidateMarker("std", "mean")
        self.marker.attach(self.figure, "std", "mean")
        self.figure.css_classes = ["lab-at-plane", "lab-plane-plot"]
        self._note, self._legend = (
            legends.text("&nbsp;", "lab-plane-note"),
            legends.text("", legends.OWN),
        )
        self._scene: Scene | None = None
        self._frame: Frame | None = None
        self._pointed: int | None = None
        self._held: Box | None = None
        self._other: tuple[Scene, Frame] | None = None
        self._drawn: tuple[Floats, Floats, bool, Box] | None = None
        self._panel = self._layout()

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        return {
            **self.dots.named,
            "plane.shapes": self.picks.shapes,
            "plane.numbers": self.picks.numbers,
            "plane.plus": self.plus_line,
            "plane.y_dot": self.y_dot_line,
            "plane.ucb": self.ucb_line,
            "plane.guide": self.guide,
            "plane.x_range": self.figure.x_range,
            "plane.y_range": self.figure.y_range,
            "plane.legend": self._legend,
            "plane.note": self._note,
        }

    @property
    def legend(self) -> Markup:
        """The legend, inside the panel."""
        return self._legend

    def load(self, scene: Scene) -> None:
        """Take another run; its frames set the ranges."""
        self._scene, self._frame, self._pointed, self._drawn = scene, None, None, None
        self.dots.load(len(scene.candidates))
        self._legend.object = self._entries(scene)

    def update(self, frame: Frame) -> None:
        """Draw an event."""
        if self._scene is None:
            return
        places = positions(frame)
        box = self._held or self._window(self._scene, frame)
        self._draw_dots(frame, box)
        self._draw_lines(frame, self._scene.sign)
        self._draw_guide(frame)
        # Measured picks huddle at small std, where numbers would cover each other.
        numbered = frame.event.kind is not Kind.OBSERVE
        self.picks.draw(frame.picks, places, box[:2], numbered=numbered)
        self._frame = frame
        self.point(self._pointed)

    def at(self, place: Place) -> int | None:
        """The candidate at a place: that of a pick's mark, which lies on top, or of a dot."""
        frame = self._frame
        if frame is None:
            return None
        std, mean = np.array(positions(frame)).reshape(-1, 2).T
        mark = place.nearest(std, mean, _REACH)
        if mark is not None:
            return frame.picks[mark].index
        return place.nearest(frame.std_now, frame.mean, _REACH)

    def point(self, index: int | None) -> None:
        """Mark the dot of a candidate, or none."""
        self._pointed, frame = index, self._frame
        if frame is None or index is None:
            self.marker.draw()
        else:
            self.marker.draw(float(frame.std_now[index]), float(frame.mean[index]))

    def show(self, layers: Layers) -> None:
        """Nothing here can be hidden: the truth is not part of a decision."""

    def light(self, name: str) -> None:
        """Draw the line of what has this name boldly."""
        self._lit.light(name)

    def share(self, other: tuple[Scene, Frame] | None) -> None:
        """Have the window hold an event of another run as well, or none."""
        self._other = other

    def hold(self, *, on: bool) -> None:
        """Keep the window as it is, or have it follow again."""
        self._held = self._drawn[-1] if on and self._drawn else None

    def _window(self, scene: Scene, frame: Frame) -> Box:
        shown = [(scene, frame), *([self._other] if self._other else [])]
        boxes = [window(run, event, positions(event)) for run, event in shown]
        left, right, bottom, top = zip(*boxes, strict=True)
        return min(left), max(right), min(bottom), max(top)

    def _layout(self) -> pn.Column:
        wide = {"sizing_mode": "stretch_width"}
        words = pn.Column(
            self._legend, self._note, css_classes=["lab-plane-words"], margin=0, **wide
        )
        plot = pane(self.figure, margin=0)
        return pn.Column(plot, words, css_classes=["lab-plane-beside"], stylesheets=[_CSS], **wide)

    def _entries(self, scene: Scene) -> str:
        """HTML of the legend."""
        return legends.entries(legend(scene))

    def _draw_dots(self, frame: Frame, box: Box) -> None:
        """Dots and ranges, unless both are there already."""
        known = frame.region_plus is not None
        if self._drawn is not None:
            mean, std, *rest = self._drawn
            if mean is frame.mean and std is frame.std_now and rest == [known, box]:
                return
        self._drawn = frame.mean, frame.std_now, known, box
        left, right, bottom, top = box
        self.figure.x_range.update(start=left, end=right)
        self.figure.y_range.update(start=bottom, end=top)
        self.dots.draw(frame.std_now, frame.mean, frame.region_plus, box)
        self._note.object = outside(frame, box) or "&nbsp;"

    def _draw_lines(self, frame: Frame, sign: float) -> None:
        """Each line from the event that finds it."""
        found = lines(frame, sign)
        for model, line in zip(
            (self.ucb_line, self.y_dot_line, self.plus_line), found, strict=True
        ):
            model.visible = line is not None
            if line is not None:
                gradient, intercept, alpha = line
                model.update(gradient=gradient, y_intercept=intercept, line_alpha=alpha)
        if found.plus is not None:
            shade = SHADE * found.plus.alpha
            self.plus_line.update(
                above_fill_alpha=shade if sign > 0 else 0.0,
                below_fill_alpha=shade if sign < 0 else 0.0,
            )

    def _draw_guide(self, frame: Frame) -> None:
        """The rightmost dot of R+ is the PE pick: nothing in R+ lies beyond the guide."""
        at = guide(frame)
        self.guide.visible = at is not None
        if at is not None:
            self.guide.location = at


def legend(scene: Scene) -> tuple[legends.Entry, ...]:
    """Swatches and texts of what a run can show: its region, and a touching upper bound."""
    ucb, pe, y_dot, plus = theme.UCB_PICK, theme.PE_PICK, theme.Y_DOT, theme.REGION_PLUS
    least = scene.sign < 0
    down, up, side = ("", "−", "below") if least else ("−", "", "above")
    told = f"slope {down}√βₜ, last touching the UCB pick"
    first = ((legends.stroke(ucb.color, ucb.dash), told),) if "ucb" in scene.roles else ()
    if not scene.uses_region:
        return first
    return (
        *first,
        (legends.stroke(y_dot.color, y_dot.dash, 3), f"slope {up}√βₜ, from y•"),
        (legends.stroke(plus.color, plus.dash), f"slope {down}2√βₜ₊₁, from y•: R⁺ is {side}"),
        (legends.point("circle", plus.color), "in R⁺"),
        (legends.point("circle", theme.INK), "outside, or R⁺ not known yet"),
        (legends.stroke(pe.color, "dotted"), "rightmost in R⁺: xᵏ"),
    )
