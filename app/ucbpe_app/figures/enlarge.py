"""Figures made readable from the back of a room: thick lines, large marks and their texts.

The texts of axes, colour bars and titles belong to the page's theme, which sets them in the
browser: there present.js enlarges them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.core.property.vectorization import Field, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bokeh.model import Model
    from bokeh.plotting import figure as Figure

TEXT = "18px"
_THICKER, _LARGER, _ROOMIER = 1.8, 1.4, 1.5
_SIZES = {
    "line_width": _THICKER,
    "size": _LARGER,
    "min_border_left": _ROOMIER,
    "min_border_bottom": _ROOMIER,
}


class Enlarged:
    """Figures that can be enlarged, and afterwards restored to the last property.

    Sizes that come from a column of a source stay: the source's owner sets them.
    """

    def __init__(self) -> None:
        self._before: list[tuple[Model, str, Any]] = []

    def enlarge(self, figures: Iterable[Figure]) -> None:
        """Enlarge these figures; those enlarged before are put back first."""
        self.restore()
        models = {model.id: model for one in figures for model in one.references()}
        for model in models.values():
            for name, value in _larger(model):
                self._before.append((model, name, getattr(model, name)))
                setattr(model, name, value)

    def restore(self) -> None:
        """Put every property back."""
        for model, name, value in self._before:
            setattr(model, name, value)
        self._before.clear()


def _larger(model: Model) -> Iterator[tuple[str, Any]]:
    names = model.properties()
    if "text_font_size" in names and not isinstance(model.text_font_size, Field):
        yield "text_font_size", TEXT
    for name, factor in _SIZES.items():
        value = getattr(model, name, None) if name in names else None
        value = value.value if isinstance(value, Value) else value
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield name, type(value)(value * factor)
