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
    from collections.abc import Iterable

__all__ = ["EMPTY", "Html", "escape", "joined"]

EMPTY = Html()


def joined(parts: Iterable[str]) -> Html:
    """The parts one after the other: texts, escaped, and HTML."""
    return EMPTY.join(parts)
