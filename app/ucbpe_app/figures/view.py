"""What a view is: fixed Bokeh figures whose sources follow the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_app.figures.candidate_marker import Place
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers


class View(Protocol):
    """One picture. It is built once; afterwards only data sources and properties change."""

    @property
    def panel(self) -> Viewable:
        """The Panel object to lay out; the same one every time."""

    def load(self, scene: Scene) -> None:
        """Set up another run: ranges, axes, the truth."""

    def update(self, frame: Frame) -> None:
        """Draw an event. Never builds a model."""

    def show(self, layers: Layers) -> None:
        """Show or hide what the person chose."""


class MainFigure(View, Protocol):
    """A view that shows candidates, each of which can be pointed at."""

    def at(self, place: Place) -> int | None:
        """The candidate at a place of its figures, if one is meant."""

    def point(self, index: int | None) -> None:
        """Mark a candidate, in this event and the next ones, or none."""

    def light(self, name: str) -> None:
        """Draw one of `run.glossary.MARKS` boldly, if it is drawn here; "" for none."""

    def share(self, other: tuple[Scene, Frame] | None) -> None:
        """Fit the axes to an event of another run as well, which is drawn beside, or to none."""

    def hold(self, *, on: bool) -> None:
        """Keep the axes and scales as they are, whatever is drawn, or have them follow again."""
