"""Tools that a button shows over the page, so that they take no room of the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import param
    from panel.viewable import Viewable

_ARROW = {"content": '""', "border": "4px solid transparent", "borderTopColor": "currentcolor"}
_LOOK = {
    "height": "38px", "padding": "0 10px", "textTransform": "none",
    "&::after": {**_ARROW, "margin": "4px 0 0 6px"},
}  # fmt: skip


class Menu:
    """`button` shows or hides `panel`, which has the parts below each other; lay both out.

    The parts are made when the menu is first opened. The button is there while `offered` is true,
    which may be a parameter.
    """

    def __init__(
        self, name: str, parts: Callable[[], Sequence[Viewable]], *, offered: Any = True
    ) -> None:
        self._parts = parts
        self.button = pmui.Toggle(
            label=name, visible=offered, variant="outlined", size="small", margin=0, sx=_LOOK
        )
        self.panel = pn.Column(visible=False, sizing_mode="stretch_width", margin=(8, 16))
        self.button.param.watch(self._show, "value")

    def _show(self, event: param.parameterized.Event) -> None:
        if event.new and not self.panel.objects:
            self.panel.objects = list(self._parts())
        self.panel.visible = event.new

    def close(self) -> None:
        """Hide what the button shows."""
        self.button.value = False
