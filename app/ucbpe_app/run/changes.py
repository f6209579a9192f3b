"""Runs compared: what a change changes, the pinned run, and measurements that were moved."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_app.run.events import closest
from ucbpe_app.run.notation import short, text_of
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.run.events import Event
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core import Trace


# (number, value) of each, by ascending number; None leaves it out. Measurements count from 0 in the
# order in which they were made, initial ones first.
Moved = tuple[tuple[int, float | None], ...]
_OUT = "out"
_PART = re.compile(r"(?P<number>\d{1,6})_(?P<value>.+)")
_EXPECTED = "moved as in 2_0.5,7_out: numbers of measurements, ascending, each with its value"


def moved_text(moved: Moved) -> str:
    """``2_0.5,7_out``: in a link."""
    return ",".join(f"{i}_{_OUT if y is None else text_of(float(y))}" for i, y in moved)


def moved_of(text: str) -> Moved:
    """What is written like that.

    Raises
    ------
    InputError
        If it is not.
    """
    parts = [_PART.fullmatch(part) for part in text.split(",") if part]
    try:
        moved = tuple(
            (int(part["number"]), None if part["value"] == _OUT else float(part["value"]))
            for part in parts
            if part is not None
        )
    except ValueError:
        moved = ()
    ascending = all(first < second for (first, _), (second, _) in pairwise(moved))
    finite = all(y is None or isfinite(y) for _, y in moved)
    if len(moved) < len(parts) or not (ascending and finite):
        raise InputError(_EXPECTED, short(text), "every measurement has its own value")
    return moved


def move(moved: Moved, trace: Trace, number: int, y: float | None) -> Moved:
    """After measurement `number` of a run was given a value; its own is as if it had none."""
    changed = {**dict(moved), number: y}
    if y == trace.history.measured[number].y:
        del changed[number]
    return tuple(sorted(changed.items()))


def with_moved(trace: Trace, moved: Moved) -> Trace:
    """The run with these values in its history; for `replay_decisions`.

    Raises
    ------
    InputError
        For a measurement that it does not have.
    """
    history = trace.history
    for i, y in moved:
        history = history.corrected(i, y)
    return replace(trace, history=history)


MOVED = "a measurement"
_MOST = 3  # that are named; of more, their number
WORDS = {name: setting.in_text for name, setting in SETTINGS.items()}


class Choice(NamedTuple):
    """What a person chose: the settings of a run, and which measurements were moved."""

    spec: RunSpec
    moved: Moved = ()


def differences(before: RunSpec, after: RunSpec) -> tuple[str, ...]:
    """Names of the settings in which two runs differ, the problem first."""
    old, new = asdict(before), asdict(after)
    return tuple(name for name in WORDS if old[name] != new[name])


def change(before: RunSpec, after: RunSpec) -> str:
    """What a change changes: ``lengthscale 0.65 → 1.3, K 4 → 10``.

    A new problem brings its own prior, so it is enough to name it.
    """
    names = differences(before, after)
    if "problem" in names:
        return f"{PROBLEM_NAMES[before.problem]} → {PROBLEM_NAMES[after.problem]}"
    return _listed(
        [f"{WORDS[name]} {value(before, name)} → {value(after, name)}" for name in names]
    )


def apart(run: RunSpec, other: RunSpec) -> str:
    """What sets a run apart from another: ``K 4, β scale c 1``, "" for equal settings."""
    names = differences(other, run)
    if "problem" in names:
        return PROBLEM_NAMES[run.problem]
    return _listed([f"{WORDS[name]} {value(run, name)}" for name in names])


def value(spec: RunSpec, name: str) -> str:
    """A setting's value in words."""
    setting = getattr(spec, name)
    if name == "problem":
        return PROBLEM_NAMES[setting]
    return worded(setting)


def worded(value: float | str | Sequence[str]) -> str:
    """The value of a setting other than the problem."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return number(value) if isinstance(value, int | float) else ", ".join(value) or "nothing"


def _listed(parts: list[str]) -> str:
    """The first few, and how many more there are."""
    more = len(parts) - _MOST
    return ", ".join(parts[:_MOST]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, eq=False)
class PinnedRun:
    """A pinned run, and what legends call it."""

    replay: Replay = field(repr=False)
    label: str

    def fits(self, scene: Scene) -> bool:
        """Whether it can be drawn behind this run: the same problem, the same candidates."""
        own = self.replay.scene
        return (
            own.name == scene.name
            and own.candidates.shape == scene.candidates.shape
            and bool(np.all(own.candidates == scene.candidates))
        )

    def frame(self, event: Event) -> Frame | None:
        """Its frame at an event, or the nearest before in that batch; None if it has ended."""
        if event.t > len(self.replay.trace.decisions):
            return None
        return self.replay.frame(closest(self.replay.events, event))


_LIMIT = 100
# Changes of the same settings that follow each other sooner are one: a slider that is dragged.
_PAUSE = 1.0


class History:
    """Runs in the order in which they were shown, and the place among them.

    Parameters
    ----------
    first : what the run on screen was made from
    limit : how many are kept; the oldest go first
    clock : seconds from any start; for tests
    """

    def __init__(
        self, first: Choice, limit: int = _LIMIT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit, self._clock = limit, clock
        self.begin(first)

    def begin(self, first: Choice) -> None:
        """Forget all runs, and start from this one: what a link or another lesson opens."""
        self._runs, self._at = [first], 0
        self._last: tuple[float, tuple[str, ...]] = (-float("inf"), ())

    @property
    def present(self) -> Choice:
        """What is on screen, or on its way there."""
        return self._runs[self._at]

    @property
    def earlier(self) -> Choice | None:
        """What `undo` goes to."""
        return self._runs[self._at - 1] if self._at else None

    @property
    def later(self) -> Choice | None:
        """What `redo` goes to."""
        return self._runs[self._at + 1] if self._at + 1 < len(self._runs) else None

    def record(self, choice: Choice) -> None:
        """Note what the run now on screen is made from; what was undone before is forgotten."""
        before = self.present
        if choice == before:
            return
        names, now = differences(before.spec, choice.spec), self._clock()
        if choice.moved != before.moved:
            names = (*names, MOVED)
        dragged = names == self._last[1] and now - self._last[0] < _PAUSE
        self._last = (now, names)
        del self._runs[self._at + 1 :]
        if dragged:
            self._runs[self._at] = choice
        else:
            self._runs.append(choice)
        self._runs = self._runs[-self._limit :]
        self._at = len(self._runs) - 1

    def undo(self) -> Choice | None:
        """Go one step back; return what is there, None at the first."""
        return self._go(self._at - 1)

    def redo(self) -> Choice | None:
        """Go one step forth; return what is there, None at the last."""
        return self._go(self._at + 1)

    def settle(self, choice: Choice) -> None:
        """Go back to the run on screen, because the requested one could not be made."""
        self._at = max(i for i, run in enumerate(self._runs) if run == choice or i == 0)

    def _go(self, at: int) -> Choice | None:
        if not 0 <= at < len(self._runs):
            return None
        self._at, self._last = at, (-float("inf"), ())
        return self.present
