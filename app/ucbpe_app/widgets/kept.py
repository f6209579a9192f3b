"""What the browser keeps of its visitor: the theme."""

from __future__ import annotations

import panel as pn

from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.parts import script

COOKIE = "ucbpe-theme"


def recall() -> None:
    """Build this session's page in the theme that its browser has shown last.

    A field ``theme`` of the address comes first.
    """
    if pn.state.curdoc is not None and "theme" not in pn.state.session_args:
        pn.config.theme = "dark" if pn.state.cookies.get(COOKIE) == "dark" else "default"


class ThemeMemory(Component):
    """Has the browser remember what was chosen by the page's toggle of the theme; shows nothing."""

    # With what every page has to load before its figures.
    _esm = script("../private/color_bar.js", "../private/select_keys.js", "theme_memory.js")

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)
