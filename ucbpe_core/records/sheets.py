r"""CSV that spreadsheets read as data: text that they would evaluate as a formula is escaped.

A spreadsheet evaluates a cell that begins with ``=``, ``+``, ``-`` or ``@``, also after a tab or a
line break, and in some languages with the full-width form of one of these. `escape` puts an
apostrophe before such text, and `unescape` removes it: ``unescape(escape(text)) == text`` for every
text. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from ucbpe_core.records import atomic

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

# Leading apostrophes count as text here, so escaped text is escaped again.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|nan)")


def escape(text: str) -> str:
    """Text for a cell: with an apostrophe in front if it could be taken for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape(cell: str) -> str:
    """The text from which `escape` made a cell; other text is returned unchanged."""
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
    """Write `dumps(rows)`, completely or not at all; errors as for `atomic.write_bytes`."""
    atomic.write_text(path, dumps(rows))


class _Lines(list[str]):
    """Takes rows from a `csv.writer`, and ends each with a line feed alone."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")
