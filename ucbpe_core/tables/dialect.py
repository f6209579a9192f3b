"""How a file writes a table: its encoding, what separates its cells, and its decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_core.errors import InputError
from ucbpe_core.tables import numbers
from ucbpe_core.tables.numbers import COMMA, POINT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FOREIGN = {  # by the first bytes
    b"PK\x03\x04": "an Excel workbook, or another packed file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook, or one with a password",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a packed file",
}
_BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",  # which begins as the next one
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


def decode(content: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and remarks.

    Raises
    ------
    InputError
        For a file that is empty, or no text.
    """
    if not content:
        raise InputError("a table", "nothing", "paste or choose one that has rows")
    if kind := foreign(content):
        raise InputError("a table", kind, "save it as CSV, or as .xlsx without a password")
    if content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        remedy = "open it as a saved experiment"
        raise InputError("a table as text", "a saved experiment, or other JSON", remedy)
    encoding = _encoding(content)
    if encoding is not None:
        return _decoded(content, encoding), ()
    if b"\0" in content:
        raise InputError("a table as text", "a file of another kind", "save it as CSV")
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        remark = "The file is not UTF-8 and was read as Latin-1: check names with accented letters."
        # Windows' variant where it can be: Excel writes that one.
        try:
            return content.decode("cp1252"), (remark,)
        except UnicodeDecodeError:
            return content.decode("latin-1"), (remark,)


def _encoding(content: bytes) -> str | None:
    """The encoding that a byte order mark says, or the zeros that UTF-16 has in each letter."""
    marked = (encoding for mark, encoding in _BOMS.items() if content.startswith(mark))
    for first, encoding in enumerate(("utf-16-be", "utf-16-le")):
        high, low = content[first::2], content[1 - first :: 2]
        if 2 * high.count(0) > len(high) and 0 not in low:
            return next(marked, encoding)
    return next(marked, None)


def _decoded(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"text in {encoding}", str(error), "save it as CSV in UTF-8") from None


def foreign(content: bytes) -> str:
    """The kind of a file that is known not to be text, by its first bytes; or nothing."""
    return next((kind for begin, kind in _FOREIGN.items() if content.startswith(begin)), "")


SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}  # the likeliest first
DECIMALS = {POINT: "point", COMMA: "comma"}
_SAMPLE = 200  # lines looked at to find the separator
_THOUSAND = 1000
_RULE = re.compile(r"[\s|:-]+")  # below the names of a table in Markdown
# Excel's own first line, which says what separates the cells below it.
_DECLARED = re.compile(r'"?sep=([\t;,])"?[\t;, ]*(?:\r\n|\r|\n)', re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """How to read a file; None: find out.

    Attributes
    ----------
    separator, decimal : of cells, and in numbers
    header : whether the first line has names
    minutes : whether times, as 1:30:00, become minutes
    worksheet : which one of a workbook
    """

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None
    minutes: bool | None = None
    worksheet: str | None = None


class UndecidedError(InputError):
    """Cells that can be read in two ways: a person chooses one.

    Attributes
    ----------
    question : for that person
    field : of `Reading`, which the answer is for
    answers : what a person says for each of its values
    """

    def __init__(
        self, field: str, question: str, got: str, answers: Mapping[Any, str], *,
        wanted: str = "numbers that can be read in one way only",
        remedy: str = "say which mark is the decimal mark",
    ) -> None:  # fmt: skip
        super().__init__(wanted, got, remedy)
        self.field, self.question, self.answers = field, question, dict(answers)

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(type(self), wanted=self.expected, remedy=self.remedy)
        return made, (self.field, self.question, self.got, self.answers)


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
    declared = _DECLARED.match(text)
    return (text[declared.end() :], declared[1]) if declared else (text, None)


def separator_of(text: str) -> str:
    """The likeliest separator that cuts every line into as many cells, or else most lines.

    Raises
    ------
    InputError
        For lines whose cells have pipes or blanks between them, which no separator cuts.
    """
    lines = [line for line in text.splitlines()[:_SAMPLE] if line.strip()]
    sample = "\n".join(lines)
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
    if other := _between(lines):
        remedy = "put one of these between them, in place of what is there"
        raise InputError("tabs, semicolons or commas between cells", other, remedy)
    return best


def _between(lines: Sequence[str]) -> str:
    """What else is between the cells of lines, if anything is."""
    if lines and all("|" in line for line in lines):
        return "pipes, as in Markdown" if any(map(_RULE.fullmatch, lines)) else "pipes"
    return "blanks" if 2 * sum(map(_has_blanks, lines)) > len(lines) else ""


def _has_blanks(line: str) -> bool:
    """Whether a line is of several numbers with blanks between them; 1 050 is one."""
    cells = line.split()
    separated = "\t" in line or any(cell[-1] in SEPARATORS for cell in cells)
    return len(cells) > 1 and not separated and all(map(_is_number, cells)) and not _is_number(line)


def _is_number(cell: str) -> bool:
    return bool(numbers.readings(numbers.bare(cell.strip())))


def decimal_of(
    names: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], separator: str
) -> str:
    """Point or comma, whichever all numbers of a table can have.

    1.5, 0.950 and 1,050,000 have a decimal point for certain, 1,5, 0,950 and 1.050.000 a decimal
    comma. Where no number is certain, a comma is not guessed at. A point is taken for the decimal
    mark in cells that commas separate, unless a number of its column has none, as 950 in a column
    with 1.050.

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
            readings = numbers.readings(numbers.bare(cell))
            if len(readings) == 1:
                certain.setdefault(next(iter(readings)), Spot(cell, line, name))
            elif len(set(readings.values())) > 1:
                unsure.append(Spot(cell, line, name))
        # A whole number in the same column, written without the mark.
        whole = unsure and any(cell.isdecimal() and 0 < int(cell) < _THOUSAND for cell in cells)
        doubts += [spot for spot in unsure if COMMA in spot.text or whole or not commas][:1]
    if len(certain) > 1:
        raise _both(certain)
    if not certain and doubts:
        raise _either(doubts[0])
    return next(iter(certain), POINT)


def _both(certain: Mapping[str, Spot]) -> UndecidedError:
    point, comma = certain[POINT], certain[COMMA]
    return UndecidedError(
        "decimal",
        f"{comma} has a decimal comma, and {point} has a decimal point. Which is right? Cells that "
        "cannot be read that way become text.",
        f"{comma} and {point}",
        {decimal: f"Decimal {name}" for decimal, name in DECIMALS.items()},
    )


def _either(spot: Spot) -> UndecidedError:
    readings = numbers.readings(numbers.bare(spot.text))
    thousands, fraction = max(readings.values(), key=abs), min(readings.values(), key=abs)
    mark = "comma" if COMMA in spot.text else "point"
    return UndecidedError(
        "decimal",
        f"{spot}: is it {thousands:.12g}, with a {mark} between thousands, or {fraction:.12g}?",
        f"{spot}, which is {thousands:.12g} or {fraction:.12g}",
        {decimal: f"It is {number:.12g}" for decimal, number in readings.items()},
    )


# What a spreadsheet evaluates, in some languages with the full-width form of a sign. Leading
# apostrophes count as text here, so escaped text is escaped again.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|nan)")


def escape(text: str) -> str:
    """Text for a cell: with an apostrophe in front if it could be taken for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape(cell: str) -> str:
    """The text from which `escape` made a cell; other text is returned unchanged."""
    return cell[1:] if cell.startswith("'") and escape(cell[1:]) == cell else cell
