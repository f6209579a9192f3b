"""A page without a player: its settings in a drawer, a strip with a verdict, and the pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.pages.sheet import Sheet

if TYPE_CHECKING:
    from panel.viewable import Viewable

_SHEET = Sheet(Path(__file__).with_suffix(".css"))
text = _SHEET.text  # words in the strip


class Verdict(pn.viewable.Viewer):
    """The strip above the pictures: where we are, what their numbers say, and `beside` it.

    Its height stays the same whatever it says.
    """

    def __init__(self, *beside: Viewable) -> None:
        super().__init__()
        self._place, self._said = text("place"), text("said")
        self._panel = _SHEET.column(
            "verdict", self._place, self._said, _SHEET.column("verdict-beside", *beside)
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


def layout(
    settings: Viewable,
    verdict: Verdict,
    *body: Viewable,
    over: Viewable,
    strip: tuple[Viewable, ...] = (),
) -> pn.Column:
    """Lay out a page by the classes of one_screen.css, the `body` as wide as the page.

    `strip` is the row of settings, if there is one; `over` is where menus open.
    """
    page = theme.within(
        "lab-screen",
        *([theme.within("lab-strip", *strip)] if strip else []),
        theme.within("lab-lesson", verdict),
        theme.within("lab-body", *body),
        theme.within("lab-over", over),
        theme.within("lab-drawer", settings),
    )
    page.css_classes = ["lab-screen", "lab-told", *([] if strip else ["lab-bare"])]
    return page
