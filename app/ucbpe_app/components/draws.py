"""Over a picture with draws of f: a button that has them move, and tabs of the large map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import param

from ucbpe_app.components.parts import script
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from ucbpe_app.render.view import PictureView
    from ucbpe_app.run.screen import Layers

_ROLES = ("draws", "draw", "draw_dots")
LARGE = {"": "Map", "draws": "Draw", "prior": "Prior"}


class DrawControls(Component):
    """The controls over the first plot of a view.

    The browser moves the draws: what it sets is not sent to the server. Where a person prefers
    reduced motion, each press shows other draws instead.
    """

    target = param.String("", doc="Id of the source whose columns move; empty if there is none.")
    tabs = param.List([], item_type=str, doc="Names of what can be large; empty where all is seen.")
    chosen = param.Integer(0, doc="The number of the tab.")

    _esm = script("draws.js")
    _stylesheets: ClassVar[list[str]] = [script("draws.css")]

    def __init__(self, view: PictureView, *, visible: bool = False) -> None:
        super().__init__(margin=0, css_classes=["lab-draws"], visible=visible)
        self._view, self._plot = view, next(iter(view.rendered.plots.values()))
        self._names: list[str] = []
        self._plot.panel.append(self)
        view.pressed = self.follow

    def receive(self, data: Any) -> None:
        """A person chose a tab."""
        self._view.ask(featured=self._names[min(max(int(data), 0), len(self._names) - 1)])
        self.follow()

    def show(self, layers: Layers) -> None:
        """Be there if one of these layers is of draws; a map has a tab for each, the new first."""
        before, on = self._names, [name for name in ("draws", "prior") if getattr(layers, name)]
        self._names = ["", *on] if on and "map" in self._view.kind.plots else []
        new = [name for name in self._names if name and name not in before]
        if new or self._view.request.featured in {"draws", "prior"}.difference(self._names):
            self._view.ask(featured=new[0] if new else "")
        self.visible = bool(on)
        self.follow()

    def follow(self) -> None:
        """Say which columns move in what is drawn now."""
        drawn = (self._plot.sources[role] for role in _ROLES if role in self._plot.sources)
        moving = (source.id for source in drawn if any(map(np.any, source.data["cosine"])))
        featured = self._view.request.featured
        self.param.update(
            target=next(moving, ""),
            tabs=[LARGE[name] for name in self._names],
            chosen=self._names.index(featured) if featured in self._names else 0,
        )
