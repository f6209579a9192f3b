"""A field whose number a slider beside it sets as well."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.components.slider import Slider
from ucbpe_app.pages.fields import Accepting, NumberField

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

_DECADES = 1.5  # a slider reaches this far above its centre: a factor of 30
_STEP = 1 / 40  # decades


class LogSliderField(NumberField):
    """A positive number with a logarithmic slider under it, to explore by dragging.

    The slider's value is the decimal logarithm of the setting. It spans a factor of 30 above
    `centre`, the suggested value, and `below` decades below it; it reaches further where the
    setting does. Its bubble shows the setting as the field does.
    """

    def __init__(self, settings: Accepting, name: str, below: float = _DECADES) -> None:
        super().__init__(settings, name)
        self._below = below
        self._centre, self._dragged, self._left = 0.0, False, False
        self.centre(getattr(settings, name))

    @cached_property
    def slider(self) -> Slider:
        """The slider, made together with the text field."""
        slider = Slider(
            label=f"{self.settings.param[self.name].label} slider",
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

    def centre(self, value: float) -> None:
        """Put the slider's middle at `value` (1e-4 if that is 0), and the thumb at the setting."""
        self._centre = math.log10(value or 1e-4)
        self._place()

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
                self.propose(float(f"{10**event.new:.3g}"))
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
        low, high = self._centre - self._below, self._centre + _DECADES
        place = math.log10(value) if value > 0 else low
        return {"start": min(low, place), "end": max(high, place), "value": place}
