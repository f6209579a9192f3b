"""The buttons that open and close the settings column, or on a narrow screen lead to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class DrawerButton(Component):
    """Opens and closes the column in the browser, which remembers it; see layout.css.

    On a narrow screen the one `in_bar` is shown in its place: it scrolls to the settings, and back.
    `on_open` is called when the column is first seen, which is when it has to be there.
    """

    in_bar = param.Boolean(False, constant=True, doc="Whether it stands in the page's bar.")

    _esm = _HERE.with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        _HERE.with_name(name).read_text(encoding="utf-8")
        for name in ("bar_button.css", "drawer.css")
    ]

    def __init__(self, on_open: Callable[[], None] | None = None, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})
        self._on_open = on_open

    def receive(self, data: Any) -> None:
        if self._on_open is not None:
            with pn.io.hold():
                self._on_open()
