"""What the search of the site looks through: the sections of its pages, as a script.

A page that is opened from a disk may not fetch others, so the texts are in `search-texts.js`, which
the search page loads; `static/search.js` ranks them.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_HEADINGS = ("h1", "h2", "h3", "h4")
_LEFT_OUT = ("script", "style", "svg", "iframe")
_SIGNATURE = re.compile(r"(?:[(:]|\[source\]).*")
_APART = ("gallery", "runs", "_modules", "_static", "search.html", "genindex.html")
# By the folder of a page, or its name: chapters, reference, developers. The guide is 0.
_GROUPS = {"chapters": 1, "api": 2, "files.html": 2, "links.html": 2}
_GROUPS |= {"developers.html": 3, "benchmarks": 3, "project": 3}


class _Sections(HTMLParser):
    """Name, heading and text of each section, documented object and word that is explained."""

    def __init__(self, *, words: bool) -> None:
        super().__init__()
        self.found: list[list[str]] = []
        self._named = ("section", "dt", "span") if words else ("section", "dt")
        self._within, self._heading, self._left_out = False, "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._within |= tag == "article"
        if tag in _LEFT_OUT or given.get("class") == "headerlink":
            self._left_out = self._left_out or tag
        if self._within and tag in self._named and given.get("id"):
            self.found.append([given["id"], "", ""])
            self._heading = "" if tag == "section" else tag
        elif tag in _HEADINGS:
            self._heading = tag

    def handle_endtag(self, tag: str) -> None:
        self._within &= tag != "article"
        self._left_out = "" if tag == self._left_out else self._left_out
        self._heading = "" if tag == self._heading else self._heading

    def handle_data(self, data: str) -> None:
        if self._within and self.found and not self._left_out:
            self.found[-1][1 if self._heading else 2] += data


def sections(folder: Path) -> list[dict[str, str | int]]:
    """All sections of a built site, with the page and its group."""
    found: list[dict[str, str | int]] = []
    for path in sorted(folder.rglob("*.html")):
        place = path.relative_to(folder)
        if place.parts[0] in _APART:
            continue
        reader = _Sections(words=place.name == "glossary.html")
        reader.feed(path.read_text(encoding="utf-8"))
        title = " ".join(reader.found[0][1].split()) if reader.found else ""
        common: dict[str, str | int] = {"title": title, "group": _GROUPS.get(place.parts[0], 0)}
        for name, *parts in reader.found:
            heading, text = (" ".join(part.split()) for part in parts)
            own = _SIGNATURE.sub("", heading) if place.parts[0] == "api" else heading
            found.append(
                common | {"link": f"{place.as_posix()}#{name}", "heading": own, "text": text}
            )
    return found


def write(folder: Path) -> None:
    """Write the script that the search page loads."""
    text = json.dumps(sections(folder), ensure_ascii=False, separators=(",", ":"))
    script = folder / "_static" / "search-texts.js"
    script.write_text(f"window.searchTexts = {text}\n", encoding="utf-8")
