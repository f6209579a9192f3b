"""Light or dark, as the visitor has chosen before, or else as the system is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn

from ucbpe_app.private.panel import Component

COOKIE = "ucbpe-theme"


class ThemeMemory(Component):
    """Remembers in the browser what was chosen by the page's toggle; shows nothing."""

    _esm = Path(__file__).with_name("theme_memory.js").read_text(encoding="utf-8")

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})


def recall() -> None:
    """Build this session's page in the theme that its browser has shown last.

    A field ``theme`` of the address comes first.
    """
    if pn.state.curdoc is not None and "theme" not in pn.state.session_args:
        pn.config.theme = "dark" if pn.state.cookies.get(COOKIE) == "dark" else "default"
