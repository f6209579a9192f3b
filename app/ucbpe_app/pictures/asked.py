"""What the browser needs to ask for a place before a pick is shown, and then to show the gap.

`widgets/predict.js` decides when, and fills the words; what is here is the same whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.links import OFF, ON
from ucbpe_app.pictures.tasks import task_ask, task_gap, task_key, task_marks, task_table
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS, pick_label

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
class Asking:
    """What a visitor is asked before it is shown, and from when on f is known.

    Attributes
    ----------
    events, tasks : the picks that are asked, and what else
    key : under which a browser keeps the answers
    reveal : the event from which the truth is shown; None where that is chosen as other layers are
    """

    events: tuple[Event, ...] = ()
    key: str = ""
    reveal: Event | None = None
    tasks: tuple[Task, ...] = ()

    def table(self, kind: RunKind) -> dict[str, Any]:
        """The same for the engine in the browser."""
        reveal = self.reveal and {"t": self.reveal.t, "kind": self.reveal.kind, "k": self.reveal.k}
        return {
            "events": [event.text for event in self.events],
            "tasks": [{"at": task.at.text, **task_table(task, kind)} for task in self.tasks],
            "key": self.key,
            "reveal": reveal,
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
        slug, events = f"{slug} {replay.trace.digest}", replay.events
    reveal = lesson.last(replay.events) if lesson and lesson.truth_at_end else None
    if predict == OFF:
        return Asking((), slug, reveal)
    return Asking(events, slug, reveal, lesson.tasks if lesson else ())


def asked(replay: Replay, asking: Asking, *, plain: bool = False) -> dict[str, Any]:
    """What of a run is asked, in order, with the texts that the script fills.

    Of a pick and a task before the same event, it is the pick.
    """
    wanted = frozenset(asking.events)
    places = {
        i: {"index": i, "event": event.text}
        for i, event in enumerate(replay.events)
        if event in wanted and event.kind is Kind.PICK
    }
    others = {
        i: {"index": i, "event": task_key(task), "kind": task.kind}
        for i, task in task_marks(replay, asking.tasks)
    }
    marks = [mark for _, mark in sorted((others | places).items())]
    texts = {**TEXTS, **PLAIN} if plain else TEXTS
    words = {name: text for name, text in texts.items() if name.startswith(_PREFIX)}
    return {"key": asking.key, "marks": marks, "words": words} if marks else {}


def hides_rules(asked: dict[str, Any]) -> bool:
    """Whether picks are asked, whose rules are not to be named before."""
    return any("kind" not in mark for mark in asked.get("marks", ()))


def at_event(
    asked: dict[str, Any], asking: Asking, replay: Replay, index: int, kind: RunKind
) -> dict[str, dict[str, Any]]:
    """The question before the next event, and what the answer to this one is held against."""
    keys = {mark["index"]: mark["event"] for mark in asked.get("marks", ())}
    tasks = {task_key(task): task for task in asking.tasks}
    found: dict[str, dict[str, Any]] = {"ask": {}, "gap": {}}
    if (key := keys.get(index + 1)) is not None:
        args = replay, index + 1
        found["ask"] = task_ask(*args, tasks[key], kind) if key in tasks else ask(*args, kind)
    if (key := keys.get(index)) is not None:
        args = replay, index
        found["gap"] = task_gap(*args, tasks[key], kind) if key in tasks else gap(*args, kind)
    return found


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
    frame = replay.frame(index)
    rule = criterion(replay, frame)
    assert rule is not None, "a pick has a criterion"
    event = replay.events[index]
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
