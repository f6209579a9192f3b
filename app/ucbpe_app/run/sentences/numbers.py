"""Numbers, points and picks as they are written on screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences.texts import say

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats

_MOST_COORDINATES = 2
_DIGITS = 3
_ROUNDING = 1e-9  # share of an extent, far below any step along it
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pick_label(number: int) -> str:
    """x⁰, x¹, .. as on screen."""
    return f"x{str(number).translate(_SUPERSCRIPTS)}"


def number(value: float) -> str:
    """Three significant digits, or all those of a large integer part; a true minus sign."""
    large = 1000 <= abs(value) < 1e6
    return f"{value:{'.0f' if large else '.3g'}}".replace("-", "−")


def coordinate(value: float, extent: float, digits: int = 3) -> str:
    """A coordinate as its axis, of this extent, can tell it.

    It has so many significant digits, or more where the axis begins far from 0; what is only
    rounding beside the extent is 0.
    """
    size = abs(value)
    if size <= _ROUNDING * extent:
        return "0"
    away = round(math.log10(size / extent)) if extent else 0
    if away <= 0 and digits == _DIGITS:
        return number(value)
    whole = math.floor(math.log10(size)) + 1 if away > 0 else 0
    return f"{value:.{max(digits + max(away, 0), whole)}g}".replace("-", "−")


def coordinates(x: Floats, extents: Floats) -> str:
    """0.31 in one dimension, (0.31, 0.82) in more."""
    parts = [coordinate(*one) for one in zip(x.tolist(), extents.tolist(), strict=True)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def place(candidates: Floats, index: int) -> str:
    """Where a candidate is: its coordinates, or its row where they are too many for a line."""
    if candidates.shape[1] > _MOST_COORDINATES:
        return f"candidate {index}"
    return coordinates(candidates[index], np.ptp(candidates, axis=0))


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
