"""An exercise in a lesson's file: predictions of picks and a question, marked in the browser.

The file has the questions and what marks them; `exercise.js` asks, and `scorm.js` reports the score
to a course system, if there is one. So the file contains the answers: it is for learning. Picks are
chosen by `rounds_of`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.components.bar_buttons import PredictBar
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import pick_label, place, role_name
from ucbpe_app.run.sentences.texts import PLAIN, rule, say, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.run.criterion import Criterion
    from ucbpe_app.run.replay import Replay
    from ucbpe_core.support.validation import Floats, Integers

_HERE = Path(__file__).parent
_SCRIPTS = ("scorm.js", "guesses.js", "exercise.js")
_PLAIN_NAMES = {"ucb": "{best} edge of the band", "pe": "std"}  # of criteria, in plain words
_PICTURES = ("curve", "field", "plane")  # by the number of inputs, 3 and more in the last


def exercise(replay: Replay, lesson: Lesson) -> dict[str, Any] | None:
    """What a lesson's file asks, and what marks it; None where there is nothing to ask."""
    rounds = [_asked(replay, task, plain=lesson.plain) for task in rounds_of(replay, lesson)]
    question = _question(lesson)
    if not rounds and question is None:
        return None
    return {
        "run": replay.trace.digest,
        "picture": _PICTURES[min(replay.scene.dimension, 3) - 1],
        "size": len(replay.scene.candidates),
        "places": _places(replay),
        "rounds": rounds,
        "question": question,
    }


def elements() -> str:
    """What asks it, for the body of the file."""
    scripts = "\n".join(_own(name) for name in _SCRIPTS)
    sheets = "\n".join([*PredictBar._stylesheets, _own("exercise.css")])
    return (
        f'<template id="exercise-style"><style>{sheets}</style></template>\n'
        f'<script type="module">\n{scripts}</script>\n'
    )


def is_marked(lesson: Lesson) -> bool:
    """Whether the lesson's question is marked, and so asked by the exercise."""
    return bool(lesson.choices) or lesson.number is not None


def _asked(replay: Replay, task: Round, *, plain: bool = False) -> dict[str, Any]:
    """A prediction: what is asked, what marks a guess, and where guesses are drawn."""
    role, words = task.by.role, words_of(replay.trace)
    plain = plain and f"rule.{role}" in PLAIN
    frames = [replay.frame(i) for i in (task.index - 1, task.index)]
    # Over two inputs a guess stands at these; else at its mean and its standard deviation then.
    heights = [] if replay.scene.dimension == 2 else frames
    return {
        "before": replay.events[task.index - 1].text,
        "event": task.event.text,
        "label": pick_label(task.event.k),
        "role": "point" if plain else role_name(role),
        "rule": (
            say(f"rule.{role}", plain=True, highest=words.highest)
            if plain
            else rule(replay.trace, role)
        ),
        "name": _PLAIN_NAMES[role].format(best=words.best) if plain else task.by.name,
        "within": "" if not task.by.bounded else " of what is left" if plain else " in R⁺",
        "outside": "ruled out" if plain else "outside R⁺",
        "size": task.size,
        "pick": task.pick,
        "place": place(replay.scene.candidates, task.pick),
        "best": task.by.in_words(task.by.largest),
        "extreme": task.by.extreme,
        "ranks": task.ranks,
        "mean": [frame.mean for frame in heights],
        "std": [frame.std_now for frame in heights],
    }


def _places(replay: Replay) -> list[Floats]:
    """The inputs, if they are axes of the pictures."""
    candidates = replay.scene.candidates
    return list(candidates.T) if candidates.shape[1] < 3 else []


def _question(lesson: Lesson) -> dict[str, Any] | None:
    if not is_marked(lesson):
        return None
    asked = {"text": lesson.question, "why": lesson.answer}
    if lesson.number is not None:
        return {**asked, "number": lesson.number, "tolerance": lesson.tolerance}
    order = lesson.shuffled
    return {**asked, "choices": order, "right": order.index(lesson.choices[0])}


