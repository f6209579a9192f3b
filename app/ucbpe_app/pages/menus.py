"""Tools that a button shows over the page, so that they take no room of the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

if TYPE_CHECKING:
    from panel.viewable import Viewable

_ARROW = {"content": '""', "border": "4px solid transparent", "borderTopColor": "currentcolor"}
_LOOK = {
    "height": "38px", "padding": "0 10px", "textTransform": "none",
    "&::after": {**_ARROW, "margin": "4px 0 0 6px"},
}  # fmt: skip


class Menu:
    """`button` shows or hides `panel`, which has `parts` below each other; both are to be laid out.

    The button is there while the first part is.
    """

    def __init__(self, name: str, *parts: Viewable) -> None:
        shown: Any = parts[0].param.visible
        self.button = pmui.Toggle(
            label=name, visible=shown, variant="outlined", size="small", margin=0, sx=_LOOK
        )
        self.panel = pn.Column(
            *parts, visible=self.button.param.value, sizing_mode="stretch_width", margin=(8, 16)
        )

    def close(self) -> None:
        """Hide what the button shows."""
        self.button.value = False
