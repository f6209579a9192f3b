"""HTML as a type of its own, into which a text comes escaped.

``Html("<p>{}</p>").format(text)`` escapes the text, as ``+``, ``%`` and `joined` do, unless it is
HTML itself. `Html` marks what this project has written, and so it is given literals; the few other
places are named in a test. What shows HTML takes this type: mypy refuses a plain text there, and
at run time that is escaped, and read as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup as Html
from markupsafe import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["EMPTY", "Html", "escape", "joined", "table"]

EMPTY = Html()
_CAPTION, _HEAD = Html("<caption>{}</caption>"), Html("<thead><tr>{}</tr></thead>")
_TABLE, _ROW = (
    Html("<table>{}{}<tbody>{}</tbody></table>"),
    Html('<tr><th scope="row">{}</th>{}</tr>'),
)
_COLUMN, _CELL = Html('<th scope="col">{}</th>'), Html("<td>{}</td>")


def joined(parts: Iterable[str]) -> Html:
    """The parts one after the other: texts, escaped, and HTML."""
    return EMPTY.join(parts)


def table(rows: Iterable[Sequence[str]], head: Iterable[str] = (), caption: str = "") -> Html:
    """A table of texts and HTML; the first cell of each row is its heading."""
    names = joined(map(_COLUMN.format, head))
    return _TABLE.format(
        _CAPTION.format(caption) if caption else EMPTY,
        _HEAD.format(names) if names else EMPTY,
        joined(_ROW.format(name, joined(map(_CELL.format, cells))) for name, *cells in rows),
    )
