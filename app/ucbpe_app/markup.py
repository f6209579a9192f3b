"""HTML whose text changes at every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param

from ucbpe_app.private.panel import Component


class Markup(Component):
    """HTML made by this project; the caller escapes what comes from elsewhere.

    Not Panel's HTML pane: when its text changes, Bokeh lays out the whole page again.
    """

    object = param.String("", doc="The HTML.")

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

    def __init__(self, object: str = "", **params: Any) -> None:
        """Take the HTML, and any parameter of a component."""
        super().__init__(object=object, **params)
