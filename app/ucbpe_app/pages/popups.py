"""What is on a page only at times: tools that a button shows, and notices."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import Html, joined
from ucbpe_app.markup import Markup
from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import param
    from panel.viewable import Viewable

    from ucbpe_core import UCBPEError

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


_MOST_SHOWN = 8
_LIST = "ul { margin: 0; padding-left: 1.1em; font-size: 0.875rem; }"
LINK = "Parts of this link could not be used"
CHANGE = "The race is kept as it was"


class Notice:
    """A list of errors that a person can close; `panel` is to be laid out."""

    def __init__(self) -> None:
        self.panel = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)

    @cached_property
    def alert(self) -> pmui.Alert:
        """The list, made when there is first something to say."""
        # Not the alert's own text: that is Markdown and HTML, and a link can say anything.
        self._list = Markup(stylesheets=[_LIST], margin=0, sizing_mode="stretch_width")
        return pmui.Alert(
            self._list, title=LINK, severity="warning", closeable=True,
            sizing_mode="stretch_width", margin=(0, 0, 8, 0),
        )  # fmt: skip

    def clear(self) -> None:
        """Remove the notice."""
        self.panel.visible = False

    def show(self, title: str, errors: Sequence[UCBPEError]) -> None:
        """Say for each what was expected, what was found and what is done instead."""
        if not errors:
            self.clear()
            return
        items = [sentences(error) for error in errors[:_MOST_SHOWN]]
        if len(errors) > _MOST_SHOWN:
            items.append(f"And {len(errors) - _MOST_SHOWN} more.")
        self.alert.param.update(title=title, closed=False)
        self._list.object = Html("<ul>{}</ul>").format(
            joined(map(Html("<li>{}</li>").format, items))
        )
        self.panel.param.update(objects=[self.alert], visible=True)
