"""The labels of a plot as HTML over its frame: they follow the theme and are read out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app import theme
from ucbpe_app.private.panel import Component
from ucbpe_app.run.glossary import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pictures.picture import Plot


class Labels(Component):
    """Labels that keep apart from each other, whatever the size of the plot."""

    items = param.List([], item_type=dict, doc="Those of `items_of`.")
    borders = param.Tuple((0, 0, 0, 0), doc="Px around the frame: left, right, top, bottom.")
    press = param.String("", doc="What a press on the plot does, or empty where it does nothing.")

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        theme.inks(),
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter of a component."""
        super().__init__(css_classes=["lab-labels"], margin=0, **params)
        self.on_press: Callable[[], None] | None = None

    def receive(self, data: Any) -> None:
        """A person pressed."""
        if self.on_press is not None:
            self.on_press()


def items_of(plot: Plot) -> list[dict[str, Any]]:
    """The labels of a plot; what they name, as shares of the width and the height of its frame."""
    return [
        {
            "text": one.text,
            "role": one.role,
            "place": one.place,
            "strong": one.strong,
            "meaning": explain(one.text),
            "x": plot.x.fraction(one.x),
            "y": plot.y.fraction(one.y),
            **({"color": in_either_theme(one.inks)} if one.inks else {}),
        }
        for one in plot.labels
    ]


def in_either_theme(inks: tuple[str, str]) -> str:
    """The CSS colour of inks for light pages and for dark ones."""
    return f"light-dark({', '.join(inks)})"
