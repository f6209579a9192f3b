"""Small tables to try the page with, as text that a person could have pasted."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Floats


@dataclass(frozen=True)
class Example:
    """A named table; `purpose` says what to do with it."""

    name: str
    purpose: str
    text: str


def _extraction(temperature: Floats, time: Floats) -> Floats:
    """A made-up yield in percent, with a narrow best region and a broad second one."""
    best = 34 * np.exp(-(((temperature - 92) / 5) ** 2) - ((time - 6) / 1.8) ** 2)
    broad = 26 * np.exp(-(((temperature - 76) / 14) ** 2) - ((time - 14) / 7) ** 2)
    return 48 + best + broad


def _written(with_yield: Callable[[int], bool]) -> str:
    """Every 2 °C and minute; the yield where it is known."""
    lines = io.StringIO()
    lines.write("setting,temperature (°C),time (min),yield (%)\n")
    number = 0
    for temperature in range(60, 101, 2):
        for time in range(2, 21):
            known = _extraction(np.array(float(temperature)), np.array(float(time)))
            value = f"{float(known):.1f}" if with_yield(number) else ""
            lines.write(f"S{number + 1:03d},{temperature},{time},{value}\n")
            number += 1
    return lines.getvalue()


EXAMPLES = (
    Example(
        "All values known",
        "399 settings of an extraction with the yield of each: simulate policies on it.",
        _written(lambda _: True),
    ),
    Example(
        "Four measured so far",
        "The same settings with four yields: go on as an experiment.",
        _written(lambda number: number in (45, 130, 260, 355)),
    ),
)
