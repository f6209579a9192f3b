"""The links of a built site: internal ones lead somewhere, and nothing is loaded from outside."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Whole applications, in files of their own, with tests of their own.
_APART = ("gallery", "runs")
_LOADED = {"img": "src", "script": "src", "iframe": "src", "link": "href", "source": "src"}


class _Page(HTMLParser):
    """What a page links to, what it loads, and which parts of it have a name."""

    def __init__(self) -> None:
        super().__init__()
        self.links, self.loaded, self.names = set[str](), set[str](), set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if tag in _LOADED and _LOADED[tag] in given:
            self.loaded.add(given[_LOADED[tag]])


def pages(folder: Path) -> int:
    """How many pages the site has."""
    return sum(1 for _ in folder.rglob("*.html"))


def broken(folder: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each file that is loaded from outside."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        if any(part in _APART for part in path.relative_to(folder).parts):
            continue
        page = _read(path)
        name = path.relative_to(folder)
        found += [
            f"{name}: loads {one} from outside"
            for one in sorted(page.loaded)
            if urlsplit(one).netloc
        ]
        found += [
            f"{name}: nothing at {one}"
            for one in sorted(page.links | page.loaded)
            if not _leads_somewhere(path, one)
        ]
    return found


def _leads_somewhere(path: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True  # another site's: there is no network here
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return False
    if not parts.fragment or target.suffix != ".html":
        return True
    return unquote(parts.fragment) in _read(target).names


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page
