"""The configurations of a race as cards: which one is edited, and which there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.race.views.marks import swatch
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ACTIONS = ("edit", "duplicate", "remove", "add")


class Cards(Component):
    """A card per configuration, in order, with its buttons.

    ``on_action`` is called with one of "edit", "duplicate", "remove" and "add", and the place of
    the card.
    """

    cards = param.List(default=[], item_type=dict, doc="Dicts of `letter`, `label`, `summary`.")
    chosen = param.Integer(default=0, bounds=(0, None), doc="The one being edited.")
    fewest = param.Integer(default=2, doc="With so many none can be removed.")
    most = param.Integer(default=4, doc="With so many none can be added.")

    _esm = Path(__file__).with_suffix(".js")
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    ]

    def __init__(self, on_action: Callable[[str, int], None], **params: Any) -> None:
        """Take any parameter above; as wide as its container unless set otherwise."""
        self._on_action = on_action
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})

    def load(self, configurations: Iterable[tuple[str, str, str]], chosen: int) -> None:
        """Show these, each a letter, a name and a summary."""
        cards = [
            {"letter": letter, "label": label, "summary": summary, "swatch": swatch(place)}
            for place, (letter, label, summary) in enumerate(configurations)
        ]
        self.param.update(cards=cards, chosen=chosen)

    def receive(self, data: Any) -> None:
        """Do what a button asks for, if there still is such a card."""
        action, place = str(data["action"]), int(data["place"])
        if action in ACTIONS and 0 <= place < len(self.cards):
            self._on_action(action, place)
