"""A page without a player: its settings in a drawer, a strip with a verdict, and the pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from panel.viewable import Viewable

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
# Over the pictures, at their right: what opens there moves nothing.
_OVER = {"grid-area": "main", "justify-self": "end", "width": "min(440px, 100%)"}
# The pictures have the width of all columns; the drawer lies over them.
_ONE_COLUMN = {"--lab-aside-width": "0px", "--lab-settings-width": "0px"}
_DRAWER = {
    "min-width": "280px", "z-index": "6", "background": "var(--mui-palette-background-paper)",
}  # fmt: skip


class Verdict(pn.viewable.Viewer):
    """The strip above the pictures: where we are, what their numbers say, and `beside` it.

    Its height stays the same whatever it says.
    """

    def __init__(self, *beside: Viewable) -> None:
        super().__init__()
        self._place, self._said = text("place"), text("said")
        self._panel = _styled(
            "verdict", self._place, self._said, _styled("verdict-beside", *beside)
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    def place(self, line: str, title: str) -> None:
        """Say where we are, in a line, and in a few words what is to be known or done."""
        self._place.object = f"<p>{escape(line)}</p><h2>{escape(title)}</h2>"

    def say(self, told: str) -> None:
        """Read out what the numbers say, or what is being computed."""
        self._said.object = f'<p role="status">{escape(told)}</p>'

    @property
    def said(self) -> str:
        """What is read out, HTML."""
        return str(self._said.object)


def text(name: str) -> Markup:
    """A text in the strip, of a class of its style sheet."""
    return Markup(css_classes=[name], stylesheets=[_CSS], margin=0, sizing_mode="stretch_width")


def layout(
    settings: Viewable, verdict: Verdict, *body: Viewable, over: Viewable, above: tuple[Any, ...]
) -> pn.Column:
    """Lay out a page by the classes of layout.css, the `body` as wide as the page.

    `above` are further rows and tools; `over` is where menus open.
    """
    return theme.styled(
        "lab-grid",
        *above,
        theme.styled("lab-settings", settings, styles=_DRAWER),
        theme.styled("lab-lesson", verdict),
        theme.styled("lab-main", theme.styled("lab-pictures", *body)),
        theme.styled("lab-over", over, styles=_OVER),
        styles=_ONE_COLUMN,
    )


def _styled(name: str, *objects: Any) -> pn.Column:
    layout = {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
    return pn.Column(*objects, margin=0, **layout)
