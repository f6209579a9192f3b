"""What is on screen as addresses: a link to copy, links to other pages, and the way back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import panel as pn
import param

from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.private.panel import Component
from ucbpe_app.render.markup import Markup
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class CopyLink(Component):
    """Copies the address of this page with a query, and keeps the address bar up to date.

    At a click the browser asks for the query of what is on screen then, which `write` makes; it
    lets a page copy for a few seconds after. The address is replaced: the browser's history gets no
    new entry. Call `follow` when something other than the place of the timeline has changed, from
    when on the moment of the address is on screen.
    """

    query = param.String(default="", doc="As last made, without the question mark.")
    digest = param.String(default="", doc="`Trace.digest` of the run on screen.")
    presents = param.Boolean(default=False, doc="Whether the page can be presented.")

    # Number of the last request answered, once everything requested before it has been done.
    _answered = param.Integer(default=0)

    _esm = script("clipboard.js", "address.js", "copy_link.js")
    _stylesheets: ClassVar[list[str]] = [script("bar_button.css", "copy_link.css")]

    def __init__(self, write: Callable[[], str], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._write = write

    def follow(self) -> None:
        """Make the address match what is on screen now."""
        self.query = self._write()

    def ask(self) -> str:
        """The query of what is on screen now."""
        self.query = self._write()
        return self.query

    def receive(self, data: Any) -> None:
        """Answer the browser, which waits for the query."""
        with pn.io.hold():
            self.ask()
            self._answered = int(data["request"])


class Connection(Component):
    """Says that the connection is lost, stops the page, and loads it again at the same moment.

    The moment is in the address, which follows the screen; see `CopyLink`. An element with the
    attribute ``data-offline`` works without the server. The event ``ucbpe-return`` of the window
    has a list as its detail: a promise of false that is put there keeps the page from being loaded
    again, and one of a text is what the page says once it is.
    """

    answered = param.Integer(0, doc="The last beat of the browser that was answered.")

    _esm = script("connection.js")
    _stylesheets: ClassVar[list[str]] = [script("connection.css")]

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})

    def receive(self, data: Any) -> None:
        """Answer, so that the browser knows that the server is there."""
        self.answered = int(data["beat"])


_STYLE = script("navigation.css")
_PAGES = Html('<nav aria-label="Pages">{}</nav>')
_HEADING = Html("<h1>GP-UCB-PE laboratory: {}</h1>")
_LINK, _HERE = Html('<a href="?{}"{}>{}</a>'), Html(' aria-current="page"')


class Navigation:
    """Plain links, so that the browser's own back, forward and open-in-a-tab work.

    Parameters
    ----------
    labels : name of each page in an address -> what the link says; the first is the page without
        a name
    current : name of the page on screen
    query : of the run that the links keep

    Attributes
    ----------
    panel : to be laid out in the bar
    heading : of the page, for screen readers; outside the bar, which is not there when presented
    """

    def __init__(self, labels: Mapping[str, str], current: str, query: str = "") -> None:
        self._labels, self._current = labels, current
        self.panel = Markup(
            stylesheets=[_STYLE], margin=0, styles={"flex": "1 1 0", "min-width": "0"}
        )
        words = _HEADING.format(labels[current])
        self.heading = Markup(words, stylesheets=[_STYLE], margin=0, css_classes=["lab-heading"])
        self.update(query)

    def update(self, query: str) -> None:
        """Make the links open their pages with the run of `query`."""
        fields = [field for field in parse_qsl(query.removeprefix("?")) if field[0] != "page"]
        links = joined(self._link(name, label, fields) for name, label in self._labels.items())
        self.panel.object = _PAGES.format(links)

    def _link(self, name: str, label: str, fields: list[tuple[str, str]]) -> Html:
        own = [] if name == next(iter(self._labels)) else [("page", name)]
        here = _HERE if name == self._current else EMPTY
        return _LINK.format(urlencode([*own, *fields]), here, label)
