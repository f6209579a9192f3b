"""The text in a file, whatever program wrote it."""

from __future__ import annotations

import re

from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_core.errors import InputError

_SAVED = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"ucbpe-experiment"')
FOREIGN = {  # by the first bytes
    b"PK\x03\x04": "an Excel workbook, or another packed file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
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
        For a file that is empty, too large, or no text.
    """
    _check(content)
    for begin, kind in FOREIGN.items():
        if content.startswith(begin):
            raise InputError("a table as text", kind, "save it as CSV and open that")
    encoding = _encoding(content)
    if encoding is not None:
        return _decoded(content, encoding), ()
    if b"\0" in content:
        raise InputError("a table as text", "a file of another kind", "save it as CSV")
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        remark = "It is not in UTF-8 and was read as Latin-1: check names with accented letters."
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


def _check(content: bytes) -> None:
    """Refuse a file that is empty, too large, or a saved experiment."""
    if not content:
        raise InputError("a table", "nothing", "paste or choose one that has rows")
    if _SAVED.match(content):
        remedy = 'choose it under "Open a saved experiment"'
        raise InputError("a table as text", "a saved experiment", remedy)
    if len(content) > MOST_BYTES:
        wanted = f"at most {MOST_BYTES / 1e6:g} MB"
        raise InputError(wanted, f"{len(content) / 1e6:.1f} MB", "leave out rows or columns")
