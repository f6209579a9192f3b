"""What a page is and how it is laid out, and what is on it only at times: tools and notices."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.private.panel import Component, Region
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.notation import sentences
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from panel.viewable import Viewable

    from ucbpe_core import UCBPEError


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
text, strip = _SHEET.text, _SHEET.column  # words in the strip, and its parts


class Verdict(pn.viewable.Viewer):
    """The strip above the pictures: where we are, what their numbers say, and `parts` at its right.

    Its height stays the same whatever it says.
    """

    def __init__(self, *parts: Viewable) -> None:
        super().__init__()
        self._place, self._message = text("place"), text("said")
        self._panel = _SHEET.column(
            "verdict", self._place, self._message, _SHEET.column("verdict-parts", *parts)
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
    drawer = theme.within("lab-drawer", settings)
    sheet = [theme.within("lab-sheet", theme.within("lab-strip", *strip), drawer)] if strip else []
    page = theme.within(
        "lab-screen",
        *sheet,
        theme.within("lab-lesson", verdict),
        theme.within("lab-body", *body),
        *([theme.within("lab-over", over)] if over else []),
        *([] if strip else [drawer]),
    )
    page.css_classes = ["lab-screen", "lab-verdict", *([] if strip else ["lab-bare", "lab-column"])]
    return page


WAITS = Html('<p role="status">Loading …</p>')


class MenuButton(Component):
    """Has the browser show and hide the panel of this name, and close the menu open before."""

    label = param.String("")
    value = param.Boolean(False, doc="Whether the panel is shown.")
    panel = param.String("", constant=True, doc="Its name.")

    _esm = script("undo_keys.js", "menu.js")
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css", "menu.css")]


class Menu:
    """`button` shows or hides `panel`, which has the parts below each other; lay both out.

    The browser does, and closes the menu that was open before. Parts given by a function are made
    when the menu is first opened; until they are there, the panel says so. The button is there
    while `offered` is true, which may be a parameter.
    """

    def __init__(
        self,
        name: str,
        parts: Sequence[Viewable] | Callable[[], Sequence[Viewable]],
        *,
        offered: Any = True,
    ) -> None:
        panel = f"menu-{name}"
        self.button = MenuButton(label=name, panel=panel, visible=offered, margin=0)
        self._make = parts if callable(parts) else None
        shown = [Markup(WAITS, margin=0)] if callable(parts) else parts
        self.panel = pn.Column(
            *shown, name=panel, visible=False, sizing_mode="stretch_width", margin=(8, 16)
        )
        if self._make is not None:
            self.button.param.watch(self._fill, "value")

    def _fill(self, event: param.parameterized.Event) -> None:
        if event.new and self._make is not None:
            self.panel.objects, self._make = list(self._make()), None

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
