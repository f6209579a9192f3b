"""Draws of f in the picture of a run: what they are chosen and moved with, while they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.components.draws import DrawControls

if TYPE_CHECKING:
    from ucbpe_app.render.view import PictureView
    from ucbpe_app.run.screen import Layers

_ROLES = ("draws", "draw", "draw_dots")
_TABS = {"": "Map", "draws": "One draw", "prior": "One of the prior"}


class MovingDraws:
    """The controls over the pictures that have draws, made when a picture first shows some."""

    def __init__(self) -> None:
        self._controls: dict[PictureView, DrawControls] = {}
        self._picture: PictureView | None = None
        self._tabs: list[str] = []

    def show(self, picture: PictureView, layers: Layers) -> None:
        """Have controls over this picture if one of its layers is of draws.

        A map of two inputs has a tab for each, the first of which is then chosen.
        """
        self._picture, before = picture, self._tabs
        chosen = [name for name in ("draws", "prior") if getattr(layers, name)]
        self._tabs = ["", *chosen] if chosen and "map" in picture.kind.plots else []
        new = [name for name in self._tabs if name and name not in before]
        if new or picture.request.featured in {"draws", "prior"}.difference(self._tabs):
            picture.ask(featured=new[0] if new else "")
        if chosen and picture not in self._controls and picture.kind.plots.keys() & {"map", "function"}:
            self._controls[picture] = controls = DrawControls(self._choose)
            picture.pressed = self.follow
            next(iter(picture.rendered.plots.values())).panel.append(controls)
        if picture in self._controls:
            self._controls[picture].visible = bool(chosen)
        self.follow()

    def follow(self) -> None:
        """Say which columns move in what is drawn now."""
        if self._picture is None or (controls := self._controls.get(self._picture)) is None:
            return
        sources = next(iter(self._picture.rendered.plots.values())).sources
        moving = [
            sources[role] for role in _ROLES if role in sources and _moves(sources[role].data)
        ]
        featured = self._picture.request.featured
        controls.param.update(
            target=moving[0].id if moving else "",
            tabs=[_TABS[name] for name in self._tabs],
            chosen=self._tabs.index(featured) if featured in self._tabs else 0,
        )

    def _choose(self, tab: int) -> None:
        if self._picture is not None and self._tabs:
            self._picture.ask(featured=self._tabs[tab])
            self.follow()


def _moves(columns: dict[str, object]) -> bool:
    """Whether some of the draws have what moves them: Thompson's have not."""
    center = columns.get("center", ())
    return any(getattr(row, "ndim", 0) == 0 or len(row) for row in center)  # type: ignore
