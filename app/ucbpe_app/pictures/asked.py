"""What the browser needs to ask for a place before a pick is shown, and then to show the gap.

`widgets/predict.js` decides when, and fills the words; what is here is the same whoever asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS, pick_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.replay import Replay

_PREFIX = "ask."
_DRAWN = 2  # inputs; of more, a place is named by the number of its candidate
# The plot in whose units a criterion is; any other has no height in a picture.
_PLOTS = {"upper bound": "function", "lower bound": "function", "std σ": "std"}


def asked(
    replay: Replay, events: Iterable[Event], *, key: str, plain: bool = False
) -> dict[str, Any]:
    """Which events of a run are asked, in order, with the texts that the script fills.

    `key` is that under which a browser keeps the answers.
    """
    wanted = frozenset(events)
    marks = [
        {"index": i, "event": event.text}
        for i, event in enumerate(replay.events)
        if event in wanted and event.kind is Kind.PICK
    ]
    texts = {**TEXTS, **PLAIN} if plain else TEXTS
    words = {name: text for name, text in texts.items() if name.startswith(_PREFIX)}
    return {"key": key, "marks": marks, "words": words} if marks else {}


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

    `x` and `y`, shape (M,), are where candidates are in the picture; y is empty for a curve. `mean`
    and `std` are those on screen.
    """
    scene, frame, event = replay.scene, replay.frame(index - 1), replay.events[index]
    x, y = kind.position(scene, frame)
    return {
        "kind": "place",
        "index": index,
        "event": event.text,
        "picture": kind.name,
        "label": pick_label(event.k),
        "question": "ask.next" if event.k else "ask.first",
        "x": np.asarray(x, dtype=float),
        "y": np.asarray([] if y is None else y, dtype=float),
        "mean": frame.mean,
        "std": frame.std_now,
        "names": list(scene.axes[:-1]) if scene.dimension <= _DRAWN else [],
        "extents": scene.extents.tolist(),
    }


def gap(replay: Replay, index: int, kind: RunKind) -> dict[str, Any]:
    """What the answer is held against at event `index`, a pick.

    `values`, shape (M,), are those of the rule's criterion, NaN where the rule does not look, and
    empty where it gives candidates no value; `values` times `sign` are in the units of f.
    """
    rule = criterion(replay, replay.frame(index))
    assert rule is not None, "a pick has a criterion"
    event = replay.events[index]
    values = np.empty(0) if rule.values is None else np.where(rule.eligible, rule.values, np.nan)
    return {
        **ask(replay, index, kind),
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
