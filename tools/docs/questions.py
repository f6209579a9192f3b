"""What a stranger asks first, and how many clicks from the first page the answer is.

Only links in the texts count, and a page's own list of headings, not the list of all pages.
"""

from __future__ import annotations

import re
from html import unescape
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pathlib import Path

MOST_CLICKS = 2
_ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
_LINK = re.compile(r'<a [^>]*?href="([^"]+)"')
_TAG = re.compile(r"<[^>]+>")
_ANSWER = 3000  # characters after the heading, in which the answer is


class Question(NamedTuple):
    """A question, the page and the heading or word on it, and what the answer has in it."""

    words: str
    page: str
    name: str
    answer: str


QUESTIONS = (
    Question("What is R⁺?", "glossary.html", "r-r", "extended relevant region"),
    Question("What does hallucinate mean?", "glossary.html", "hallucinate", "before its result"),
    Question("How do I install it?", "install.html", "install", "140 MB"),
    Question("Which policy do I take?", "which-rule.html", "which-policy", "GP-UCB-PE"),
    Question("Which β?", "which-rule.html", "which-beta", "scaled by c"),
    Question("How do I use my table?", "your-experiment.html", "the-table", "a row for each"),
    Question("Does it go with Optuna, Ax or scikit-optimize?", "connect.html",
             "a-loop-of-your-own-ask-and-tell", "scikit-optimize"),
    Question("How do I put a lesson on Moodle?", "without-a-server.html",
             "on-moodle-step-by-step", "Add an activity"),
    Question("How do I write a lesson?", "lessons.html", "write-a-lesson", "TOML"),
    Question("What is wrong in the paper?", "errata.html", "the-papers-errata", "Lemma 3"),
    Question("How do I cite it?", "index.html", "cite", "1304.5350"),
    Question("Under which license is it?", "index.html", "cite", "BSD-3-Clause"),
)  # fmt: skip


def unanswered(folder: Path) -> list[str]:
    """A line for each question whose answer is too far from the first page, or missing."""
    found = []
    for one in QUESTIONS:
        count = clicks(folder, one.page, one.name)
        if count > MOST_CLICKS:
            found.append(f"{one.words} is {count} clicks away, at {one.page}#{one.name}")
        elif one.answer not in _after(folder / one.page, one.name):
            found.append(f"{one.words} is not answered at {one.page}#{one.name}")
    return found


def clicks(folder: Path, page: str, name: str) -> int:
    """The least number of clicks from the first page to a heading; 99 if there is no way."""
    reached, distance = {"index.html"}, 0
    while reached and distance <= MOST_CLICKS:
        if page in reached and _is_first(folder / page, name):
            return distance
        links = {link for one in reached for link in _links(folder, one)}
        # Its page is open, and a list of its headings stands on it.
        if page in reached or f"{page}#{name}" in links:
            return distance + 1
        reached |= {link.partition("#")[0] for link in links}
        distance += 1
    return 99


def _links(folder: Path, page: str) -> set[str]:
    """Where the text of a page leads to, on this site."""
    path = folder / page
    if path.suffix != ".html" or not path.is_file():
        return set()
    article = _ARTICLE.search(path.read_text(encoding="utf-8"))
    links = set()
    for link in map(unescape, _LINK.findall(article[0] if article else "")):
        parts = urlsplit(link)
        if not parts.netloc and not parts.scheme:
            place = normpath(join(dirname(page), unquote(parts.path))) if parts.path else page
            links.add(f"{place}#{unquote(parts.fragment)}" if parts.fragment else place)
    return links


def _after(path: Path, name: str) -> str:
    """The text of a page from a name on; nothing if it does not have it."""
    _, found, rest = path.read_text(encoding="utf-8").partition(f'id="{name}"')
    return " ".join(unescape(_TAG.sub(" ", rest[:_ANSWER])).split()) if found else ""


def _is_first(path: Path, name: str) -> bool:
    """Whether what has the name is the first that is seen of its page."""
    before, found, _ = path.read_text(encoding="utf-8").partition(f'id="{name}"')
    return bool(found) and "<h1" not in before
