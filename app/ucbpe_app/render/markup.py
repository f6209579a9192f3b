"""HTML whose text changes at every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param

from ucbpe_app.html import EMPTY, Html, escape
from ucbpe_app.private.panel import Component


class Markup(Component):
    """Shows HTML; a text that is not marked as such is escaped.

    Not Panel's HTML pane, which takes any text for HTML, and when it changes, Bokeh lays out the
    whole page again; nor Typography, which takes it for Markdown.
    """

    _html = param.String("", doc="What the browser has.")

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

    def __init__(self, object: Html = EMPTY, **params: Any) -> None:
        """Take the HTML, and any parameter of a component."""
        super().__init__(_html=escape(object), **params)

    @property
    def object(self) -> Html:
        """The HTML."""
        return Html(self._html)

    @object.setter
    def object(self, html: Html) -> None:
        self._html = escape(html)
