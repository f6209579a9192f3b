"""The index page of a site: a card for each lesson, with its picture, and chapters."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import starmap
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from ucbpe_app.files import lesson as lesson_html
from ucbpe_app.files.products import FigureRequest, offered
from ucbpe_app.html import EMPTY, Html, escape, joined
from ucbpe_app.plots.prints import file_of
from ucbpe_app.render.printed import card, drawing
from ucbpe_app.run.cache import bounds, load
from ucbpe_app.run.events import closest
from ucbpe_app.run.screen import Layers
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ucbpe_app.lessons import Caption, Lesson
    from ucbpe_app.run.replay import Replay


_PICTURE_HEIGHT = 320  # px: twice that of a card, as screens may have two pixels for one
_END = re.compile(r"[.?!](?=\s|$)")


@dataclass(frozen=True)
class LessonPage:
    """A lesson as files.

    Attributes
    ----------
    html : the lesson
    picture : a PNG of its moment; `words` is its text alternative
    """

    html: bytes = field(repr=False)
    picture: bytes = field(repr=False)
    words: str


def lesson_page(lesson: Lesson, progress: Callable[[int, int], None] | None = None) -> LessonPage:
    """Make the files of a lesson; takes some seconds.

    Parameters
    ----------
    progress : called as progress(done, total); raising in it cancels

    Raises
    ------
    UCBPEError
        If the run cannot be made, or has too many events for a file.
    """
    try:
        replay = load(lesson.spec())
        start = closest(replay.events, lesson.event)
        layers = Layers.of(lesson.layers, plain=lesson.plain)
        html = lesson_html(
            replay,
            start=start,
            about=lesson,
            layers=layers,
            bounds=bounds(replay) if layers.bounds else None,
            progress=progress,
            live=True,
            hidden=lesson.hidden,
        )
    except UCBPEError as error:
        wanted = f"a lesson {lesson.slug} that fits a file: {error.expected}"
        raise InputError(wanted, error.got, error.remedy) from error
    picture, status = _picture(replay, start, layers), replay.frame(start).status
    words = f"{replay.scene.name}. {status}"
    return LessonPage(html.encode(), picture, words)


def summary(caption: Caption) -> Html:
    """The first sentence of a caption, as HTML."""
    text = EMPTY
    for span in caption[0] if caption else ():
        end = None if span.mathml else _END.search(span.words)
        text += span.mathml or escape(span.words[: end.end()] if end else span.words)
        if end:
            break
    return text


def _picture(replay: Replay, index: int, layers: Layers) -> bytes:
    """The function at an event, or what stands for it, as it is printed but without its words."""
    request = FigureRequest(replay, index, layers)
    with drawing():
        name = offered(replay)[0]
        figure = card(request.pictures(name)[0])
        return file_of(
            figure, "png", _PICTURE_HEIGHT / figure.get_size_inches()[1], request.words(name)
        )


_HERE = Path(__file__).parent
TITLE = "GP-UCB-PE laboratory"
_ABOUT = (
    "Step through every decision of a batch Gaussian-process bandit, and see why each point was "
    "chosen. All pages work without a network."
)
_CARD = Html('<li>\n<h3><a href="{}">{}</a></h3>\n{}<p>{}</p>\n<p class="size">{}</p>\n</li>\n')
_PICTURE = Html('<img src="{}" alt="{}" loading="lazy" decoding="async">\n')


@dataclass(frozen=True)
class Card:
    """A page as the index shows it.

    Attributes
    ----------
    title : words
    summary : a sentence
    page, picture : their paths from the index; without a picture, empty
    alt : what the picture shows
    bytes : of the page
    """

    title: str
    summary: Html
    page: str
    picture: str
    alt: str
    bytes: int


def index(sections: Mapping[str, Sequence[Card]], title: str = TITLE) -> str:
    """The page of these cards under their headings; a section without cards is left out."""
    return page_of(title, _ABOUT, joined(starmap(_section, filter(all, sections.items()))))


def page_of(title: str, about: str, body: Html, style: str = "") -> str:
    """A page that looks like the index, with styles of its own."""
    return Template(own("index.html")).substitute(
        title=escape(title), about=escape(about), style=own("index.css") + style, body=body
    )


def _section(name: str, cards: Iterable[Card]) -> Html:
    return Html("<h2>{}</h2>\n<ol>\n{}</ol>\n").format(name, joined(map(_card, cards)))


def _card(card: Card) -> Html:
    picture = _PICTURE.format(quote(card.picture), card.alt) if card.picture else EMPTY
    size = f"{max(card.bytes, 50_000) / 1e6:.1f} MB"
    return _CARD.format(quote(card.page), card.title, picture, card.summary, size)


def own(name: str) -> str:
    """A file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


_PNG = "data:image/png;base64,"


@dataclass(frozen=True)
class Chapter:
    """A saved page.

    Attributes
    ----------
    name : of its file
    html : its content
    frames : the files that it has in frames, by their addresses in it
    title, summary : its heading, and its first paragraph, as words
    picture : the first one in it, a PNG, or empty; `words` is its text alternative
    """

    name: str
    html: bytes = field(repr=False)
    frames: dict[str, bytes] = field(repr=False)
    title: str
    summary: str
    picture: bytes = field(repr=False)
    words: str


def chapters_of(folder: Path) -> tuple[Chapter, ...]:
    """The saved pages of a folder, in the order of their names.

    Raises
    ------
    InputError
        If there are none, or one without a heading.
    OSError
        If they cannot be read.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix == ".html")
    if not paths:
        wanted = f"pages of the chapters in {folder}"
        raise InputError(wanted, "none", "save them with `make pages`, in build/notebooks")
    return tuple(_chapter(path) for path in paths)


def _chapter(path: Path) -> Chapter:
    html = path.read_bytes()
    parser = _ChapterParser()
    parser.feed(html.decode("utf-8", errors="replace"))
    title, summary = (" ".join(parser.words[name].split()) for name in ("h1", "p"))
    if not title:
        raise InputError(f"a page with a heading in {path}", "none", "leave it out of the folder")
    png = b64decode(parser.picture.removeprefix(_PNG)) if parser.picture.startswith(_PNG) else b""
    # Another host's frame is no part of the chapter, and neither is one of another folder.
    own = [name for name in parser.frames if not urlsplit(name).scheme and ".." not in name]
    frames = {name: (path.parent / name).read_bytes() for name in own}
    return Chapter(path.name, html, frames, title, summary, png, parser.alt)


class _ChapterParser(HTMLParser):
    """The words of the first heading and of the first paragraph after it, the first picture, and
    the addresses of frames.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = {"h1": "", "p": ""}
        self.picture = self.alt = ""
        self.frames = list[str]()
        self._inside, self._skipped = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in self.words and not self.words[tag] and (tag == "h1" or self.words["h1"]):
            self._inside = tag
        self._skipped = tag == "a" and "anchor-link" in attributes.get("class", "")
        if tag == "iframe" and attributes.get("src"):
            self.frames.append(attributes["src"])
        if tag == "img" and not self.picture and attributes.get("src", "").startswith(_PNG):
            self.picture, self.alt = attributes["src"], attributes.get("alt", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""
        self._skipped = False

    def handle_data(self, data: str) -> None:
        if self._inside and not self._skipped:
            self.words[self._inside] += data
