"""What a class can be asked at an event, and what its answers come to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.classroom import taps
from ucbpe_app.classroom.moments import ask_moment, reveal_moment
from ucbpe_app.classroom.taps import Told
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.sentences.texts import number
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_app.classroom.moments import About
    from ucbpe_app.classroom.room import Round
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.lessons.questions import Task
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers
    from ucbpe_app.run.settings import RunSpec

    Scale = Callable[[str], tuple[float, ...]]


@dataclass(frozen=True)
class Ask:
    """Something that a class can be asked.

    Attributes
    ----------
    kind, event, count : as a round has them
    index : the event at which it is asked: of a lesson's question, the first one
    label : of its button
    about : what phones show of it
    right : the number of the right choice
    after : what is said once it is revealed
    task : of kind "set"
    """

    kind: str
    event: str
    count: int
    index: int
    label: str
    about: About = field(hash=False)
    right: int | None = None
    after: str = ""
    task: Task | None = None

    @property
    def question(self) -> str:
        """In words."""
        return self.about["question"]

    def moment(self, replay: Replay, index: int, layers: Layers) -> dict[str, Any]:
        """What phones draw while it is asked at event `index`."""
        return ask_moment(replay, index, layers, **self.about)

    def outcome(
        self, asked: Round, replay: Replay, spec: RunSpec, index: int, layers: Layers
    ) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The points of each possible answer, and what phones draw once it is revealed.

        `index` is the event on screen then, and `spec` are the settings of its run.
        """
        if self.kind == "place":
            points, right = taps.points(replay, index), None
        elif self.task is None:
            points, right = tuple(100 * (i == self.right) for i in range(self.count)), self.right
        else:
            points = met(
                self.task,
                spec,
                self.about["scale"],
                set[int]().union(*(vote.values() for vote in asked.votes)),
            )
            right = points.index(100) if 100 in points else None
        return points, reveal_moment(replay, index, layers, right=right, **self.about)

    def told(self, asked: Round, replay: Replay) -> Told:
        """What a room is told of the answers of a round that is no longer open."""
        votes = [list(vote.values()) for vote in asked.votes]
        is_revealed = asked.stage == "revealed"
        if self.kind == "place":
            if is_revealed:
                return taps.closeness(replay, self.index + 1, votes[-1])
            return taps.agreement(replay, votes)
        total = len(votes[-1])
        if is_revealed:
            right = sum(asked.points[one] == 100 for one in votes[-1]) if asked.points else 0
            return Told("", f"{right} of {total} are right")
        lead = "After talking" if len(votes) > 1 else "Before talking"
        if self.task is None or not total:
            return Told(lead, f"{total} answers")
        middle = sorted(self.about["scale"][one] for one in votes[-1])[(total - 1) // 2]
        return Told(lead, f"{self.about['setting']} = {number(middle)}", "is the middle answer.")

    def bars(self, asked: Round) -> list[dict[str, Any]]:
        """How many gave each answer in each vote; whether it is right, once that is revealed."""
        if self.kind == "place" or asked.stage == "open":
            return []
        votes = [np.bincount(list(vote.values()), minlength=self.count) for vote in asked.votes]
        names = self.about.get("choices") or [number(one) for one in self.about["scale"]]
        points = asked.points or (0,) * self.count
        return [
            {"name": name, "votes": [int(vote[i]) for vote in votes], "right": points[i] == 100}
            for i, name in enumerate(names)
        ]


def met(task: Task, spec: RunSpec, scale: Sequence[float], chosen: set[int]) -> tuple[int, ...]:
    """100 points for each place on the scale whose run is beyond the bound of a task, else 0.

    Only runs of the `chosen` places are made.
    """
    points = [0] * len(scale)
    for i in chosen:
        try:
            change: dict[str, Any] = {task.setting: scale[i]}
            replay = load(replace(spec, **change))
        except UCBPEError:  # no run has this value
            continue
        fact = FACTS[task.quantity](replay.frame(closest(replay.events, task.at)))
        if fact is not None:
            is_met = fact > task.above if task.above is not None else fact < (task.below or 0.0)
            points[i] = 100 * is_met
    return tuple(points)


def offered(lesson: Lesson | None, replay: Replay, index: int, scale: Scale) -> list[Ask]:
    """What can be asked at an event: a place, the lesson's task there, its question so far.

    `scale` gives the values that a setting can have.
    """
    questions = [one for one in _questions(lesson, replay) if one.index <= index]
    tasks = [one for one in _tasks(lesson, replay, scale) if one.index == index]
    return [*_places(replay, index), *tasks, *questions[-1:]]


def found(asked: Round, lesson: Lesson | None, replay: Replay, scale: Scale) -> Ask | None:
    """What a round asks; None if it is of another run, or of a lesson that is no longer here."""
    if asked.run != replay.trace.digest:
        return None
    events = [event.text for event in replay.events]
    if asked.kind == "place" and asked.event in events:
        return next(iter(_places(replay, events.index(asked.event) - 1)), None)
    known = [*_questions(lesson, replay), *_tasks(lesson, replay, scale)]
    return next((one for one in known if one.event == asked.event), None)


def _places(replay: Replay, index: int) -> Iterator[Ask]:
    """The place of the pick that follows an event, if one does."""
    event = replay.events[index + 1] if index + 1 < len(replay.events) else None
    if event is not None and event.kind is Kind.PICK:
        question = f"Where will the rule measure {'next' if event.k else 'first'}?"
        count = len(replay.scene.candidates)
        about: About = {"question": question}
        yield Ask("place", event.text, count, index, "Ask for a place", about)


def _questions(lesson: Lesson | None, replay: Replay) -> Iterator[Ask]:
    """The questions of a lesson that have choices."""
    for i, one in enumerate(lesson.questions if lesson else ()):
        if lesson and one.choices:
            choices = [choice.text for choice in one.shuffled]
            about: About = {"question": one.text, "choices": choices}
            at, right = closest(replay.events, one.at or lesson.event), one.choices[0].text
            yield Ask(
                "choice", f"question {i}", len(choices), at, "Question", about,
                right=choices.index(right), after=one.answer,
            )  # fmt: skip


def _tasks(lesson: Lesson | None, replay: Replay, scale: Scale) -> Iterator[Ask]:
    """The settings that a lesson has chosen, where they have a scale."""
    for one in lesson.tasks if lesson else ():
        values = scale(one.setting) if one.kind == "set" and one.at in replay.events else ()
        if values:
            name, at = SETTINGS[one.setting].in_text, replay.events.index(one.at)
            about: About = {"question": one.text, "scale": values, "setting": name}
            yield Ask(
                "set", one.key, len(values), at, f"Set {name}", about, after=one.done, task=one
            )
