"""Over a map with draws of f: tabs of what is large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.components.parts import script
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from ucbpe_app.render.view import PictureView
    from ucbpe_app.run.screen import Layers

LARGE = {"": "Map", "draws": "Draw", "prior": "Prior"}


class DrawTabs(Component):
    """The tabs over the first plot of a view of maps."""

    tabs = param.List([], item_type=str, doc="Names of what can be large; empty for no tabs.")
    chosen = param.Integer(0, doc="The number of the tab.")

    _esm = script("draws.js")
    _stylesheets: ClassVar[list[str]] = [script("draws.css")]

    def __init__(self, view: PictureView, *, visible: bool = False) -> None:
        super().__init__(margin=0, css_classes=["lab-draws"], visible=visible)
        self._view = view
        self._names: list[str] = []
        next(iter(view.rendered.plots.values())).panel.append(self)
        view.pressed = self.follow

    def receive(self, data: Any) -> None:
        """A person chose a tab."""
        self._view.ask(featured=self._names[min(max(int(data), 0), len(self._names) - 1)])
        self.follow()

    def show(self, layers: Layers) -> None:
        """Have a tab for each of these layers that is of draws; a new one is chosen."""
        before, on = self._names, [name for name in ("draws", "prior") if getattr(layers, name)]
        self._names = ["", *on] if on else []
        new = [name for name in self._names if name and name not in before]
        if new or self._view.request.featured in {"draws", "prior"}.difference(self._names):
            self._view.ask(featured=new[0] if new else "")
        self.visible = bool(on)
        self.follow()

    def follow(self) -> None:
        """Say which tab is chosen in what is drawn now."""
        featured = self._view.request.featured
        self.param.update(
            tabs=[LARGE[name] for name in self._names],
            chosen=self._names.index(featured) if featured in self._names else 0,
        )