def _own(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


ROUNDS = 5
_FIRST = 2  # of them ask for the first pick of a batch, which has a rule of its own
_FEWEST = 20  # candidates that a pick must be chosen from: among fewer, a guess is luck


@dataclass(frozen=True, eq=False)
class Round:
    """One pick to predict.

    Attributes
    ----------
    event, index : the event that makes the pick, and its place in the run: the one before it is on
        screen meanwhile
    pick : the candidate that was picked
    by : what the pick maximised
    ranks : of each candidate by it, shape (M,): 1 is the best, 0 may not be picked
    """

    event: Event
    index: int
    pick: int
    by: Criterion = field(repr=False)
    ranks: Integers = field(repr=False)

    @property
    def size(self) -> int:
        """The number of candidates that the pick could be."""
        return int(np.count_nonzero(self.ranks))


def rounds_of(replay: Replay, lesson: Lesson, most: int = ROUNDS) -> tuple[Round, ...]:
    """At most so many picks to predict, in order, spread over the run.

    They are those that the lesson does not show itself, at its moment or where its caption leads,
    if there are any. Where the rule gives candidates no values, as Thompson sampling does, there
    is nothing to predict.
    """
    events = replay.events
    picks = [i for i, event in enumerate(events) if event.kind is Kind.PICK and i > 0]
    shown = _shown(lesson, events)
    unseen = [i for i in picks if (events[i].t, events[i].k) not in shown]
    first = [i for i in unseen or picks if events[i].k == 0]
    others = [i for i in unseen or picks if events[i].k > 0]
    firsts = min(len(first), _FIRST if others else most)
    some = [*_spread(replay, first, firsts), *_spread(replay, others, most - firsts)]
    return tuple(sorted(some, key=lambda task: task.index))


def ranks(values: Floats, eligible: np.ndarray) -> Integers:
    """1 + the number of eligible values that are greater, shape (M,); 0 for the others."""
    rising = np.sort(values[eligible])
    above = len(rising) - np.searchsorted(rising, values, side="right")
    return np.where(eligible, 1 + above, 0)


def _shown(lesson: Lesson, events: Iterable[Event]) -> set[tuple[int, int]]:
    """Batch and number of each pick that is on screen at a moment of the lesson."""
    linked = [link.event for link in lesson.links if not link.lesson and not link.settings]
    moments = {lesson.event, *(event for event in linked if event is not None)}
    picks = [(event.t, event.k) for event in events if event.kind is Kind.PICK]
    return {(t, k) for t, k in picks for event in moments if event.t == t and k <= _latest(event)}


def _latest(event: Event) -> float:
    """The number of the last pick that is on screen at an event."""
    if event.kind is Kind.PICK:
        return event.k
    return {Kind.POSTERIOR: -1, Kind.REGION: 0}.get(event.kind, inf)


def _spread(replay: Replay, indices: list[int], count: int) -> list[Round]:
    """So many of them as can be asked, evenly apart."""
    good = [task for task in (_round(replay, i) for i in indices) if task is not None]
    count = min(count, len(good))
    return [good[round(place)] for place in np.linspace(0, len(good) - 1, count)]


def _round(replay: Replay, index: int) -> Round | None:
    """The pick that an event makes, if it can be predicted."""
    event, frame = replay.events[index], replay.frame(index)
    by = criterion(replay, frame)
    if by is None or by.values is None:
        return None
    eligible, tie = by.values[by.eligible], by.tolerance
    if len(eligible) < _FEWEST or np.ptp(eligible) <= tie:
        return None
    pick = int(replay.trace.decisions[event.t - 1].indices[event.k])
    # Of scores that tie the lowest index wins, whatever rounding makes of them: all are the best.
    values = np.minimum(by.values, by.values[pick] - tie)
    return Round(event, index, pick, by, ranks(values, by.eligible))
