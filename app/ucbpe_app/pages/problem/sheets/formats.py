"""What a cell of a workbook shows: its number by its format, as percent, date or time."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from decimal import Decimal
from enum import Enum, auto


class Format(Enum):
    """What a number is shown as."""

    NUMBER = auto()
    PERCENT = auto()
    DATE = auto()
    TIME = auto()  # of a day: 30 h are shown as 6:00
    ELAPSED = auto()  # as many hours as there are


class Percent(float):
    """A number in per cent: 41.3 of a cell that holds 0.413 and shows 41.3%."""


# Formats that a workbook names by number alone; 27 to 58 are dates in East Asian calendars.
BUILTIN = {
    9: Format.PERCENT, 10: Format.PERCENT,
    **dict.fromkeys((*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)), Format.DATE),
    **dict.fromkeys((*range(18, 22), *range(32, 36), 45, 47), Format.TIME),
    46: Format.ELAPSED,
}  # fmt: skip
# What stands for itself: texts, a letter behind \ _ or *, colours and conditions in brackets.
_LITERAL = re.compile(r'"[^"]*"|[\\_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]")
_DATE, _TIME, _MONTH = frozenset("yd"), frozenset("hs"), "m"

_LONGEST = 255  # letters of a format, of Excel
_LEAP = 60  # Excel's number of a 29th of February 1900, which there was not


def format_of(code: str) -> Format:
    """What a format shows of numbers that are not negative, by its code, as ``0.0%``."""
    shown = _LITERAL.sub("", code[:_LONGEST]).split(";")[0].lower()
    letters = set(shown)
    if "%" in letters:
        return Format.PERCENT
    if letters & _DATE:
        return Format.DATE
    if _ELAPSED.search(shown):
        return Format.ELAPSED
    if letters & _TIME:
        return Format.TIME
    return Format.DATE if _MONTH in letters else Format.NUMBER


def shown(x: float, how: Format, *, from_1904: bool) -> str | float:
    """The number, or the date or time of day or duration as text, of a cell that holds x."""
    if how is Format.NUMBER:
        return x
    if how is Format.PERCENT:
        return Percent(Decimal(repr(x)).scaleb(2))  # 0.57 is 57, as shown, and not 56.99..
    if how is Format.DATE:
        return _date(x, from_1904=from_1904)
    if how is Format.TIME:
        return clock(x if x < 0 else x % 1)
    return clock(x)


def clock(days: float) -> str:
    """A duration as hours, minutes and seconds: 30:00:00."""
    milliseconds = round(abs(days) * 86_400_000)
    seconds, rest = divmod(milliseconds, 1000)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return ("-" if days < 0 else "") + text + (f".{rest:03}" if rest else "")


def _date(days: float, *, from_1904: bool) -> str | float:
    """A date; the number where there is no such date, where Excel shows ####."""
    if 0 <= days < 1:
        return clock(days)
    first = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
    if not from_1904 and days < _LEAP:
        first += timedelta(days=1)
    try:
        at = first + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return days
    return str(at.date()) if at.time() == time() else at.isoformat(" ")
