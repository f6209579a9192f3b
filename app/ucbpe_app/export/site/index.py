"""The index page of a site: a card for each page, with its picture."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HERE = Path(__file__).parent
TITLE = "GP-UCB-PE laboratory"


@dataclass(frozen=True)
class Card:
    """A page as the index shows it.

    Attributes
    ----------
    title : words
    summary : a sentence, as HTML
    page, picture : their paths from the index; without a picture, empty
    alt : what the picture shows
    bytes : of the page
    graded : whether it has an exercise
    """

    title: str
    summary: str
    page: str
    picture: str
    alt: str
    bytes: int
    graded: bool = False


def index(sections: Mapping[str, Sequence[Card]], title: str = TITLE) -> str:
    """The page of these cards under their headings; a section without cards is left out."""
    parts = (_section(name, cards) for name, cards in sections.items() if cards)
    return Template(_own("index.html")).substitute(
        title=escape(title), style=_own("index.css"), sections="".join(parts)
    )


def _section(name: str, cards: Iterable[Card]) -> str:
    return f"<h2>{escape(name)}</h2>\n<ol>\n{''.join(map(_card, cards))}</ol>\n"


def _card(card: Card) -> str:
    picture = ""
    if card.picture:
        look = 'loading="lazy" decoding="async"'
        picture = f'<img src="{quote(card.picture)}" alt="{escape(card.alt)}" {look}>\n'
    size = f"{max(card.bytes, 50_000) / 1e6:.1f} MB"
    facts = f"{size}, with an exercise" if card.graded else size
    return (
        f'<li>\n<h3><a href="{quote(card.page)}">{escape(card.title)}</a></h3>\n{picture}'
        f'<p>{card.summary}</p>\n<p class="size">{facts}</p>\n</li>\n'
    )


def _own(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
