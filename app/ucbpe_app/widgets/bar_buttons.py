"""Bars of buttons: to change the page, and to explore with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable

# What the keys of a presented page multiply, by what they ask for, see present.js.
FACTORS = {
    "wider": ("scale", 2.0), "narrower": ("scale", 0.5),
    "longer": ("lengthscale", 1.25), "shorter": ("lengthscale", 0.8),
}  # fmt: skip


class DrawerButton(Component):
    """Opens and closes the column in the browser, which remembers it; see layout.css.

    On a narrow screen the one `in_bar` is shown in its place: it opens a sheet over half of the
    page, or where there is none scrolls to the settings, and back.
    `on_open` is called when the column is first asked for, or a pointer comes near the button. It
    is opened once its fields are drawn.
    """

    in_bar = param.Boolean(False, constant=True, doc="Whether it is in the page's bar.")
    sheet = param.Boolean(False, constant=True, doc="Whether the page has a sheet, `lab-sheet`.")

    _esm = script("drawer.js")
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css", "drawer.css")]

    def __init__(self, on_open: Callable[[], None] | None = None, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})
        self._on_open = on_open

    def receive(self, data: Any) -> None:
        if self._on_open is not None:
            with pn.io.hold():
                self._on_open()


class AllLessons(Component):
    """Has the browser open the shelves of the lessons, where no card does."""

    _esm = script("element.js", "all_lessons.js")
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css")]


class Present(Component):
    """Whether the page is presented to a class; an address with `present=1` opens it in this mode.

    The browser enlarges the text; watchers of `presented` enlarge the figures and hide what is not
    for the audience.
    """

    presented = param.Boolean(default=False, doc="Whether the page is presented.")

    _esm = script("place.js", "present.js")
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css")]

    def __init__(self, on_ask: Callable[[str], None] | None = None, **params: Any) -> None:
        """Take any parameter above; `on_ask` is called with what a key requests, see present.js."""
        asked = pn.state.session_args.get("present") == [b"1"]
        super().__init__(**{"margin": 0, "presented": asked, **params})
        self._on_ask = on_ask

    def receive(self, data: Any) -> None:
        """Do as the browser asks."""
        if "presented" in data:
            self.presented = bool(data["presented"])
        elif self._on_ask is not None and self.presented:
            self._on_ask(str(data["asked"]))


class PresentKeys(Component):
    """What the keys of a presented page do, each a button as well."""

    classes = param.Boolean(False, doc="Whether a class can be opened.")
    without = param.List(
        default=[], item_type=str, doc="Keys of the list that do nothing here, by their letters."
    )
    stage = param.List(
        default=[],
        item_type=tuple,
        doc="While a class plays, what its keys do: key, sign, text, and full name.",
    )

    _esm = script("present_keys.js")
    _stylesheets: ClassVar[list[str]] = [script("present_keys.css")]


class ExploreBar(Component):
    """A row of buttons. `on_do` is called with the name of one: "undo" or "redo".

    Ctrl+Z and Ctrl+Shift+Z undo and redo too, unless a text field has the focus. `on_word` is
    called with the mark of the term under the pointer, wherever on the page; "" for none.
    """

    earlier = param.String("", doc="The change that undo takes back; empty if there is none.")
    later = param.String("", doc="The change that redo makes again; empty if there is none.")
    settable = param.Boolean(True, doc="Whether settings may be changed here.")

    _esm = script("undo_keys.js", "explore.js")
    _stylesheets: ClassVar[list[str]] = [script("explore.css")]

    def __init__(
        self, on_do: Callable[[str], None], on_word: Callable[[str], None], **params: Any
    ) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._on_do, self._on_word = on_do, on_word

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            if data["do"] == "light":
                self._on_word(str(data["mark"]))
            else:
                self._on_do(str(data["do"]))
