"""Chapters of a site: pages that `make pages` saved, as they are, and what the index says."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from ucbpe_core.errors import InputError

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
    told = _Told()
    told.feed(html.decode("utf-8", errors="replace"))
    title, summary = (" ".join(told.words[name].split()) for name in ("h1", "p"))
    if not title:
        raise InputError(f"a page with a heading in {path}", "none", "leave it out of the folder")
    png = b64decode(told.picture.removeprefix(_PNG)) if told.picture.startswith(_PNG) else b""
    # Another host's frame is no part of the chapter, and neither is one of another folder.
    own = [name for name in told.frames if not urlsplit(name).scheme and ".." not in name]
    frames = {name: (path.parent / name).read_bytes() for name in own}
    return Chapter(path.name, html, frames, title, summary, png, told.alt)


class _Told(HTMLParser):
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
        given = {name: value or "" for name, value in attrs}
        if tag in self.words and not self.words[tag] and (tag == "h1" or self.words["h1"]):
            self._inside = tag
        self._skipped = tag == "a" and "anchor-link" in given.get("class", "")
        if tag == "iframe" and given.get("src"):
            self.frames.append(given["src"])
        if tag == "img" and not self.picture and given.get("src", "").startswith(_PNG):
            self.picture, self.alt = given["src"], given.get("alt", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""
        self._skipped = False

    def handle_data(self, data: str) -> None:
        if self._inside and not self._skipped:
            self.words[self._inside] += data
