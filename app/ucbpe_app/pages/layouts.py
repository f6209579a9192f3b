"""What a page is, and how it is laid out: in classes of a style sheet, as one of two layouts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html
from ucbpe_app.markup import Markup
from ucbpe_app.private.panel import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from panel.viewable import Viewable


class Page(pn.viewable.Viewer):
    """One page, made for one session from the query of its address and its navigation.

    The page alone follows its state, and calls its parts: so a change is drawn once, as one
    message to the browser. `panel` is all of the page below the bar.
    """

    panel: pn.Column

    @property
    def header(self) -> Sequence[Viewable]:
        """What it adds to the bar, right of the navigation."""
        return []

    def __panel__(self) -> pn.Column:
        return self.panel


class Sheet:
    """A style sheet, and what is made in one of its classes: as wide as its place, no margin."""

    def __init__(self, path: Path) -> None:
        self._css = path.read_text(encoding="utf-8")

    def options(self, name: str) -> dict[str, Any]:
        """The options of a component in this class."""
        look = {"css_classes": [name], "stylesheets": [self._css]}
        return {**look, "sizing_mode": "stretch_width", "margin": 0}

    def column(self, name: str, *objects: Any, **options: Any) -> pn.Column:
        """A column in this class."""
        return pn.Column(*objects, **{**self.options(name), **options})

    def region(self, label: str, name: str, *objects: Any, **options: Any) -> Region:
        """The same as a landmark of this name."""
        return Region(*objects, label=label, **{**self.options(name), **options})

    def text(self, name: str, html: Html = EMPTY) -> Markup:
        """Words in this class."""
        return Markup(html, **self.options(name))


WIDE = Sheet(Path(__file__).with_name("wide.css"))


def wide_page(
    settings: Viewable,
    band: Viewable,
    left: Viewable,
    right: Viewable,
    *,
    over: tuple[Viewable, ...] = (),
    below: tuple[Viewable, ...] = (),
) -> pn.Column:
    """A page as high as its window.

    Parameters
    ----------
    settings, band : rows as wide as the page
    left, right : the columns under them
    over : lies over the right one, so that what opens there moves nothing
    below : a row always in sight
    """
    body = WIDE.column("wide-body", left, right, *over)
    return WIDE.column("wide-page", settings, band, body, *below)


_SHEET = Sheet(Path(__file__).with_name("verdict.css"))
text = _SHEET.text  # words in the strip


class Verdict(pn.viewable.Viewer):
    """The strip above the pictures: where we are, what their numbers say, and `parts` beside.

    Its height stays the same whatever it says.
    """

    def __init__(self, *parts: Viewable) -> None:
        super().__init__()
        self._place, self._message = text("place"), text("said")
        self._panel = _SHEET.column(
            "verdict", self._place, self._message, _SHEET.column("verdict-beside", *parts)
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    def place(self, line: str, title: str) -> None:
        """Say where we are, in a line, and in a few words what is to be known or done."""
        self._place.object = Html("<p>{}</p><h2>{}</h2>").format(line, title)

    def say(self, message: str) -> None:
        """Read out what the numbers say, or what is being computed."""
        self._message.object = Html('<p role="status">{}</p>').format(message)

    @property
    def said(self) -> Html:
        """What is read out."""
        return self._message.object


def layout(
    settings: Viewable,
    verdict: Verdict,
    *body: Viewable,
    over: Viewable | None = None,
    strip: tuple[Viewable, ...] = (),
) -> pn.Column:
    """Lay out a page by the classes of one_screen.css, the `body` as wide as the page.

    `strip` is the row of settings, if there is one; `over` is where menus open, if there are any.
    """
    page = theme.within(
        "lab-screen",
        *([theme.within("lab-strip", *strip)] if strip else []),
        theme.within("lab-lesson", verdict),
        theme.within("lab-body", *body),
        *([theme.within("lab-over", over)] if over else []),
        theme.within("lab-drawer", settings),
    )
    page.css_classes = ["lab-screen", "lab-told", *([] if strip else ["lab-bare", "lab-column"])]
    return page
