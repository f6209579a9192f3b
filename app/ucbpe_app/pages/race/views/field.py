"""A configuration over two inputs: the mean, with the region, the picks and the data over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.field.panel import FieldPanel
from ucbpe_app.figures.marks import Data, Picks
from ucbpe_app.pages.race.views.optimum import Optimum
from ucbpe_app.pages.race.views.region import RegionPlus
from ucbpe_app.run.sentences import percentage

if TYPE_CHECKING:
    from bokeh.models import Range1d

    from ucbpe_app.pages.race.race import RaceRun, RunState
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.screen import Layers

# Borders in px: the frame is square when the figure is WIDER_THAN_HIGH px wider than high.
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 8, 4, 40
WIDER_THAN_HIGH = _LEFT + _RIGHT - _TOP - _BOTTOM


class FieldPicture:
    """One square; its colours and ranges are those of all configurations."""

    def __init__(self, x_range: Range1d, y_range: Range1d) -> None:
        self._panel = FieldPanel(x_range, y_range)
        self.region, self.data, self.picks = RegionPlus(), Data(), Picks()
        self.optimum = Optimum()
        self.figure = self._panel.figure
        for layer in (self.region, self.optimum, self.picks, self.data):
            layer.attach(self.figure)
        # One scale in the legend serves all squares, and a heading above each is its title.
        self.figure.right, self.figure.title.visible = [], False
        self.figure.update(
            min_border_left=_LEFT,
            min_border_right=_RIGHT,
            min_border_top=_TOP,
            min_border_bottom=_BOTTOM,
        )
        self._drawn: Frame | None = None

    @property
    def image(self) -> dict[str, object]:
        """What the square draws."""
        return dict(self._panel.image.data)

    def load(self, runner: RaceRun, low: float, high: float) -> None:
        """Take a run, on a colour scale from low to high."""
        scene, self._drawn = runner.scene, None
        self._panel.load(scene, "Mean μ")
        self._panel.scale_to(low, high)
        self.region.load(scene)
        self.data.load(scene.candidates)
        self.optimum.draw(*map(float, scene.candidates[scene.optimum_index]))

    def update(self, state: RunState) -> None:
        """Draw the run after its last completed batch, unless it is there already."""
        frame = state.frame
        if frame is self._drawn:
            return
        self._drawn = frame
        self._panel.draw(frame.mean)
        self.region.draw(state.decision)
        self.data.draw(frame)
        positions = [(float(pick.x[0]), float(pick.x[1])) for pick in frame.picks]
        extent = self.figure.x_range.start, self.figure.x_range.end
        # The order of the picks is for the Step page: here the numbers would cover the field.
        self.picks.draw(frame.picks, positions, extent, numbered=False)

    def show(self, layers: Layers) -> None:
        """Show or hide where f is best."""
        self.optimum.show(visible=layers.truth)

    def note(self, state: RunState) -> str:
        """The size of the region, in a heading."""
        plus = state.decision.region_plus
        return "" if plus is None else f"R⁺ {percentage(plus)} of X"


def scale(low: str, high: str) -> str:
    """HTML of the colours from the lowest mean to the highest."""
    colors = ", ".join(theme.FIELD[:: len(theme.FIELD) // 8])
    bar = f'<span class="scale" style="background:linear-gradient(to right, {colors})"></span>'
    return f"<li>mean μ {low}{bar}{high}</li>"


def data_entry() -> legends.Entry:
    """Swatch and text of the data."""
    cross, point = theme.DATA.marker, legends.point
    dark, light = theme.OVER_FIELD_CASING, theme.OVER_FIELD
    casing = point(cross, "none", line=dark, width=3)
    return casing + point(cross, "none", line=light, width=1.4), "data"
