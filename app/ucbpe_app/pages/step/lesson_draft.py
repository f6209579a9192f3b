"""A lesson as it is written on the page, with what is on screen."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ucbpe_app.lessons import Lesson, LessonError, caption_of
from ucbpe_app.run.own import is_own
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from ucbpe_app.links import Moment

NAME = "The text of the lesson"  # in place of a file's
NEW = Lesson("my-lesson", "My lesson", "", caption_of("What to look for here.", []))


def on_screen(lesson: Lesson, moment: Moment) -> Lesson:
    """The lesson with the problem, the settings, the event and the layers of a moment.

    Of the settings it has those that it had, and those that differ from what the problem suggests.

    Raises
    ------
    LessonError
        For a function of a visitor's own, which no file of a lesson has.
    """
    spec = moment.settings
    if is_own(spec.problem):
        remedy = "choose one, or add yours to the laboratory as a problem"
        error = InputError("a problem of the laboratory in a lesson", "your own function", remedy)
        raise LessonError(NAME, [error])
    own, plain = asdict(spec), asdict(Lesson("", "", spec.problem).spec())
    return replace(
        lesson,
        problem=spec.problem,
        settings={
            name: value
            for name, value in own.items()
            if name != "problem" and (value != plain[name] or name in lesson.settings)
        },
        event=moment.event,
        layers=moment.layers,
        hidden=moment.hidden,
    )
