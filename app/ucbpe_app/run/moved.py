"""Measurements that a person moved to another value, or left out."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from ucbpe_app.run.notation import short, text_of
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
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
    for number, y in moved:
        history = history.corrected(number, y)
    return replace(trace, history=history)
