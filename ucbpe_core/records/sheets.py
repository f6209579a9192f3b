r"""CSV that spreadsheets take for data: text that they would run as a formula is marked as text.

A spreadsheet evaluates a cell that begins with ``=``, ``+``, ``-`` or ``@``, also after a tab or
a line break, and in some languages with the full-width form of one of these. `escape` puts an
apostrophe before such text, `unescape` takes it away again: ``unescape(escape(text)) == text``
for every text. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from ucbpe_core.records import atomic

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

# Apostrophes in front count as text here, so that escaped text is escaped once more.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|nan)")


def escape(text: str) -> str:
    """Text for a cell: with an apostrophe in front if it could be taken for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape(cell: str) -> str:
    """The text that `escape` made a cell of; text that it would not have made stays as it is."""
    return cell[1:] if cell.startswith("'") and escape(cell[1:]) == cell else cell


def dumps(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; cells that are text are escaped, all others written as `csv.writer` does."""
    lines = _Lines()
    # Only cells with a character of the line terminator are quoted, and "\r" has to be.
    writer = csv.writer(lines, lineterminator="\r\n")
    for row in rows:
        writer.writerow([escape(cell) if isinstance(cell, str) else cell for cell in row])
    return "".join(lines)


def write(path: str | os.PathLike[str], rows: Iterable[Sequence[object]]) -> None:
    """Write `dumps(rows)`, whole or not at all; errors as `atomic.write_bytes`."""
    atomic.write_text(path, dumps(rows))


class _Lines(list[str]):
    """Takes rows from a `csv.writer`, and ends each with a line feed alone."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")
