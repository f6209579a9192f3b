"""What the browser needs to ask for a place before a pick is shown, and then to show the gap.

`widgets/predict.js` decides when, and fills the words; what is here is the same whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.links import OFF, ON
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind, closest
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS, pick_label

if TYPE_CHECKING:
    from ucbpe_app.lessons import Lesson
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
    events : the picks that are asked
    key : under which a browser keeps the answers
    reveal : the event from which the truth is shown; None where that is chosen as other layers are
    """

    events: tuple[Event, ...] = ()
    key: str = ""
    reveal: Event | None = None

    def table(self, kind: RunKind) -> dict[str, Any]:
        """The same for the engine in the browser."""
        reveal = self.reveal and {"t": self.reveal.t, "kind": self.reveal.kind, "k": self.reveal.k}
        events = [event.text for event in self.events]
        return {"events": events, "key": self.key, "reveal": reveal, "picture": kind.name}

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
    return Asking(() if predict == OFF else events, slug, reveal)


def asked(replay: Replay, asking: Asking, *, plain: bool = False) -> dict[str, Any]:
    """Which events of a run are asked, in order, with the texts that the script fills."""
    wanted = frozenset(asking.events)
    marks = [
        {"index": i, "event": event.text}
        for i, event in enumerate(replay.events)
        if event in wanted and event.kind is Kind.PICK
    ]
    texts = {**TEXTS, **PLAIN} if plain else TEXTS
    words = {name: text for name, text in texts.items() if name.startswith(_PREFIX)}
    return {"key": asking.key, "marks": marks, "words": words} if marks else {}


def at_event(
    asked: dict[str, Any], replay: Replay, index: int, kind: RunKind
) -> dict[str, dict[str, Any]]:
    """The question before the next event, and what the answer to this one is held against."""
    indices = {mark["index"] for mark in asked.get("marks", ())}
    return {
        "ask": ask(replay, index + 1, kind) if index + 1 in indices else {},
        "gap": gap(replay, index, kind) if index in indices else {},
    }


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
