"""A field whose number a slider sets as well."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
import param

from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.fields import NumberField
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_app.run.setting import SpecSettings

_REACH = 1.0  # decades to either side of the centre, 2.9 % a pixel of 176
_STEP = 1 / 100  # decades


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

    _esm = script("slider.js")
    _stylesheets: ClassVar[list[str]] = [script("range.css"), script("slider.css")]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "height": 28, **params})


class LogSliderField(NumberField):
    """A positive number with a logarithmic slider under it, to explore by dragging.

    The slider's value is the decimal logarithm of what the field shows, which is the setting unless
    a subclass has a `factor` and a `power`. It spans a factor of 10 to either side of `centre`, the
    suggested value, or of the setting where that is further away.
    """

    power = 1  # setting = factor * shown**power

    def __init__(self, settings: SpecSettings[Any], name: str) -> None:
        super().__init__(settings, name)
        self._centre, self._dragged, self._left = 0.0, False, False
        self.centre(getattr(settings, name))

    @cached_property
    def slider(self) -> Slider:
        """The slider, made together with the text field."""
        slider = Slider(
            label=f"{self.control.label} slider",
            power=self.power,
            factor=self.factor,
            setting=self.name,
            step=_STEP,
            value_label=self.write(getattr(self.settings, self.name)),
            visible=self.visible,
            margin=(-6, 8, 0, 8),
            **self._places(),
        )
        slider.param.watch(self._drag, "value")
        return slider

    @property
    def parts(self) -> list[Viewable]:
        return [self.control, self.slider]

    @property
    def factor(self) -> float:
        """What the setting is, over what the field shows to the power of `power`."""
        return 1.0

    def centre(self, value: float) -> None:
        """Put the slider's middle at `value` (1e-4 if that is 0), and the thumb at the setting."""
        self._centre = self._shown(value or 1e-4)
        self._place()

    def along(self, count: int) -> tuple[float, ...]:
        """So many values of the setting, ascending, at even places of the slider."""
        ends = self._places()
        places = np.linspace(ends["start"], ends["end"], count)
        return tuple(float(f"{self.factor * 10 ** (self.power * place):.3g}") for place in places)

    def leave_to_browser(self, *, on: bool) -> None:
        """Write the setting; while `on`, the browser writes the values that it is dragged to."""
        self._left = on
        if self._made:
            self._write(getattr(self.settings, self.name))

    def _drag(self, event: param.parameterized.Event) -> None:
        if self._syncing:
            return
        # The thumb stays under the finger: moving it to the rounded value would work against it.
        self._dragged = True
        try:
            with pn.io.hold():
                self.propose(float(f"{self.factor * 10 ** (self.power * event.new):.3g}"))
        finally:
            self._dragged = False

    def _show(self, value: Any) -> None:
        if not self._made or (self._dragged and self._left):
            return
        self._write(value)
        if not self._dragged:
            self._place()

    def _write(self, value: float) -> None:
        """Write a value in the field and at the thumb."""
        super()._show(value)
        self.slider.value_label = self.write(value)

    def _place(self) -> None:
        """Put the thumb at the setting."""
        if not self._made:
            return
        self._syncing = True
        try:
            self.slider.param.update(**self._places())
        finally:
            self._syncing = False

    def _places(self) -> dict[str, float]:
        """Where the slider starts and ends, and its thumb is."""
        value = getattr(self.settings, self.name)
        place = self._shown(value) if value > 0 else self._centre - _REACH
        middle = self._centre if abs(place - self._centre) <= _REACH else place
        return {"start": middle - _REACH, "end": middle + _REACH, "value": place}

    def _shown(self, value: float) -> float:
        """The decimal logarithm of what the field shows."""
        return math.log10(value / self.factor) / self.power
