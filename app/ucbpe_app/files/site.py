"""Write a site: a lesson is made again only if it, or what makes it, has changed.

`site.json`, beside the index, has what each lesson was made from, and its files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_app.files import inventory
from ucbpe_app.files.playground import TITLE as PLAYGROUND_TITLE
from ucbpe_app.files.playground import playground
from ucbpe_app.files.site_index import Card, index, lesson_page, summary
from ucbpe_app.html import escape
from ucbpe_app.lessons import offered
from ucbpe_core.files.text import write_bytes, write_text

if TYPE_CHECKING:
    from ucbpe_app.files.site_index import Chapter
    from ucbpe_app.lessons import Lesson

RECORD, PLAYGROUND, INVENTORY = "site.json", "playground.html", "inventory.html"
_ABOUT = "Any function, any setting: a browser computes the runs, and races two of them."
_ASKED = "Twelve questions before the lessons, and twelve after them."
_PACKAGES = ("ucbpe_app", "ucbpe_core")  # whose code decides what a lesson's file is
_NO_CODE = (".pyc", ".db", ".png")  # made from code, or results
_LIBRARIES = ("bokeh", "panel", "panel-material-ui", "numpy", "matplotlib")

# Called with how much of a lesson is done, 0 to 1.
Progress = Callable[[float], None]


@dataclass
class Made:
    """A lesson's files by their names in the site, its page first, and what the index says."""

    lesson: Lesson
    files: dict[str, bytes] = field(repr=False)
    words: str
    key: str

    @property
    def about(self) -> dict[str, Any]:
        """What `site.json` has of it."""
        digests = {name: sha256(data).hexdigest() for name, data in self.files.items()}
        return {"key": self.key, "words": self.words, "files": digests}


class Site:
    """The folder of a site; `new` and `same` name the files written and those left as they were.

    Other files of the folder are left alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.new, self.same = list[str](), list[str]()
        self._cards = list[Card]()  # of the playground and the inventory
        try:
            record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            record = {}
        self._record: dict[str, Any] = record if isinstance(record, dict) else {}

    def lesson(self, lesson: Lesson, progress: Progress | None = None) -> Made:
        """A lesson's files: those that are there, unless something has changed since, or new ones,
        written as soon as they are made.

        Raises
        ------
        UCBPEError
            For a lesson that cannot be made.
        """
        made = self._kept(lesson) or _made(lesson, progress)
        for name, data in made.files.items():
            self._write(name, data)
        if self._record.get(lesson.slug) != made.about:
            self._record[lesson.slug] = made.about
            self._keep_record()
        return made

    def playground(self) -> None:
        """Write the playground, unless nothing has changed since it was made, and the inventory."""
        page, lessons = self._folder / PLAYGROUND, map(_text, offered())
        key = sha256(" ".join([_code(), *lessons]).encode()).hexdigest()
        try:
            data = page.read_bytes()
        except OSError:
            data = b""
        record = {"key": key, "file": sha256(data).hexdigest()}
        if self._record.get(PLAYGROUND) != record:
            data = playground().encode()
            self._record[PLAYGROUND] = {"key": key, "file": sha256(data).hexdigest()}
        self._write(PLAYGROUND, data)
        self._keep_record()
        questions = inventory.page().encode()
        self._write(INVENTORY, questions)
        self._cards = [
            Card(PLAYGROUND_TITLE, escape(_ABOUT), PLAYGROUND, "", "", len(data)),
            Card(inventory.TITLE, escape(_ASKED), INVENTORY, "", "", len(questions)),
        ]

    def finish(self, made: Sequence[Made], chapters: Sequence[Chapter] = ()) -> None:
        """Write the chapters, and then the index: it names no file that is not there yet."""
        for chapter in chapters:
            for name, data in {chapter.name: chapter.html, **chapter.frames}.items():
                self._write(f"chapters/{name}", data)
            if chapter.picture:
                self._write(_picture_of(chapter), chapter.picture)
        cards = {
            "Playground": self._cards,
            "Lessons": [_lesson_card(item) for item in made],
            "Chapters": [_chapter_card(chapter) for chapter in chapters],
        }
        self._write("index.html", index(cards).encode())

    def _keep_record(self) -> None:
        text = json.dumps(self._record, indent=1, sort_keys=True) + "\n"
        write_text(self._folder / RECORD, text)

    def _write(self, name: str, data: bytes) -> None:
        (self.new if _replaced(self._folder / name, data) else self.same).append(name)

    def _kept(self, lesson: Lesson) -> Made | None:
        """The files that are there, if nothing has changed since they were made."""
        try:
            about = self._record[lesson.slug]
            if about["key"] != _key(lesson):
                return None
            files = {name: (self._folder / name).read_bytes() for name in _files_of(lesson)}
            made = Made(lesson, files, about["words"], about["key"])
        except (OSError, KeyError, TypeError, AttributeError):
            return None
        return made if made.about == about else None


def _made(lesson: Lesson, progress: Progress | None = None) -> Made:
    """A lesson's files, made again; errors as `Site.lesson`."""

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(done / total)

    page = lesson_page(lesson, report)
    files = dict(zip(_files_of(lesson), (page.html, page.picture), strict=True))
    return Made(lesson, files, page.words, _key(lesson))


def _replaced(path: Path, data: bytes) -> bool:
    """Write a file, and its folder, unless it is this already; whether it was not."""
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, data)
    return True


def _key(lesson: Lesson) -> str:
    return sha256(f"{_code()} {_text(lesson)}".encode()).hexdigest()


def _text(lesson: Lesson) -> str:
    """All of a lesson, the same text in every process."""

    def plain(part: Any) -> Any:
        if isinstance(part, frozenset):
            return sorted(part)
        return dict(part) if isinstance(part, Mapping) else vars(part)

    return json.dumps(vars(lesson), default=plain, sort_keys=True)


@cache
def _code() -> str:
    """The digest of all code that decides what a lesson's file is."""
    digest = sha256(" ".join(version(name) for name in _LIBRARIES).encode())
    for package_name in _PACKAGES:
        spec = find_spec(package_name)
        for place in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(place).rglob("*")):
                if not path.is_file() or path.suffix in _NO_CODE:
                    continue
                digest.update(f"{path.relative_to(place)}".encode() + path.read_bytes())
    return digest.hexdigest()


def _files_of(lesson: Lesson) -> tuple[str, str]:
    """The names of a lesson's page and of its picture in a site."""
    return f"lessons/{lesson.slug}.html", f"pictures/{lesson.slug}.png"


def _lesson_card(made: Made) -> Card:
    lesson, (page, picture) = made.lesson, _files_of(made.lesson)
    size = len(made.files[page])
    return Card(lesson.title, summary(lesson.caption), page, picture, made.words, size)


def _chapter_card(chapter: Chapter) -> Card:
    picture = _picture_of(chapter) if chapter.picture else ""
    page, text = f"chapters/{chapter.name}", escape(chapter.summary)
    return Card(chapter.title, text, page, picture, chapter.words, len(chapter.html))


def _picture_of(chapter: Chapter) -> str:
    return f"chapters/{Path(chapter.name).stem}.png"
