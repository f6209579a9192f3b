"""Lessons: moments of runs with captions, read from data files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.lessons.caption import CHANGED, Caption, Change, Span, caption_of, changes_of, plain
from ucbpe_app.lessons.lesson import LARGEST, Lesson, LessonError, read
from ucbpe_app.lessons.library import LIBRARY, check
from ucbpe_app.lessons.questions import Choice, End, Question, Task

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CHANGED",
    "LARGEST",
    "Caption",
    "Change",
    "Choice",
    "End",
    "Lesson",
    "LessonError",
    "Question",
    "Span",
    "Task",
    "caption_of",
    "changes_of",
    "check",
    "find",
    "offer",
    "offered",
    "plain",
    "read",
]


def offered() -> tuple[Lesson, ...]:
    """The lessons that this server offers, in order; there is at least one."""
    return LIBRARY.lessons


def find(slug: str) -> Lesson | None:
    """The lesson of this slug, if this server offers one."""
    return LIBRARY.find(slug)


def offer(folder: Path) -> None:
    """Offer the lessons of a folder beside the others; errors as `Library.add`."""
    LIBRARY.add(folder)
