"""The button that opens and closes the settings column where it would take space from figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ucbpe_app.private.panel import Component

_HERE = Path(__file__)


class DrawerButton(Component):
    """Opens and closes the column in the browser alone, which remembers it; see layout.css."""

    _esm = _HERE.with_suffix(".js")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_suffix(".css").read_text(encoding="utf-8")]

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})
