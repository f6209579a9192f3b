"""What a class can be asked at an event, and what its answers come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ucbpe_app.classroom import taps
from ucbpe_app.classroom.moments import About, reveal_moment
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.sentences.texts import number
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_app.classroom.room import Round
    from ucbpe_app.classroom.taps import Told
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.lessons.questions import Task
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers
    from ucbpe_app.run.settings import RunSpec

    Scale = Callable[[str], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Ask:
    """Something that a class can be asked.

    Attributes
    ----------
    kind, event, count : as a round has them
    index : the event at which it is asked: of a lesson's question, the first one
    label : of its button
    about : what phones show of it
    after : what is said once it is revealed
    right : the number of the right choice
    task : of kind "set"
    """

    kind: str
    event: str
    count: int
    index: int
    label: str
    about: About
    after: str = ""
    right: int | None = None
    task: Task | None = None

    def outcome(
        self, asked: Round, replay: Replay, spec: RunSpec, index: int, layers: Layers
    ) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The points of each possible answer, and what phones draw once it is revealed.

        `index` is the event on screen then, and `spec` are the settings of its run.
        """
        if self.kind == "place":
            return taps.points(replay, index), reveal_moment(replay, index, layers, **self.about)
        given = {answer for vote in asked.votes for answer in vote.values()}
        right = {i for i in given if self._meets(i, spec)} if self.task else {self.right or 0}
        moment = reveal_moment(replay, index, layers, right=min(right, default=None), **self.about)
        return tuple(100 * (i in right) for i in range(self.count)), moment

    def _meets(self, place: int, spec: RunSpec) -> bool:
        """Whether the run with a value of the scale is beyond the bound of the task."""
        task = self.task
        assert task is not None, "a task is set"
        change: dict[str, Any] = {task.setting: self.about["scale"][place]}
        try:
            replay = load(replace(spec, **change))
        except UCBPEError:  # no run has this value
            return False
        fact = FACTS[task.quantity](replay.frame(closest(replay.events, task.at)))
        low, high = (task.above, fact) if task.below is None else (fact, task.below)
        return low is not None and high is not None and low < high

    def told(self, asked: Round, replay: Replay) -> Told:
        """What a room is told of the answers of a round that is no longer open."""
        votes = [list(vote.values()) for vote in asked.votes]
        if self.kind == "place" and asked.stage == "revealed":
            return taps.closeness(replay, self.index + 1, votes[-1])
        if self.kind == "place":
            return taps.agreement(replay, votes)
        total, lead = len(votes[-1]), f"{'After' if len(votes) > 1 else 'Before'} talking"
        if asked.stage != "revealed":
            return lead, f"{total} answers", ""
        right = sum(asked.points[answer] == 100 for answer in votes[-1]) if asked.points else 0
        return "", f"{right} of {total} are right", ""

    def bars(self, asked: Round) -> list[dict[str, Any]]:
        """How many gave each answer in each vote; whether it is right, once that is revealed."""
        if self.kind == "place":
            return []
        votes = [Counter(vote.values()) for vote in asked.votes]
        names = self.about.get("choices") or [number(one) for one in self.about["scale"]]
        right = [one == 100 for one in asked.points] or [False] * self.count
        return [
            {"name": name, "votes": [vote[i] for vote in votes], "right": right[i]}
            for i, name in enumerate(names)
        ]


def offered(lesson: Lesson | None, replay: Replay, index: int, scale: Scale) -> list[Ask]:
    """What can be asked at an event: a place, the lesson's task there, its question so far.

    `scale` gives the values that a setting can have; none where it has no slider.
    """
    own = list(_of_lesson(lesson, replay, scale))
    tasks = [one for one in own if one.kind == "set" and one.index == index]
    choices = [one for one in own if one.kind == "choice" and one.index <= index]
    return [*_place(replay, index), *tasks, *choices[-1:]]


def found(asked: Round, lesson: Lesson | None, replay: Replay, scale: Scale) -> Ask | None:
    """What a round asks; None if it is of another run, or of a lesson that is no longer here."""
    if asked.run != replay.trace.digest:
        return None
    events = [event.text for event in replay.events]
    at = events.index(asked.event) - 1 if asked.event in events else -1
    known = _place(replay, at) if asked.kind == "place" else _of_lesson(lesson, replay, scale)
    return next((one for one in known if one.event == asked.event), None)


def _place(replay: Replay, index: int) -> Iterator[Ask]:
    """The place of the pick that follows an event, if one does."""
    for event in replay.events[index + 1 : index + 2]:
        if event.kind is Kind.PICK:
            about: About = {
                "question": f"Where will the rule measure {'next' if event.k else 'first'}?"
            }
            M = len(replay.scene.candidates)
            yield Ask("place", event.text, M, index, "Ask for a place", about)


def _of_lesson(lesson: Lesson | None, replay: Replay, scale: Scale) -> Iterator[Ask]:
    """The questions of a lesson that have choices, and its settings to choose."""
    if lesson is None:
        return
    for i, one in enumerate(lesson.questions):
        choices = [choice.text for choice in one.shuffled]
        if choices:
            at, right = closest(replay.events, one.at or lesson.event), one.choices[0].text
            about: About = {"question": one.text, "choices": choices}
            own = f"question {i}", len(choices), at, "Question", about, one.answer
            yield Ask("choice", *own, right=choices.index(right))
    for task in lesson.tasks:
        values = scale(task.setting) if task.kind == "set" and task.at in replay.events else ()
        if values:
            name, at = SETTINGS[task.setting].in_text, replay.events.index(task.at)
            about = {"question": task.text, "scale": values, "setting": name}
            yield Ask("set", task.key, len(values), at, f"Set {name}", about, task.done, task=task)
