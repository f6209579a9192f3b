"""A worksheet: its cells, each as its format shows it, and what else the workbook has."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from decimal import Decimal
from enum import Enum, auto
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.tables.limits import MOST_CELLS, MOST_PARTS, MOST_ROWS, MOST_TEXT
from ucbpe_core.tables.package import SMALLER, Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.sax.xmlreader import AttributesImpl


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


_LONGEST_TEXT = 100  # letters of a name: three times as many as Excel takes


class Found(NamedTuple):
    """A sheet of a workbook: its name, the relation to its part, and whether it is in sight."""

    name: str
    relation: str
    visible: bool


class Sheets(Part):
    """Of the workbook: its sheets in their order, and the day that it counts from."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Found] = []
        self.from_1904 = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "sheet":
            # The prefix of ``r:id`` is a program's choice.
            relation = next((x for key, x in attributes.items() if key.endswith(":id")), "")
            visible = attributes.get("state", "visible") == "visible"
            self.found.append(Found(attributes["name"][:_LONGEST_TEXT], relation, visible))
            _check_parts(len(self.found))
        elif tag == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")


class Relation(NamedTuple):
    """Another part: its kind and its address."""

    kind: str
    target: str


class Relations(Part):
    """The parts that a workbook is related to, by their identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Relation] = {}

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "Relationship":
            kind = attributes["Type"].rpartition("/")[2]
            self.found[attributes["Id"]] = Relation(kind, attributes["Target"])
            _check_parts(len(self.found))


def _check_parts(count: int) -> None:
    if count > MOST_PARTS:
        raise InputError(f"a workbook of at most {MOST_PARTS} parts", "more", SMALLER)


class Strings(Part):
    """The texts that cells share."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._spoken = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "rPh":
            self._spoken = True

    def closed(self, tag: str, text: str) -> None:
        if tag == "t" and not self._spoken:
            self._pieces.append(text)
        elif tag == "rPh":  # how a text is spoken
            self._spoken = False
        elif tag == "si":
            self.texts.append(plain("".join(self._pieces)))
            self._pieces.clear()


class Styles(Part):
    """The format of each style of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.formats: list[Format] = []
        self._known: dict[int, Format] = dict(BUILTIN)
        self._of_cells = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "numFmt":
            self._known[int(attributes["numFmtId"])] = format_of(attributes["formatCode"])
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            number = int(attributes.get("numFmtId", "0"))
            self.formats.append(self._known.get(number, Format.NUMBER))

    def closed(self, tag: str, text: str) -> None:
        if tag == "cellXfs":
            self._of_cells = False


def plain(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


_LAST_ROW, _LAST_COLUMN = 2**20, 2**14  # of Excel
_NAMED = 5  # formulas
_DIGITS = "0123456789"
_PLACE = re.compile(r"([A-Za-z]{1,3})([1-9]\d{0,7})")


class Cells(Part):
    """The cells of a worksheet that have a value.

    Attributes
    ----------
    rows : by the number of the row, from 1, its cells by that of their column
    merged : the ranges of merged cells, as A2:B3
    unknown : the places of the first formulas that were saved without their value
    """

    def __init__(self, texts: Sequence[str], formats: Sequence[Format], *, from_1904: bool) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, str | float]] = {}
        self.merged: list[str] = []
        self.unknown: list[str] = []
        self._texts, self._formats, self._from_1904 = texts, formats, from_1904
        self._row = self._column = self._height = self._width = self._size = 0
        self._kind, self._style = "n", "0"
        self._value: str | None = None
        self._formula = False
        self._inline = Strings()
        self._columns: dict[str, int] = {}

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "c":
            self._go_to(attributes.get("r"))
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
            self._value, self._formula = None, False
        elif tag == "row":
            self._begin(int(attributes.get("r") or self._row + 1))
        elif tag == "f":
            self._formula = True
        elif tag == "mergeCell":
            self.merged.append(attributes["ref"])
        elif tag == "rPh":
            self._inline.opened(tag, attributes)

    def closed(self, tag: str, text: str) -> None:
        if tag == "v":
            self._value = text
        elif tag == "c":
            self._take()
        elif tag in ("t", "rPh"):
            self._inline.closed(tag, text)
        elif tag == "is":
            self._inline.closed("si", "")
            self._value = self._inline.texts.pop()
        elif tag == "sheetData":
            self._check_size()

    def _go_to(self, at: str | None) -> None:
        """To the cell at a place, as B3, or without one to the next."""
        if at is None:
            self._column += 1
        else:
            name = at.rstrip(_DIGITS)
            if name not in self._columns:
                self._columns[name] = place(at)[1]
            if (row := int(at[len(name) :])) != self._row:
                self._begin(row)
            self._column = self._columns[name]
        if self._column > _LAST_COLUMN:
            raise _too_far(self._row, self._column)

    def _begin(self, row: int) -> None:
        """A row begins, with the number that it has, or that its first cell has."""
        self._check_size()
        self._row, self._column = row, 0
        if row > _LAST_ROW:
            raise _too_far(row, self._width)

    def _take(self) -> None:
        """Keep the cell that ends, if it has a value."""
        value = self._value
        if not value:
            # A formula that gives an empty text is saved as a text; its value is empty.
            if self._formula and (value is None or self._kind != "str"):
                self.unknown += [f"{letters(self._column)}{self._row}"][
                    : _NAMED - len(self.unknown)
                ]
            return
        cell = self._read(value)
        if isinstance(cell, str):
            self._size += len(cell)
            if self._size > MOST_TEXT:
                wanted = f"at most {grouped(MOST_TEXT)} letters in the cells of a worksheet"
                raise InputError(wanted, "more", SMALLER)
            if not cell:
                return
        self.rows.setdefault(self._row, {})[self._column] = cell
        self._height, self._width = max(self._height, self._row), max(self._width, self._column)

    def _read(self, value: str) -> str | float:
        kind = self._kind
        if kind == "n":
            x = float(value)
            how = self._formats[int(self._style)] if self._formats else Format.NUMBER
            return shown(x, how, from_1904=self._from_1904) if isfinite(x) else value
        if kind == "s":
            return self._texts[int(value)]
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind == "d":
            return value.removesuffix("Z").removesuffix("T00:00:00").replace("T", " ")
        return plain(value)

    def _check_size(self) -> None:
        """At the end of each row, which has some thousand cells at most."""
        if len(self.rows) > MOST_ROWS + 1:
            raise InputError(f"at most {grouped(MOST_ROWS)} rows", "more", SMALLER)
        if self._height * self._width > MOST_CELLS:
            raise _too_far(self._height, self._width)


def _too_far(rows: int, columns: int) -> InputError:
    wanted = f"at most {grouped(MOST_CELLS)} cells from the first to the last"
    got = f"{grouped(rows)} rows of {grouped(columns)}"
    return InputError(wanted, got, "delete the cells right of and below the table")


def place(text: str) -> tuple[int, int]:
    """Row and column of a cell, from 1: of B3 they are 3 and 2."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    number = 0
    for letter in match[1].upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return int(match[2]), number


def letters(column: int) -> str:
    """The name of a column, from 1: A, B, .., AA."""
    name = ""
    while column:
        column, last = divmod(column - 1, 26)
        name = chr(ord("A") + last) + name
    return name
