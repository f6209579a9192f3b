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
# Quiet, with an arrow that says that it opens something.
_LOOK = {
    "height": "44px", "padding": "0 10px", "border": 0, "borderRadius": "6px", "fontWeight": 400,
    "fontSize": "14px", "textTransform": "none", "color": "text.secondary",
    "&::after": {
        "content": '""', "width": "7px", "height": "7px", "margin": "-4px 2px 0 10px",
        "border": "solid currentcolor", "borderWidth": "0 2px 2px 0", "rotate": "45deg",
    },
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
            label=name, visible=offered, variant="text", size="small", margin=0, sx=_LOOK
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
