"""A table and an experiment in cards: lists of plain texts, and notices."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.pages.layouts import Sheet
from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.markup import Markup
    from ucbpe_core import UCBPEError

_SHEET = Sheet(Path(__file__).with_suffix(".css"))


def card(html: str = "") -> Markup:
    """A pane for the texts below."""
    return _SHEET.text("lab-texts", html)


def status(text: str) -> str:
    """Where things stand, read out when it changes."""
    return f'<p role="status">{escape(text)}</p>'


def paragraphs(title: str, lines: Iterable[str]) -> str:
    """A heading and paragraphs."""
    return _heading(title) + "".join(f"<p>{escape(line)}</p>" for line in lines)


def quiet(text: str) -> str:
    """A paragraph that steps back: how something is written."""
    return f'<p class="quiet">{escape(text)}</p>'


def facts(title: str, rows: Iterable[tuple[str, str]], remarks: Sequence[str] = ()) -> str:
    """A heading, names with values, and remarks."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    noted = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return f"{_heading(title)}<dl>{items}</dl>" + (f"<ul>{noted}</ul>" if noted else "")


def fault(error: UCBPEError | None) -> str:
    """What was expected, what was got and what to do; nothing without an error."""
    if error is None:
        return ""
    return f'<p class="fault" role="alert">{escape(sentences(error))}</p>'


def note(text: str) -> str:
    """A notice that is no error."""
    return f'<p class="note" role="status">{escape(text)}</p>' if text else ""


def _heading(title: str) -> str:
    return f"<h2>{escape(title)}</h2>" if title else ""
