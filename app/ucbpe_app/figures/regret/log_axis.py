"""A log axis that has a place for zero: a regret can be exactly 0, which no log axis shows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats

_BELOW = 0.5  # decades between the least positive value and the place of zero
_MARGIN = 0.15  # decades kept free at either end
_MOST_TICKS = 5  # of decades; what 190 px hold without crowding
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class LogAxis:
    """A log axis from 10^low to 10^high, a decade at least; half a decade below, zeros if any."""

    low: float
    high: float
    zeros: bool

    @classmethod
    def of(cls, values: Floats) -> LogAxis:
        """Return the axis that fits these values, all of them 0 or more."""
        positive = values[values > 0]
        if not positive.size:
            return cls(0.0, 1.0, zeros=True)
        low, high = log10(positive.min()), log10(positive.max())
        return cls(low, max(high, low + 1), zeros=positive.size < values.size)

    def reaching(self, top: float) -> LogAxis:
        """Return the axis extended upwards so that it shows `top`, 0 or more."""
        high = max(self.high, log10(top)) if top > 0 else self.high
        return LogAxis(self.low, high, self.zeros)

    def place(self, values: Floats) -> Floats:
        """Return the values as they are drawn: zeros at the place of zero."""
        return np.maximum(values, self._zero)

    @property
    def start(self) -> float:
        return 10.0**-_MARGIN * (self._zero if self.zeros else 10.0**self.low)

    @property
    def end(self) -> float:
        return float(10.0 ** (self.high + _MARGIN))

    @property
    def labels(self) -> dict[float, str]:
        """Every tick and its text; the place of zero says "0"."""
        ticks = {tick: _label(tick) for tick in _ticks(self.low - _MARGIN, self.high + _MARGIN)}
        return {self._zero: "0", **ticks} if self.zeros else ticks

    @property
    def exponents(self) -> dict[float, str]:
        """Every tick's logarithm to base 10 and its text, for an axis on which those are drawn."""
        return {float(np.log10(tick)): text for tick, text in self.labels.items()}

    @property
    def _zero(self) -> float:
        return float(10.0 ** (self.low - _BELOW))


def _ticks(low: float, high: float) -> list[float]:
    """Decades, thinned out when there are many; 1, 2, 5 steps when there are few."""
    decades = range(floor(low), ceil(high) + 1)
    mantissas = (1, 2, 5) if high - low < 2 else (1,)
    every = ceil((high - low) / _MOST_TICKS)
    ticks = [m * 10.0**d for d in decades if d % every == 0 for m in mantissas]
    return [tick for tick in ticks if low <= log10(tick) <= high]


def _label(tick: float) -> str:
    """0.02, 1, 500; powers of ten from 10 000 on and below 0.001."""
    if 1e-3 <= tick < 1e4:
        return f"{tick:g}"
    exponent = floor(log10(tick) + 1e-9)
    mantissa = round(tick / 10.0**exponent)
    power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return power if mantissa == 1 else f"{mantissa}·{power}"
