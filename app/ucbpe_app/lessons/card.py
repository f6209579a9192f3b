"""What the card of a lesson says: its questions, its place on the shelves, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_app.lessons.library import LIBRARY
from ucbpe_app.run.events import closest
from ucbpe_app.run.frames import best_measured
from ucbpe_app.run.sentences.texts import at_least, counted, number, only, place, say, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.lessons.caption import Change
    from ucbpe_app.lessons.lesson import Lesson
    from ucbpe_app.run.replay import Replay

# Title and note of each shelf, in order; of the first the lessons are numbered.
_SHELVES = {
    "method": ("The method", "In order: each needs only those before it."),
    "rules": ("Other rules", "In any order, after The method."),
    "": ("From this server", ""),
}
_FILES = "From a file"
_NEAR = 0.05  # of the range of f: farther below it, the top was not found


class Shelf(NamedTuple):
    """Lessons under one heading; `numbered` if they are to be taken in order."""

    title: str
    note: str
    numbered: bool
    lessons: tuple[Lesson, ...]

    def place(self, lesson: Lesson) -> str:
        """Which lesson of how many."""
        at, name = self.lessons.index(lesson) + 1, "Lesson" if self.numbered else f"{self.title},"
        return f"{name} {at} of {len(self.lessons)}"

    def beside(self, lesson: Lesson, steps: int) -> Lesson | None:
        """The lesson so many places on, if there is one."""
        at = self.lessons.index(lesson) + steps
        return self.lessons[at] if 0 <= at < len(self.lessons) else None

    def name(self, lesson: Lesson) -> str:
        """As it is offered elsewhere."""
        at = self.lessons.index(lesson) + 1
        return f"Lesson {at}: {lesson.title}" if self.numbered else lesson.title


def shelves(own: tuple[Lesson, ...] = ()) -> list[Shelf]:
    """All lessons that can be chosen: those that the server offers, and those of files."""
    found = [
        Shelf(*words, name == "method", tuple(one for one in LIBRARY.lessons if one.shelf == name))
        for name, words in _SHELVES.items()
    ]
    return [shelf for shelf in (*found, Shelf(_FILES, "", False, own)) if shelf.lessons]


_LOOKS = ("mathml", "mark")


def paragraphs(lesson: Lesson, href: Callable[[Change], str]) -> list[list[dict[str, str]]]:
    """The caption of a lesson, as its card takes it; a link whose `href` is empty is but words."""
    return [
        [
            {"words": span.words}
            | ({"bold": "true"} if span.bold else {})
            | {name: vars(span)[name] for name in _LOOKS if vars(span)[name]}
            | ({"href": to} if span.change is not None and (to := href(span.change)) else {})
            for span in spans
        ]
        for spans in lesson.caption
    ]


def asked(lesson: Lesson, replay: Replay) -> list[dict[str, Any]]:
    """The questions of a lesson, as its card takes them; `at` is an event of its run."""
    return [
        {
            **vars(one),
            "at": closest(replay.events, one.at or lesson.event),
            "again": _met(one.again),
            "choices": [
                {"words": choice.text, "reason": choice.reason, "right": choice is one.choices[0]}
                for choice in one.shuffled
            ],
        }
        for one in lesson.questions
    ]


def last(lesson: Lesson, replay: Replay) -> int:
    """The index of the event at which a lesson ends."""
    return closest(replay.events, lesson.last(replay.events))


def ending(lesson: Lesson, replay: Replay, index: int) -> dict[str, str]:
    """What was found by an event of a run, and what a lesson says of it, as `EndCard` takes it."""
    scene, frame = replay.scene, replay.frame(index)
    at, start = best_measured(scene, frame), len(replay.frame(0).observed)
    words, below = words_of(replay.trace), scene.sign * (scene.optimum - float(scene.truth[at]))
    found = below <= _NEAR * float(np.ptp(scene.truth))
    facts = {
        "top": words.top if lesson.plain else words.extreme,
        "short_of": words.short_of,
        "below": at_least(below, -1.0, digits=1) if found else number(below),
        "within": only("end.within", below > 0),
        "place": place(scene.candidates, at, scene.extents),
        "axis": f"{scene.axes[0]} = " if scene.dimension == 1 else "",
        "n": len(frame.observed),
        "parts": _parts(replay, start, len(frame.observed) - start),
    }
    return {
        "found": say("end.found" if found else "end.missed", **facts),
        "how": say("end.how", **facts),
        "remember": lesson.end.remember,
        "attempt": lesson.end.try_,
    }


def _parts(replay: Replay, start: int, rest: int) -> str:
    """Of measurements: so many at the start, then so many batches of so many."""
    size = 1 if replay.trace.one_by_one else replay.trace.policy.batch_size
    batches = rest // size
    alone = "end.alone" if size == 1 else "end.batches"
    facts = {"start": start, "n": batches, "batches": counted(batches), "size": size}
    return ", then ".join(
        say(name, **facts)
        for name, some in (("end.start", start), (alone, batches))
        if some
    )  # fmt: skip


def _met(slug: str) -> str:
    """That a question was met in an earlier lesson, and where."""
    names = (shelf.name(one) for shelf in shelves() for one in shelf.lessons if one.slug == slug)
    return say("again", lesson=next(names)) if slug else ""
