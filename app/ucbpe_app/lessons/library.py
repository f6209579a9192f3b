"""The lessons that this server offers: its own, then those of a teacher's folder, once checked."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.lessons.caption import Change
from ucbpe_app.lessons.lesson import MOST_EVENTS, LessonError, read_file
from ucbpe_app.run.events import Kind, closest, events_of
from ucbpe_app.run.settings import RunSpec, Settings, problem_of
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ucbpe_app.lessons.lesson import Lesson
    from ucbpe_app.run.events import Event


def check(lesson: Lesson, slugs: Collection[str], name: str = "") -> None:
    """Try every run that a lesson opens, until its end; it may take a moment, or a download.

    Parameters
    ----------
    slugs : of the lessons that its caption can lead to, and whose questions can come back
    name : of its file, for the error

    Raises
    ------
    LessonError
        With every moment that cannot be opened, and everything that is asked where it cannot be.
    """
    mistakes, tried = list[UCBPEError](), set[RunSpec]()
    for change, where in _moments(lesson):
        if change.lesson:
            if change.lesson not in slugs:
                expected = f"{where}preset to be one of {', '.join(slugs)}"
                mistakes.append(InputError(expected, change.lesson, "fix the link"))
            continue
        try:
            spec = lesson.changed(change)
            Settings().accept(**asdict(spec))
            if spec not in tried:
                spec.simulate(batches=1)  # what cannot be run at all mostly shows here
            tried.add(spec)
            _find(change.event or lesson.event, spec)
        except UCBPEError as error:
            mistakes.append(InputError(where + error.expected, error.got, error.remedy))
    for number, asked in enumerate(lesson.questions, start=1):
        if asked.again and asked.again not in slugs:
            expected = f"in questions {number}, again to be one of {', '.join(slugs)}"
            mistakes.append(InputError(expected, asked.again, "name an earlier lesson"))
    if not mistakes:
        mistakes += _misplaced(lesson)
    if mistakes:
        raise LessonError(name or lesson.slug, mistakes)


def _misplaced(lesson: Lesson) -> Iterator[UCBPEError]:
    """What a lesson asks, and its end, where its run has no such event, or too late."""
    named, spec = _named(lesson), lesson.spec()
    if not named:
        return
    # Where results come one by one, only the run says how many picks a batch has.
    batches = max(event.t for event in (lesson.event, *(event for event, _ in named))) + 1
    events = events_of(spec.simulate(batches=min(batches, spec.batches)))
    own = events[closest(events, lesson.event) :][:MOST_EVENTS]
    last = lesson.last(events)
    until = own[: own.index(last) + 1] if last in own else own
    for event, where in named:
        if event not in until:
            wanted = f"{where}event to be one from {own[0].text} to {until[-1].text}"
            yield InputError(wanted, event.text, "name one of these")
    inputs = len(problem_of(spec).bounds)
    for number, task in enumerate(lesson.tasks, start=1):
        where, turn = f"in tasks {number}, ", task.turn(events, inputs)
        if task.kind != "set" and inputs > 1:
            wanted = f"{where}a function of one input, to {task.kind} in its picture"
            yield InputError(wanted, f"{inputs} inputs", "ask to set something")
        elif task.at in until and (turn is None or events[turn] in lesson.predict):
            wanted = f"{where}an event before which predict asks for no place"
            got = "the last event" if turn is None else events[turn].text
            yield InputError(wanted, got, "name another event")


def _named(lesson: Lesson) -> list[tuple[Event, str]]:
    """The events of its run at which a lesson asks something or ends, and where that stands."""
    tasks = [(task.at, f"in tasks {i}, ") for i, task in enumerate(lesson.tasks, start=1)]
    questions = [(one.at, f"in questions {i}, ") for i, one in enumerate(lesson.questions, start=1)]
    predicted = [(event, "in predict, ") for event in lesson.predict]
    named = [*predicted, *tasks, *questions, (lesson.end.event, "in end, ")]
    return [(event, where) for event, where in named if event is not None]


def _moments(lesson: Lesson) -> list[tuple[Change, str]]:
    """What the lesson opens, and where in it that stands."""
    links = (span for spans in lesson.caption for span in spans)
    return [
        (Change(), ""),
        *(
            (span.change, f"in the caption's link [{span.words}], ")
            for span in links
            if span.change is not None
        ),
    ]


def _find(event: Event, spec: RunSpec) -> None:
    """See that a run of these settings has the event."""
    policy = spec.build_policy()
    K = policy.batch_size
    exists = event.t <= spec.batches and event.k < K
    if event.kind is Kind.REGION:
        exists = exists and (policy.uses_region or policy.own_region) and K > 1
    if not exists:
        expected = f"event to be one of a run of {spec.batches} batches of {K} by {policy.name}"
        raise InputError(expected, event.text, "name another event, or change T or K")


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
