"""A view of a run: the function of a kind makes each picture."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD, SCATTERED
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.render.bokeh import BokehPicture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bokeh.plotting import figure as Figure
    from panel.viewable import Viewable

    from ucbpe_app.pictures.picture import Picture, RunKind
    from ucbpe_app.render.sending import Place
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers

_PICK = 12.0  # px: half a pick's mark
_WAITING: ContextVar[dict[PictureView, None] | None] = ContextVar("waiting", default=None)


@contextmanager
def drawn_once() -> Iterator[None]:
    """Have each picture drawn at the end of this, however often it is asked for.

    A message of several draws would do harm: Bokeh writes a single column that has changed as it is
    when the message is sent. If a later draw has another number of rows, the browser would have
    columns of two lengths, until it comes to that draw.
    """
    if _WAITING.get() is not None:
        yield
        return
    waiting: dict[PictureView, None] = {}
    token = _WAITING.set(waiting)
    try:
        yield
    finally:
        _WAITING.reset(token)
    for view in waiting:
        view._draw()


class View:
    """A part of a page that draws a run. It is built once; afterwards only what it holds changes.

    Each message is for all views in use; one without use for it leaves it as it is here.
    """

    @property
    def panel(self) -> Viewable:
        """The Panel object to lay out; the same one every time."""
        raise NotImplementedError

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        return {}

    def load(self, scene: Scene) -> None:
        """Set up another run: ranges, axes, the truth."""

    def update(self, frame: Frame) -> None:
        """Draw an event. Never builds a model."""

    def show(self, layers: Layers) -> None:
        """Show or hide what the person chose."""

    def point(self, index: int | None) -> None:
        """Mark a candidate, or none."""

    def light(self, name: str) -> None:
        """Have the marks of a role stand out; "" for none."""

    def lock_axes(self, *, on: bool) -> None:
        """Keep the axes as they are, or have them follow again."""

    def enlarge(self, *, on: bool) -> None:
        """Draw for a room to read, or for one person."""


class PictureView(View):
    """The event of a run that is on screen, in one kind of picture.

    All that a person chooses goes into `request`; a change of it draws the event again.
    """

    def __init__(self, kind: RunKind) -> None:
        self.kind, self.rendered = kind, BokehPicture(kind)
        self.request = Request()
        self.pressed: Callable[[], None] = lambda: None  # after a press has changed what is drawn
        self._scene: Scene | None = None
        self._frame: Frame | None = None
        if kind.press is not None:
            self.rendered.on_press(self._press)

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self.rendered.panel

    @property
    def picture(self) -> Picture | None:
        """What is on screen."""
        return self.rendered.picture

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        return self.rendered.named

    @property
    def pointed(self) -> tuple[Figure, ...]:
        """The figures in which a place is one of the inputs."""
        plots = self.kind.plots.items()
        return tuple(self.rendered.plots[name].figure for name, plot in plots if not plot.press)

    def load(self, scene: Scene) -> None:
        """Take another run; `update` is next."""
        self._scene, self._frame = scene, None
        # What was found is of the other run; this one may have no results yet.
        self.request = replace(self.request, pointed=None, found=False, handle=False)

    def update(self, frame: Frame) -> None:
        """Draw an event."""
        self._frame = frame
        self._draw()

    def show(self, layers: Layers) -> None:
        """Show these layers."""
        self.ask(layers=layers)

    def at(self, place: Place) -> int | None:
        """The candidate at a place of a figure, if one is meant."""
        if self._scene is None or self._frame is None:
            return None
        x, y = self.kind.position(self._scene, self._frame)
        if y is None:
            return place.nearest(x, np.full_like(x, place.y))
        picks = [pick.index for pick in self._frame.picks]  # their marks lie on top
        near = min(self.kind.reach, _PICK)
        pick = place.nearest(x[picks], y[picks], near)
        return place.nearest(x, y, self.kind.reach) if pick is None else picks[pick]

    def point(self, index: int | None) -> None:
        """Mark a candidate, or none."""
        self.ask(pointed=index)

    def light(self, name: str) -> None:
        """Have the marks of a role stand out; "" for none."""
        self.ask(highlight=name)

    def lock_axes(self, *, on: bool) -> None:
        """Keep the axes as they are, or have them follow again."""
        self.request = replace(self.request, locked=self.picture if on else None)

    def pin(self, frame: Frame | None, label: str) -> None:
        """Take an event of a pinned run to draw behind, at the next update, or none."""
        self.request = replace(self.request, pinned=frame, pinned_label=label)

    def enlarge(self, *, on: bool) -> None:
        """Draw for a room to read, or for one person."""
        self.ask(size="present" if on else "step")

    def ask(self, **changes: Any) -> None:
        """Draw the same event in another way."""
        if any(getattr(self.request, name) != value for name, value in changes.items()):
            self.request = replace(self.request, **changes)
            self._draw()

    def _press(self, plot: str) -> None:
        press = self.kind.press
        if press is not None and self._scene is not None and self._frame is not None:
            self.request = press(self._scene, self._frame, self.request, plot)
            self._draw()
            self.pressed()

    def _draw(self) -> None:
        if (waiting := _WAITING.get()) is not None:
            waiting[self] = None
        elif self._scene is not None and self._frame is not None:
            self.rendered.draw(self.kind.draw(self._scene, self._frame, self.request))


def main_kind(scene: Scene) -> RunKind:
    """The picture of a function: a curve, maps, or else the decision plane."""
    maps = FIELD if scene.grid else SCATTERED
    return (CURVE, maps, LARGE_PLANE)[min(scene.dimension, 3) - 1]
