"""What is proved about a run and what it did: charts over batches, and the proof's steps."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import Curve, Values, over_batches
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark
from ucbpe_app.run.sentences.texts import number, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core.support.validation import Floats

_OWN, _EVERY = ("regret", "regret_dots"), ("every", "every_dots")
_LIMITS = ("every_limits", "regret_limits")
_BOUNDS = ("trivial", "greedy", "printed", "proved", "promised", "delta")


def _kind(what: str, **options: object) -> Kind:
    plot = PlotKind(height=240, **options)  # type: ignore[arg-type]
    return Kind(what, MappingProxyType({what: plot}))


PROVED = _kind(
    "proved",
    name="Bounds and what the run did",
    roles=("now", *_LIMITS, *_BOUNDS, *_EVERY, *_OWN),
    borders=(56, 12, 12, 26),
)
WATERFALL = _kind(
    "waterfall",
    name="What each step of the proof costs",
    roles=("trivial", "bars", "largest_bar", "own_bar"),
    borders=(150, 12, 12, 26),
    grid=False,
    ends=False,
)


def proved(
    by_role: Mapping[str, tuple[str, Floats | None]], last: int, now: int | None, *, log: bool
) -> Picture:
    """Curves (T,) by role, each with its name; one that is None is left out."""
    curves = [
        Curve(role, y, f"{name} {number(float(y[-1]))}", dots=role in ("regret", "every"))
        for role, (name, y) in by_role.items()
        if y is not None
    ]
    together = np.concatenate([curve.y for curve in curves])
    values = Values.of(together, log=log)
    y = values.axis(float(together.max()))
    ends = ", ".join(curve.text for curve in curves)
    return over_batches(PROVED, curves, last, y, values, now=now, text=f"At the end: {ends}.")


def coverage(
    allowed: Floats,
    delta: float | None,
    shares: Mapping[str, tuple[str, Floats, Floats, Floats]],
    now: int | None,
) -> Picture:
    """Shares of runs in which f has left the band by t, in %.

    Parameters
    ----------
    allowed : what the proof allows, shape (T,)
    delta : what is promised for all t, if anything is
    shares : by role: name, the share counted and its limits, shape (T,) each
    now : the batch that is marked
    """
    last = len(allowed)
    promised = [] if delta is None else [
        Curve("delta", np.full(last, 100 * delta), f"δ = {percent(delta)}")
    ]  # fmt: skip
    counted = [
        Curve(role, 100 * fraction, f"{name} {percent(float(fraction[-1]))}", dots=True)
        for role, (name, fraction, _, _) in shares.items()
    ]
    limits = [
        mark(f"{role}_limits", x=np.arange(1.0, last + 1), lower=100 * low, upper=100 * high)
        for role, (_, _, low, high) in shares.items()
    ]
    curves = [
        Curve("promised", 100 * allowed, f"allowed {percent(float(allowed[-1]))}"),
        *promised,
        *counted,
    ]
    # A tenth at least: small shares are the theory's promise.
    tops = [0.1, float(allowed[-1]), delta or 0.0, *(float(row[3][-1]) for row in shares.values())]
    values = Values()
    ends = ", ".join(curve.text for curve in curves)
    y = values.axis(100 * max(tops))
    text = f"After {last} batches: {ends}."
    return over_batches(PROVED, curves, last, y, values, now=now, others=limits, text=text)


_ROOM = 0.21  # of the axis, for the factor of a bar
_THICK = 0.36  # half the height of a bar, of 1 from bar to bar


def waterfall(steps: Sequence[tuple[str, float]], trivial: float) -> Picture:
    """Bars on a log axis, from the value before a step to that after it: lengths are factors.

    Parameters
    ----------
    steps : names and values; the first bar begins at the axis and is the regret of the run
    trivial : what no run exceeds, as a vertical line
    """
    names = [name for name, _ in steps]
    given = np.array([value for _, value in steps])
    values = Values.of(np.array([*given, trivial]), log=True)
    at, limit = values.place(given), float(values.place(np.array([trivial]))[0])
    axis = values.axis(float(max(given.max(), trivial)))
    axis = Axis(axis.low, axis.high + _ROOM * (axis.high - axis.low), axis.ticks)
    starts = np.array([axis.low, *at[:-1]])
    left, right = np.minimum(starts, at), np.maximum(starts, at)
    rows = -np.arange(len(steps), dtype=float)
    largest = 1 + int(np.argmax(np.diff(at)))
    y = Axis(-len(steps) + 0.5, 0.5, tuple(zip(rows.tolist(), names, strict=True)))
    chosen = {"own_bar": [0], "largest_bar": [largest]}
    chosen["bars"] = [i for i in range(1, len(steps)) if i != largest]
    bars = [
        mark(
            role, left=left[members], right=right[members],
            bottom=rows[members] - _THICK, top=rows[members] + _THICK,
        )
        for role, members in chosen.items()
    ]  # fmt: skip
    line = mark("trivial", x=[limit, limit], y=[y.low, y.high])
    labels = [
        Label("log scale", place="note"),
        *_factors(steps, axis, at, limit, largest),
        Label(f"any choice: {number(trivial)}", "trivial", limit, 0.35, "tip"),
    ]
    factors = ", ".join(
        f"{name} {factor(before, value) or 'from 0'} to {number(value)}"
        for (_, before), (name, value) in pairwise(steps)
    )
    text = f"{names[0]} {number(given[0])}, {factors}. Any choice stays below {number(trivial)}."
    plot = Plot(axis, y, (line, *bars), tuple(labels))
    return Picture(WATERFALL, MappingProxyType({WATERFALL.name: plot}), text)


def factor(before: float, after: float) -> str:
    """How many times a value is the one before it."""
    return f"× {number(float(f'{after / before:.2g}'))}" if before > 0 else ""


def _factors(
    steps: Sequence[tuple[str, float]], axis: Axis, at: Floats, limit: float, largest: int
) -> list[Label]:
    """The factor of each step, right of its bar, or left where the line of any choice passes."""
    room, values = _ROOM * (axis.high - axis.low), [value for _, value in steps]
    labels = []
    for i, value in enumerate(values):
        role = "proved" if i else "regret"
        text = factor(values[i - 1], value) if i else number(value)
        end, begin = (max(at[i], at[i - 1]), min(at[i], at[i - 1])) if i else (at[0], axis.low)
        crossed = i > 0 and end - 0.1 * room < limit < end + room
        place = begin - room / 2 if crossed else end + room / 2
        labels.append(Label(text, role, float(place), -i, "inside", strong=i in (0, largest)))
    return labels
