"""The lessons that this server offers: its own, then those of a teacher's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.lessons.check import check
from ucbpe_app.lessons.files import LessonError, read_file
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from ucbpe_app.lessons.lesson import Lesson

_DATA = Path(__file__).parent / "data"


def files_of(folder: Path) -> tuple[Path, ...]:
    """The lesson files of a folder, in the order in which their lessons are offered.

    Raises
    ------
    LessonError
        If it is no folder that can be read.
    """
    try:
        return tuple(sorted(path for path in folder.iterdir() if path.suffix == ".toml"))
    except OSError as error:
        mistake = InputError("a folder of lessons", error.strerror or str(error), "name another")
        raise LessonError(str(folder), [mistake]) from None


class Library:
    """Lessons in order, with different slugs and titles."""

    def __init__(self, folder: Path) -> None:
        self._lessons: tuple[Lesson, ...] = ()
        for path in files_of(folder):
            self._lessons = (*self._lessons, self._distinct(read_file(path), path.name))

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All of them, in order."""
        return self._lessons

    def find(self, slug: str) -> Lesson | None:
        """The lesson of this slug, if there is one."""
        return next((lesson for lesson in self._lessons if lesson.slug == slug), None)

    def add(self, folder: Path) -> None:
        """Offer the lessons of a folder, too, or raise and offer none of them.

        Their runs are started, to check them: that may take a moment.

        Raises
        ------
        LessonError
            For the first file that is no lesson, whose slug or title is taken, or whose moments
            cannot be opened.
        """
        before = self._lessons
        try:
            added = {path.name: read_file(path) for path in files_of(folder)}
            for name, lesson in added.items():
                self._lessons = (*self._lessons, self._distinct(lesson, name))
            for name, lesson in added.items():
                check(lesson, self.slugs, name)
        except LessonError:
            self._lessons = before
            raise

    @property
    def slugs(self) -> tuple[str, ...]:
        """Of every lesson, in order."""
        return tuple(lesson.slug for lesson in self._lessons)

    def _distinct(self, lesson: Lesson, name: str) -> Lesson:
        """The lesson, if no other has its slug or its title."""
        for field in ("slug", "title"):
            text = getattr(lesson, field)
            if any(getattr(other, field) == text for other in self._lessons):
                expected = f"a {field} that no other lesson has"
                raise LessonError(name, [InputError(expected, text, "choose another")])
        return lesson


LIBRARY = Library(_DATA)
