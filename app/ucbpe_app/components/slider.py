"""A slider that the browser moves by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param

from ucbpe_app.private.panel import Component

_HERE = Path(__file__)


class Slider(Component):
    """A native slider. `value_label` is read out, whatever the value.

    The browser changes `value` in the event of the mouse or key, without a pass of a framework
    between: while it draws the runs of a drag, they are drawn in the frame of the thumb.
    """

    label = param.String("", doc="The name that is read out.")
    setting = param.String("", doc="The setting that it sets, by which a drag is known.")
    power = param.Integer(1, doc="A setting is factor * 10**(power * value).")
    factor = param.Number(1.0, doc="As `power`.")
    value = param.Number(0.0, doc="Where the thumb is.")
    start = param.Number(0.0, doc="The left end.")
    end = param.Number(1.0, doc="The right end.")
    step = param.Number(0.1, doc="From one place of the thumb to the next.")
    value_label = param.String("", doc="The value as people read it.")

    _esm = _HERE.with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        _HERE.with_name(name).read_text(encoding="utf-8") for name in ("range.css", "slider.css")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "height": 28, **params})
