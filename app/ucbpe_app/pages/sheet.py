"""The parts of a page that have a class of one style sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.markup import Markup
from ucbpe_app.private.panel import Region

if TYPE_CHECKING:
    from pathlib import Path


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

    def text(self, name: str, html: str = "") -> Markup:
        """Words in this class."""
        return Markup(html, **self.options(name))
