"""Marks in figures that stand out while the mouse points at their name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.core.property.vectorization import Field, Value
from bokeh.models import Plot

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bokeh.model import Model
    from bokeh.plotting import figure as Figure

_WIDER, _MORE = 3.0, 2.0  # px of a line, times the opacity of an area


class Lit:
    """Models by the name of what they draw; at most one name's stand out.

    Sizes that come from a column of a source stay.
    """

    def __init__(self, models: Mapping[str, Iterable[Model]]) -> None:
        self._models = {name: tuple(some) for name, some in models.items()}
        self._before: list[tuple[Model, dict[str, Any]]] = []

    def light(self, name: str) -> None:
        """Draw what has this name boldly, and everything else as before; "" for none."""
        for model, before in self._before:
            model.update(**before)
        self._before = []
        for model in self._models.get(name, ()):
            bold = _bold(model)
            self._before.append((model, {key: getattr(model, key) for key in bold}))
            model.update(**bold)


def _bold(model: Model) -> dict[str, Any]:
    if isinstance(model, Plot):
        return {"outline_line_width": 4, "outline_line_color": theme.ORANGE}
    names, bold = model.properties(), dict[str, Any]()
    for name in ("line_width", "hatch_weight"):
        value = _number(model, name) if name in names else None
        if value is not None and getattr(model, "line_color", None) is not None:
            bold[name] = value + _WIDER
    for name in ("fill_alpha", "above_fill_alpha"):
        value = _number(model, name) if name in names else None
        if value is not None:
            bold[name] = min(1.0, _MORE * value)
    return bold


def _number(model: Model, name: str) -> float | None:
    """A property that is the same for all that the model draws."""
    value = getattr(model, name)
    if isinstance(value, Field):
        return None
    return float(value.value if isinstance(value, Value) else value)


def glyphs(plots: Iterable[Figure], source: str, column: str = "") -> list[Model]:
    """The glyphs in these figures of a source of this name, all or those that draw a column."""
    found = (one for plot in plots for one in plot.renderers if one.data_source.name == source)
    return [one.glyph for one in found if not column or getattr(one.glyph, "y", None) == column]
