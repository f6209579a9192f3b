"""Another run's picture beside that of the run on screen, on the same axes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.render import legends
from ucbpe_app.render.view import PictureView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.changes import PinnedRun
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers

_OTHER = ", other run"  # after accessible names


class Beside:
    """The pictures of two runs in a row, each below its name: the other one first.

    `view` draws the other run; None while there is none.
    """

    def __init__(self) -> None:
        self.view: PictureView | None = None
        self._views: dict[PictureView, PictureView] = {}  # by the picture of the run on screen
        self._names = legends.text("", "lab-compared-name"), legends.text("", "lab-compared-name")
        self._pair = theme.styled("lab-compared", margin=0)
        self._scene: Scene | None = None

    def load(self, picture: PictureView, other: PinnedRun | None, layers: Layers) -> None:
        """Take another run to draw beside `picture`, or none."""
        if other is None:
            self.view = None
            picture.share(None)
            return
        if picture not in self._views:
            self._views[picture] = _like(picture)
        self.view, self._scene = self._views[picture], other.replay.scene
        for text, name in zip(self._names, other.names, strict=True):
            text.object = f"<b>{escape(name)}</b>"
        self.view.load(self._scene)
        self.view.show(layers.shown)

    def layout(self, picture: PictureView) -> Sequence[pn.viewable.Viewable]:
        """What to lay out: both pictures, or that of the run on screen."""
        if self.view is None:
            return [picture.panel]
        views = (self.view, picture)
        column = partial(theme.styled, "lab-compared-run", margin=0)
        if [one.objects[1] for one in self._pair] != [view.panel for view in views]:
            runs = zip(self._names, views, strict=True)
            self._pair.objects = [column(name, one.panel) for name, one in runs]
        return [self._pair]

    def update(self, picture: PictureView, own: tuple[Scene, Frame], other: Frame | None) -> None:
        """Draw the other run's event, and fit the axes of both to both."""
        if self.view is None or self._scene is None or other is None:
            return
        picture.share((self._scene, other))
        self.view.request = replace(self.view.request, featured=picture.request.featured)
        self.view.share(own)
        self.view.update(other)


def _like(picture: PictureView) -> PictureView:
    """Another view of the same kind, on the same axes."""
    other = PictureView(picture.kind, _OTHER)
    other.rendered.follow(picture.rendered)
    return other
