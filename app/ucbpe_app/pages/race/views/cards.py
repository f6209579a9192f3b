"""The configurations of a race as cards: which there are, and which one is edited."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.components.parts import script
from ucbpe_app.pages.comparing import named
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_app.line_styles import PolicyLook


class Cards(Component):
    """A card per configuration, in order, and a button for another.

    ``on_press`` is called with the place of the card, or None for another configuration.
    """

    cards = param.List(default=[], item_type=dict, doc="Dicts of `letter`, `name` and `summary`.")
    chosen = param.Integer(default=-1, doc="The one being edited, or -1.")
    most = param.Integer(default=8, doc="With so many none can be added.")

    _esm = script("fragment.js", "cards.js", folder=Path(__file__).parent)
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    ]

    def __init__(self, on_press: Callable[[int | None], None], **params: Any) -> None:
        """Take any parameter above; as wide as its cards."""
        self._on_press = on_press
        super().__init__(css_classes=["wide-wide"], margin=0, **params)

    def load(self, configurations: Iterable[tuple[str, str, str, PolicyLook]]) -> None:
        """Show these, each a letter, a name, a summary and how it is drawn."""
        self.cards = [
            {"letter": letter, "name": named(look, label), "summary": summary}
            for letter, label, summary, look in configurations
        ]

    def receive(self, data: Any) -> None:
        """Do what a button asks for, if there still is such a card."""
        place = data["place"]
        if place is None or 0 <= int(place) < len(self.cards):
            self._on_press(None if place is None else int(place))
