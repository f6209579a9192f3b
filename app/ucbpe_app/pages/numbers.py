"""Numbers as people write them."""

from __future__ import annotations

import re

from ucbpe_core.errors import InputError

MOST_LETTERS = 200  # of one cell
LARGEST = 1e100  # of a number: its square and sums of such squares stay finite

POINT, COMMA = ".", ","

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# 1,500 may be one and a half or fifteen hundred; 0,125 and 1,5 can only be fractions.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "?", "."})
_MINUS = str.maketrans("−", "-")


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.lower() in _MISSING


def read(text: str, decimal: str = POINT) -> float | None:
    """The finite number that a cell has, or None."""
    form = _POINT if decimal == POINT else _COMMA
    plain = text.translate(_MINUS)
    if not form.fullmatch(plain):
        return None
    number = float(plain.replace(",", "."))
    return number if abs(number) <= LARGEST else None


def has_comma(text: str) -> bool:
    """Whether a cell is a number with a decimal comma, and nothing else."""
    return "," in text and _COMMA.fullmatch(text.translate(_MINUS)) is not None


def has_point(text: str) -> bool:
    """Whether a cell is a number with a decimal point."""
    return "." in text and _POINT.fullmatch(text.translate(_MINUS)) is not None


def is_ambiguous(text: str) -> bool:
    """Whether a comma in a number may separate thousands or decimals: 1,500."""
    return _THOUSANDS.fullmatch(text.strip().translate(_MINUS)) is not None


def typed(text: str, where: str) -> float:
    """A number that somebody typed, with a decimal point or a comma.

    Raises
    ------
    InputError
        For anything else; a comma that could separate thousands is not guessed at.
    """
    plain = text.strip().translate(_MINUS)
    got = repr(plain[:MOST_LETTERS])
    if is_ambiguous(text):
        remedy = f"write {plain.replace(',', '')}"
        if plain.count(",") == 1:
            remedy = f"{remedy} or {float(plain.replace(',', '.')):g}"
        raise InputError(
            f"{where} to be one number", f"{got}, which can be read in two ways", remedy
        )
    number = read(plain, COMMA if has_comma(plain) else POINT)
    if number is None:
        wanted = f"{where} to be a number, e.g. 71.3"
        raise InputError(wanted, got, "write it without a unit")
    return number
