"""A table and an experiment in cards: lists of plain texts, and notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.run.notation import sentences
from ucbpe_app.widgets.layouts import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.render.markup import Markup
    from ucbpe_core import UCBPEError

_SHEET = Sheet(Path(__file__).with_suffix(".css"))


def card(html: Html = EMPTY) -> Markup:
    """A pane for the texts below."""
    return _SHEET.text("lab-texts", html)


def status(text: str) -> Html:
    """The status, read out when it changes."""
    return Html('<p role="status">{}</p>').format(text)


def paragraphs(title: str, lines: Iterable[str]) -> Html:
    """A heading and paragraphs."""
    return _heading(title) + joined(map(Html("<p>{}</p>").format, lines))


def quiet(text: str) -> Html:
    """A paragraph that steps back: how something is written."""
    return Html('<p class="quiet">{}</p>').format(text)


def facts(title: str, rows: Iterable[tuple[str, str]], remarks: Sequence[str] = ()) -> Html:
    """A heading, names with values, and remarks."""
    items = joined(Html("<dt>{}</dt><dd>{}</dd>").format(*row) for row in rows)
    noted = joined(map(Html("<li>{}</li>").format, remarks))
    below = Html("<ul>{}</ul>").format(noted) if noted else EMPTY
    return Html("{}<dl>{}</dl>{}").format(_heading(title), items, below)


def fault(error: UCBPEError | None) -> Html:
    """What was expected, what was got and what to do; nothing without an error."""
    if error is None:
        return EMPTY
    return Html('<p class="fault" role="alert">{}</p>').format(sentences(error))


def note(text: str) -> Html:
    """A notice that is no error."""
    return Html('<p class="note" role="status">{}</p>').format(text) if text else EMPTY


def _heading(title: str) -> Html:
    return Html("<h2>{}</h2>").format(title) if title else EMPTY
