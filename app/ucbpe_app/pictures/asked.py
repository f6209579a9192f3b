"""What the browser needs to ask before it shows an event, and then to show the gap.

A place is asked before a pick, and a curve, which is to be drawn, before results; what is to be
brought about at an event is asked before the one that follows. `widgets/predict.js` decides when,
and fills the words; `engine/asked.js` makes the same of a run that the browser computes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.links import OFF, ON
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.facts import facts
from ucbpe_app.run.sentences.event import timeline_items
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS, pick_label
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.lessons.questions import Task
    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers

_PREFIX = "ask."
_DRAWN = 2  # inputs; of more, a place is named by the number of its candidate
# The plot in whose units a criterion is; any other has no height in a picture.
_PLOTS = {"upper bound": "function", "lower bound": "function", "std σ": "std"}


@dataclass(frozen=True)
class Taps:
    """What a class is asked before an event, a pick, and where it has tapped.

    `question` is the one over the picture; `votes`, one or two, are of candidates, and there are
    none as long as phones can change them.
    """

    event: Event
    question: str
    votes: tuple[tuple[int, ...], ...] = ()

    @property
    def table(self) -> dict[str, Any]:
        """The same for the script that draws it."""
        return {"question": self.question, "votes": [list(vote) for vote in self.votes]}


@dataclass(frozen=True)
class Asking:
    """What a visitor is asked before it is shown, and from when on f is known.

    Attributes
    ----------
    events, tasks : the picks that are asked, and what else
    key : under which a browser keeps the answers
    reveal : the event from which the truth is shown; None where that is chosen as other layers are
    taps : what a class is asked, in place of all these, if one plays along
    """

    events: tuple[Event, ...] = ()
    key: str = ""
    reveal: Event | None = None
    tasks: tuple[Task, ...] = ()
    taps: Taps | None = None

    def table(self, kind: RunKind) -> dict[str, Any]:
        """The same for the engine in the browser."""
        return {
            "events": [event.text for event in self.events],
            "tasks": [{"at": task.at.text, **_table(task, kind)} for task in self.tasks],
            "key": self.key,
            "reveal": self.reveal and asdict(self.reveal),
            "picture": kind.name,
        }

    @property
    def played(self) -> Asking:
        """The same where runs are played back: nothing can be brought about there."""
        return replace(self, tasks=tuple(task for task in self.tasks if task.kind == "draw"))

    def layers(self, layers: Layers, replay: Replay, index: int) -> Layers:
        """What is shown at an event of a run, of the layers that are chosen."""
        if self.reveal is None:
            return layers
        return layers.until(revealed=index >= closest(replay.events, self.reveal))


def asking_of(lesson: Lesson | None, replay: Replay, predict: str = "") -> Asking:
    """What a lesson asks, unless that is off; with predictions on where it has none, all picks."""
    slug, events = (lesson.slug, lesson.predict) if lesson else ("", ())
    if not events and predict == ON:
        events = tuple(event for event in replay.events if event.kind is Kind.PICK)
        slug = f"{slug} {replay.trace.digest}"
    reveal = lesson.last(replay.events) if lesson and lesson.truth_at_end else None
    if predict == OFF:
        return Asking((), slug, reveal)
    return Asking(events, slug, reveal, lesson.tasks if lesson else ())


@dataclass(frozen=True, eq=False)
class Questions:
    """What of a run is asked, in the picture of a kind."""

    replay: Replay
    asking: Asking
    kind: RunKind

    @cached_property
    def _asked(self) -> dict[int, Task | None]:
        """By event: a task, or None for a place, which is asked where both are."""
        events, inputs = self.replay.events, self.replay.scene.dimension
        turns = ((task.turn(events, inputs), task) for task in self.asking.tasks)
        found: dict[int, Task | None] = {index: task for index, task in turns if index is not None}
        taps = self.asking.taps
        wanted = frozenset((*self.asking.events, *([taps.event] if taps else [])))
        found |= dict.fromkeys(i for i, event in enumerate(events) if event in wanted)
        return dict(sorted(found.items()))

    @property
    def hides_rules(self) -> bool:
        """Whether picks are asked, whose rules are not to be named before."""
        return None in self._asked.values()

    def asked(self, *, plain: bool = False) -> dict[str, Any]:
        """The marked events, in order, with the texts that the script fills; empty without any."""
        marks = [
            {"index": index, "event": task.key, "kind": task.kind}
            if task
            else {"index": index, "event": self.replay.events[index].text}
            for index, task in self._asked.items()
        ]
        texts = {**TEXTS, **PLAIN} if plain else TEXTS
        words = {name: text for name, text in texts.items() if name.startswith(_PREFIX)}
        return {"key": self.asking.key, "marks": marks, "words": words} if marks else {}

    def at(self, index: int, layers: Layers) -> dict[str, Any]:
        """What a timeline has at an event in these layers.

        With the question before the next one, and what the answer to this one is held against.
        """
        frame = self.replay.frame(index)
        return {
            "index": index,
            "items": timeline_items(self.replay, frame.event.t, plain=layers.plain),
            "status": frame.tell(*layers.words).status,
            "facts": facts(frame),
            "ask": self._made(index + 1, answered=False),
            "gap": self._made(index, answered=True),
        }

    def _made(self, index: int, *, answered: bool) -> dict[str, Any]:
        if index not in self._asked:
            return {}
        task, about = self._asked[index], (self.replay, index, self.kind)
        if taps := self.asking.taps:
            made = gap(*about) if answered else ask(*about)
            return {**made, "kind": "class", **taps.table}
        if task:
            return _of_task(task, *about, answered=answered)
        return gap(*about) if answered else ask(*about)


def ask(replay: Replay, index: int, kind: RunKind) -> dict[str, Any]:
    """What is asked before event `index`, a pick: nothing that the rule makes of it is here.

    `mean` and `std`, shape (M,), are those on screen.
    """
    frame = replay.frame(index - 1)
    return {
        **_places(replay, index, kind, frame),
        "question": "ask.next" if replay.events[index].k else "ask.first",
        "mean": frame.mean,
        "std": frame.std_now,
    }


def _places(replay: Replay, index: int, kind: RunKind, frame: Frame) -> dict[str, Any]:
    """Where candidates are in the picture of a frame: x and y, shape (M,); y empty for a curve."""
    scene, event = replay.scene, replay.events[index]
    x, y = kind.position(scene, frame)
    return {
        "kind": "place",
        "index": index,
        "event": event.text,
        "picture": kind.name,
        "label": pick_label(event.k),
        "x": np.asarray(x, dtype=float),
        "y": np.asarray([] if y is None else y, dtype=float),
        "names": list(scene.axes[:-1]) if scene.dimension <= _DRAWN else [],
        "extents": scene.extents.tolist(),
    }


def gap(replay: Replay, index: int, kind: RunKind) -> dict[str, Any]:
    """What the answer is held against at event `index`, a pick.

    `values`, shape (M,), are those of the rule's criterion, NaN where the rule does not look, and
    empty where it gives candidates no value; `values` times `sign` are in the units of f.
    """
    frame, event = replay.frame(index), replay.events[index]
    rule = criterion(replay, frame)
    assert rule is not None, "a pick has a criterion"
    values = np.empty(0) if rule.values is None else np.where(rule.eligible, rule.values, np.nan)
    return {
        **_places(replay, index, kind, frame),
        "pick": int(replay.trace.decisions[event.t - 1].indices[event.k]),
        "values": values,
        "least": float(np.nanmin(values)) if values.size else 0.0,
        "largest": rule.largest if values.size else 0.0,
        "tolerance": rule.tolerance,
        "sign": rule.sign,
        "name": rule.name,
        "plot": _PLOTS.get(rule.name, ""),
        "grouped": " where " in rule.where,
    }


def _table(task: Task, kind: RunKind) -> dict[str, Any]:
    """What a task asks whatever the run is, as JSON."""
    named = SETTINGS[task.setting].in_text if task.setting else ""
    bounds = {name: getattr(task, name) for name in ("quantity", "below", "above", "margin")}
    of_kind = (
        {"of": task.of}
        if task.kind == "draw"
        else {"near": task.near, "goal": bounds, "setting": named}
    )
    common = {"kind": task.kind, "event": task.key, "picture": kind.name}
    return {**common, "text": task.text, "done": task.done, **of_kind}


def _of_task(
    task: Task, replay: Replay, index: int, kind: RunKind, *, answered: bool
) -> dict[str, Any]:
    """What is asked before event `index`; or what the answer is held against at it, if anything.

    Over what is known a curve is drawn: `x`, ascending, the line `before` the event, shape (M,),
    and the results after it. It is held against `curve`: the mean, with `lower` and `upper` of its
    band, or the upper edge alone.
    """
    asked = {**_table(task, kind), "index": index}
    if task.kind != "draw":
        return {} if answered else asked
    scene, before, frame = replay.scene, replay.frame(index - 1), replay.frame(index)
    x, is_mean = scene.candidates[:, 0], task.of == "mean"
    lines = {"x": x, "before": before.mean if is_mean else before.upper}
    if answered and is_mean:
        lines |= {"curve": frame.mean, "lower": frame.lower, "upper": frame.upper}
    elif answered:
        lines["curve"] = frame.upper
    order = np.argsort(x, kind="stable")
    return {
        **asked,
        **{name: line[order] for name, line in lines.items()},
        "name": scene.axes[0],
        "extents": scene.extents.tolist(),
        "results": {"x": x[frame.observed], "y": frame.observed_y},
    }
