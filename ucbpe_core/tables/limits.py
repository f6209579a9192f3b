"""How much a table from outside may hold, and why; each limit is stated and enforced."""

from __future__ import annotations

from math import inf
from typing import NamedTuple


class Most(NamedTuple):
    """The largest table that is read: its rows and columns."""

    rows: float = inf
    columns: float = inf


ANY = Most()


MOST_BYTES = 64_000_000  # of a file, which may have no end
MOST_LEVELS = 20  # texts of a category, each an input
# Of a workbook, which may be far larger than its file, and is a stranger's where a server reads it.
MOST_ROWS = 20_000
MOST_CELLS = 1_500_000  # of a worksheet, from the first to the last value: more than these
MOST_UNPACKED = 60_000_000  # bytes of a workbook: what so many cells take
MOST_PARTS = 1_000  # files in a workbook
MOST_ELEMENTS = 4_000_000  # of a part: so many cells with their values, and empty ones
MOST_DEPTH = 50  # of elements in elements; Excel writes some ten
MOST_NAMES = 2_000  # of elements and attributes; Excel's own are some hundred
MOST_UNSEEN = 1_000_000  # bytes in which no element begins or has text
MOST_IN_TEXT = 32_767  # letters in a cell, of Excel
MOST_TEXT = 20_000_000  # letters in all cells: texts that cells share are each written out
MOST_SECONDS = 10  # of computing, to read a workbook; the largest table takes half of that
