"""Numbers as people write them."""

from __future__ import annotations

import re

from ucbpe_core.errors import InputError

MOST_LETTERS = 200  # of one cell
LARGEST = 1e100  # of a number: its square and sums of such squares stay finite

POINT, COMMA = ".", ","
PERCENT = "%"

# Thousands in groups of three digits, all with the same mark: 1,050 or 1.050, whichever is not the
# decimal mark, 1'050 and 1 050, also with the spaces that do not break a line.
_SPACES = " \u00a0\u2007\u2009\u202f'\u2019"


def _form(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = rf"[1-9]\d{{0,2}}([{_SPACES}{thousands}])\d{{3}}(?:\1\d{{3}})*"
    whole = rf"(?:\d+|{grouped})"
    power = r"(?:[eE][+-]?\d+)?"
    return re.compile(rf"[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+){power}", re.ASCII)


_FORMS = {POINT: _form("[.]", COMMA), COMMA: _form(COMMA, POINT)}
# 1,500 may be one and a half or fifteen hundred; 0,125 and 1,5 can only be fractions.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:[eE][+-]?\d+)?", re.ASCII)
_MISSING = frozenset({
    "", "-", "--", "–", "—", "?", ".", "na", "n/a", "n.a.", "n.a", "n. a.", "#n/a", "#na", "<na>",
    "nan", "#nan", "null", "none", "pending", "tbd", "tba", "n.d.", "missing", "k.a.", "k. a.",
})  # fmt: skip
_MINUS = str.maketrans("−", "-")
ERROR = re.compile(r"±|\+/-|\+-")


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.lower() in _MISSING


def bare(cell: str) -> str:
    """A cell without its per cent sign."""
    return cell.removesuffix(PERCENT).rstrip()


def read(text: str, decimal: str = POINT) -> float | None:
    """The finite number that a cell has, or None; thousands may be grouped by another mark."""
    plain = text if text.isascii() else text.translate(_MINUS)
    match = _FORMS[decimal].fullmatch(plain)
    if match is None:
        return None
    if match[1]:
        plain = plain.replace(match[1], "")
    number = float(plain if decimal == POINT else plain.replace(decimal, POINT))
    return number if abs(number) <= LARGEST else None


def mean_of(text: str, decimal: str = POINT) -> float | None:
    """The value of a number with the std of its error (41 ± 2), or the mean of repeats (41; 43)."""
    error = ERROR.split(text)
    parts = error if len(error) == 2 else [part for part in text.split(";") if part.strip()]
    if len(parts) < 2 or any(map(is_ambiguous, parts)):
        return None
    for mark in (decimal, *_FORMS):
        found = [read(part.strip(), mark) for part in parts]
        values = [number for number in found if number is not None]
        if len(values) == len(parts):
            return values[0] if len(error) == 2 else sum(values) / len(values)
    return None


def is_grouped(text: str, decimal: str) -> bool:
    """Whether a cell is a number with a mark between its thousands."""
    match = _FORMS[decimal].fullmatch(text.translate(_MINUS))
    return match is not None and match[1] is not None


def readings(text: str) -> dict[str, float]:
    """What a cell is with a decimal point and with a decimal comma, where it is a number."""
    numbers = {decimal: read(text, decimal) for decimal in _FORMS}
    return {decimal: number for decimal, number in numbers.items() if number is not None}


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
    number = next(iter(readings(plain).values()), None)  # with a point, if it can be either
    if number is None:
        wanted = f"{where} to be a number, e.g. 71.3"
        raise InputError(wanted, got, "write it without a unit")
    return number
