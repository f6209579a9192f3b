"""What if the band were wider, or f smoother: factors on two settings, from where one began."""

from __future__ import annotations

from math import isclose
from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_app.run.choices import KERNELS, SCHEDULES, takes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import param

    from ucbpe_app.run.settings import Settings

# Each with 1, the value that one began with, in the middle.
FACTORS: Mapping[str, tuple[float, float, float]] = MappingProxyType(
    {"scale": (1 / 5, 1.0, 5.0), "lengthscale": (1 / 2, 1.0, 2.0)}
)


class WhatIf:
    """Factors on the scale of beta and on the lengthscale of `settings`.

    A factor applies to the value that the setting had before any. Setting it to something else,
    or together with others as a lesson does, starts again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._bases = {name: float(getattr(settings, name)) for name in FACTORS}
        settings.param.watch(self._follow, list(settings.spec().__dict__))

    def choose(self, name: str, factor: float) -> None:
        """Multiply the value that one began with.

        Raises
        ------
        InputError
            If the settings refuse the product.
        """
        # The digits that people see: a product like 0.1 * 3 would show more of them.
        self._settings.accept(**{name: float(f"{self._bases[name] * factor:.12g}")})

    def factor(self, name: str) -> float | None:
        """The factor in force; None where the kernel or schedule in use does not have it."""
        things = {"scale": SCHEDULES[self._settings.schedule]}
        if not takes(things.get(name, KERNELS[self._settings.kernel]), name):
            return None
        return self._matching(name, getattr(self._settings, name))

    def _follow(self, *events: param.parameterized.Event) -> None:
        for event in events:
            if event.name in FACTORS and (
                len(events) > 1 or self._matching(event.name, event.new) is None
            ):
                self._bases[event.name] = float(event.new)

    def _matching(self, name: str, value: float) -> float | None:
        """The factor that gives a value, if one does."""
        base = self._bases[name]
        return next((f for f in FACTORS[name] if isclose(value, base * f)), None)
