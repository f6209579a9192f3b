"""Whether a lesson can be shown: its runs start, and have the events that it names."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ucbpe_app.lessons.caption import Change
from ucbpe_app.lessons.files import LessonError
from ucbpe_app.run.events import Kind
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Collection

    from ucbpe_app.lessons.lesson import Lesson
    from ucbpe_app.run.events import Event


def check(lesson: Lesson, slugs: Collection[str], name: str = "") -> None:
    """Try the first batch of every run that a lesson opens; it may take a moment, or a download.

    Parameters
    ----------
    slugs : of the lessons that its caption can lead to
    name : of its file, for the error

    Raises
    ------
    LessonError
        With every moment that cannot be opened.
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
    if mistakes:
        raise LessonError(name or lesson.slug, mistakes)


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
    there = event.t <= spec.batches and event.k < K
    if event.kind is Kind.REGION:
        there = there and policy.uses_region and K > 1
    if not there:
        expected = f"event to be one of a run of {spec.batches} batches of {K} by {policy.name}"
        raise InputError(expected, event.text, "name another event, or change T or K")
