"""How a text writes a table: what separates its cells, and what its decimal mark is."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_app.pages import numbers
from ucbpe_app.pages.numbers import COMMA, POINT
from ucbpe_app.pages.problem.sheets.columns import bare
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}  # the likeliest first
DECIMALS = {POINT: "point", COMMA: "comma"}
_SAMPLE = 200  # lines looked at to find the separator
_THOUSAND = 1000
# Excel's own first line, which says what separates the cells below it.
_DECLARED = re.compile(r'"?sep=([\t;,])"?[\t;, ]*(?:\r\n|\r|\n)', re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """How to read a text; None: find out."""

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None


class UndecidedError(InputError):
    """Numbers that can be read in two ways: a person says which.

    Attributes
    ----------
    question : for that person
    answers : what to say for each decimal mark
    """

    def __init__(self, question: str, got: str, answers: Mapping[str, str]) -> None:
        wanted = "numbers that can be read in one way only"
        super().__init__(wanted, got, "say which mark is the decimal mark")
        self.question, self.answers = question, dict(answers)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.question, self.got, self.answers)


class Spot(NamedTuple):
    """A cell with a number: its text, line and column."""

    text: str
    line: int
    column: str

    def __str__(self) -> str:
        return f"{self.text} in line {self.line}, column {self.column}"


def split(text: str) -> tuple[str, str | None]:
    """A text without byte order mark and without Excel's ``sep=;``, and what that line says."""
    text = text.lstrip("\ufeff")
    found = _DECLARED.match(text)
    return (text[found.end() :], found[1]) if found else (text, None)


def separator_of(text: str) -> str:
    """The likeliest separator that cuts every line into as many cells, or else most lines."""
    sample = "\n".join(text.splitlines()[:_SAMPLE])
    best, most = COMMA, 0
    for separator in SEPARATORS:
        try:
            rows = [row for row in csv.reader(io.StringIO(sample), delimiter=separator) if any(row)]
        except csv.Error:
            continue
        width, count = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width > 1 and count == len(rows):
            return separator
        if width > 1 and count > most:
            best, most = separator, count
    return best


def decimal_of(
    names: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], separator: str
) -> str:
    """Point or comma, whichever all numbers of a table can have.

    1.5, 0.950 and 1,050,000 have a decimal point for certain, 1,5, 0,950 and 1.050.000 a decimal
    comma. Where no number is certain, a comma is not guessed at. A point is taken for the decimal
    mark in cells that commas separate, unless a number of its column has none, as 950 beside 1.050.

    Raises
    ------
    UndecidedError
        For numbers that can be read in two ways, and for certain ones of both sorts.
    """
    certain = dict[str, Spot]()
    doubts = list[Spot]()
    commas = separator == COMMA and len(names) > 1
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        marked = {POINT, COMMA} & set("".join(cells))
        unsure = list[Spot]()
        for line, cell in zip(lines, cells, strict=True) if marked else ():
            points, many = cell.count(POINT), cell.count(COMMA)
            mark = POINT if points else COMMA
            # A single mark tells nothing new where that one is certain.
            if not points + many or (points + many == 1 and mark in certain):
                continue
            found = numbers.readings(bare(cell))
            if len(found) == 1:
                certain.setdefault(next(iter(found)), Spot(cell, line, name))
            elif len(set(found.values())) > 1:
                unsure.append(Spot(cell, line, name))
        # A whole number beside them, written without the mark.
        whole = unsure and any(cell.isdecimal() and 0 < int(cell) < _THOUSAND for cell in cells)
        doubts += [one for one in unsure if COMMA in one.text or whole or not commas][:1]
    if len(certain) > 1:
        raise _both(certain)
    if not certain and doubts:
        raise _either(doubts[0])
    return next(iter(certain), POINT)


def _both(certain: Mapping[str, Spot]) -> UndecidedError:
    point, comma = certain[POINT], certain[COMMA]
    return UndecidedError(
        f"{comma} has a decimal comma, and {point} has a decimal point. Which is right? Cells that "
        "cannot be read so become text.",
        f"{comma} and {point}",
        {decimal: f"Decimal {name}" for decimal, name in DECIMALS.items()},
    )


def _either(spot: Spot) -> UndecidedError:
    found = numbers.readings(bare(spot.text))
    thousands, fraction = max(found.values(), key=abs), min(found.values(), key=abs)
    mark = "comma" if COMMA in spot.text else "point"
    return UndecidedError(
        f"{spot}: is it {thousands:.12g}, with a {mark} between thousands, or {fraction:.12g}?",
        f"{spot}, which is {thousands:.12g} or {fraction:.12g}",
        {decimal: f"It is {number:.12g}" for decimal, number in found.items()},
    )
