"""An exercise in a lesson's file: predictions of picks and a question, marked in the browser.

The file has the questions and what marks them; `exercise.js` asks, and `scorm.js` reports the score
to a course system, if there is one. So the file contains the answers: it is for learning.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.components.predict import PredictBar
from ucbpe_app.export.site.rounds import rounds_of
from ucbpe_app.run.sentences import pick_label, place, role_name
from ucbpe_app.run.sentences.direction import rule

if TYPE_CHECKING:
    from ucbpe_app.export.site.rounds import Round
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.run.replay import Replay

_HERE = Path(__file__).parent
_SCRIPTS = ("scorm.js", "points.js", "guesses.js", "exercise.js")
_PICTURES = ("curve", "field", "plane")  # by the number of inputs, 3 and more in the last


def exercise(replay: Replay, lesson: Lesson) -> str:
    """Elements for the body of a lesson's file, empty where there is nothing to ask."""
    rounds = [_asked(replay, one) for one in rounds_of(replay, lesson)]
    question = _question(lesson)
    if not rounds and question is None:
        return ""
    data = {
        "run": replay.trace.digest,
        "picture": _PICTURES[min(replay.scene.dimension, 3) - 1],
        "size": len(replay.scene.candidates),
        "places": _places(replay),
        "rounds": rounds,
        "question": question,
    }
    scripts = "\n".join(_own(name) for name in _SCRIPTS)
    sheets = "\n".join([*PredictBar._stylesheets, _own("exercise.css")])
    return (
        f'<script id="exercise" type="application/json">{script_json(data)}</script>\n'
        f'<template id="exercise-style"><style>{sheets}</style></template>\n'
        f'<script type="module">\n{scripts}</script>\n'
    )


def script_json(value: Any) -> str:
    """JSON for a script element, of which no text can end it or, as ``<!--<script>``, hide its end.

    All JSON in a page is written by this, unless it is packed in base64.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def is_marked(lesson: Lesson) -> bool:
    """Whether the lesson's question is marked, and so asked by the exercise."""
    return bool(lesson.choices) or lesson.number is not None


def _asked(replay: Replay, one: Round) -> dict[str, Any]:
    """A prediction: what is asked, what marks a guess, and where guesses are drawn."""
    frames = [replay.frame(i) for i in (one.index - 1, one.index)]
    # Over two inputs a guess stands at these; else at its mean and its standard deviation then.
    heights = [] if replay.scene.dimension == 2 else frames
    return {
        "before": replay.events[one.index - 1].text,
        "event": one.event.text,
        "label": pick_label(one.event.k),
        "role": role_name(one.by.role),
        "rule": rule(replay.trace, one.by.role),
        "name": one.by.name,
        "bounded": one.by.bounded,
        "size": one.size,
        "pick": one.pick,
        "place": place(replay.scene.candidates, one.pick),
        "best": one.by.in_words(one.by.largest),
        "extreme": one.by.extreme,
        "ranks": _packed(one.ranks, "<u4"),
        "mean": [_packed(one.mean, "<f4") for one in heights],
        "std": [_packed(one.std_now, "<f4") for one in heights],
    }


def _places(replay: Replay) -> list[str]:
    """The inputs, if they are axes of the pictures."""
    candidates = replay.scene.candidates
    return [_packed(x, "<f4") for x in candidates.T] if candidates.shape[1] < 3 else []


def _question(lesson: Lesson) -> dict[str, Any] | None:
    if not is_marked(lesson):
        return None
    asked = {"text": lesson.question, "why": lesson.answer}
    if lesson.number is not None:
        return {**asked, "number": lesson.number, "tolerance": lesson.tolerance}
    # In an order that reveals nothing, and that is the same in each file of the lesson.
    order = sorted(lesson.choices, key=lambda one: sha256(f"{lesson.slug} {one}".encode()).digest())
    return {**asked, "choices": order, "right": order.index(lesson.choices[0])}


def _packed(values: np.ndarray, kind: str) -> str:
    """Numbers of 4 bytes, those of one order together, deflated, in base64."""
    planes = values.astype(kind).reshape(-1, 1).view(np.uint8).T
    return b64encode(zlib.compress(np.ascontiguousarray(planes).tobytes(), 9)).decode("ascii")


def _own(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
