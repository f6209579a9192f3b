"""Numbers, points and picks as they are written on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences.texts import say

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats

_MOST_COORDINATES = 2
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pick_label(number: int) -> str:
    """x⁰, x¹, .. as on screen."""
    return f"x{str(number).translate(_SUPERSCRIPTS)}"


def number(value: float) -> str:
    """Three significant digits, or all those of a large integer part; a true minus sign."""
    large = 1000 <= abs(value) < 1e6
    return f"{value:{'.0f' if large else '.3g'}}".replace("-", "−")


def coordinates(x: Floats) -> str:
    """0.31 in one dimension, (0.31, 0.82) in more."""
    parts = [number(value) for value in x]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def place(x: Floats, index: int) -> str:
    """Where a pick is: its coordinates, or its row where they are too many for a line."""
    return coordinates(x) if len(x) <= _MOST_COORDINATES else f"candidate {index}"


def percentage(mask: Booleans) -> str:
    """Share of X, as 38 %; small shares keep a decimal."""
    return percent(np.count_nonzero(mask) / mask.size)


def percent(share: float) -> str:
    """0.38 as 38 %; small shares keep a decimal."""
    share *= 100
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.2g} %"


def earlier_picks(k: int) -> str:
    """The picks before pick k >= 1: x⁰, x⁰ and x¹, x⁰ … x⁴."""
    if k == 1:
        return pick_label(0)
    between = say("and") if k == 2 else "…"
    return f"{pick_label(0)} {between} {pick_label(k - 1)}"
