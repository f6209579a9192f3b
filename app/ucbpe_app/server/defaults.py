"""Defaults of Bokeh's properties, worked out once for each class of model.

Bokeh copies, validates and transforms a default each time that it is read, and a page reads some
fifty thousand: that was two fifths of the time that making one takes. A default that is a plain
value, and comes neither from a theme nor from a function, is the same each time.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor

_PLAIN = (bool, int, float, str, type(None))
_UNKNOWN = object()
_work_out = PropertyDescriptor._get_default
_known: dict[tuple[type, str], Any] = {}


def remember_defaults() -> None:
    """Have all models of this process read plain defaults from memory."""
    PropertyDescriptor._get_default = _remembered
    HasProps.themed_values = _themed_values  # type: ignore[assignment]


def _themed_values(model: HasProps) -> dict[str, Any] | None:
    """Without `getattr`, which asks the class for its properties before it finds nothing."""
    themed: dict[str, Any] | None = vars(model).get("__themed_values__")
    return themed


def _remembered(descriptor: PropertyDescriptor[Any], model: HasProps) -> Any:
    themed = _themed_values(model)
    if themed is not None and descriptor.name in themed:
        return _work_out(descriptor, model)
    key = type(model), descriptor.name
    value = _known.get(key, _UNKNOWN)
    if value is _UNKNOWN:
        value = _work_out(descriptor, model)
        if type(value) in _PLAIN and not descriptor.has_unstable_default(model):
            _known[key] = value
    return value
