"""Axes of charts over batches, and the chart of sqrt(beta_t) of several schedules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, log10
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark
from ucbpe_app.run.choices import schedule_label
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.prior import Betas
    from ucbpe_core.support.validation import Floats


_MOST_BATCHES = 13  # with a tick
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Decades:
    """From 10^low to 10^high, a decade at least; half a decade below, zeros if any."""

    low: float
    high: float
    zeros: bool

    @classmethod
    def of(cls, values: Floats) -> Decades:
        """The decades that contain these values, all of them 0 or more; nan is none."""
        known = values[~np.isnan(values)]
        positive = known[known > 0]
        if not positive.size:
            return cls(0.0, 1.0, zeros=True)
        low, high = log10(positive.min()), log10(positive.max())
        return cls(low, max(high, low + 1), zeros=positive.size < known.size)

    @property
    def zero(self) -> float:
        """The logarithm that represents zero."""
        return self.low - GEOMETRY.below

    def axis(self, top: float) -> Axis:
        """The axis of logarithms, which reaches `top` at least, 0 or more."""
        high = max(self.high, log10(top)) if top > 0 else self.high
        zero = [(self.zero, "0")] if self.zeros else []
        start = self.zero if self.zeros else self.low
        margin = GEOMETRY.margin
        ticks = log_ticks(self.low - margin, high + margin)
        return Axis(start - margin, high + margin, (*zero, *ticks))


@dataclass(frozen=True)
class Values:
    """How values of 0 or more are drawn: as they are, or as logarithms where there are decades."""

    decades: Decades | None = None

    @classmethod
    def of(cls, values: Floats, *, log: bool) -> Values:
        """For these values."""
        return cls(Decades.of(values) if log else None)

    def place(self, values: Floats) -> Floats:
        """Where they are on the axis; nan stays nan."""
        if self.decades is None:
            return values
        return np.log10(np.maximum(values, 10.0**self.decades.zero))

    def axis(self, top: float, foot: float = 0.0) -> Axis:
        """The axis, up to `top` at least; a linear one from `foot` on."""
        if self.decades is not None:
            return self.decades.axis(top)
        length = (top - foot) or 1.0
        return Axis(foot - GEOMETRY.foot * length, foot + (1 + GEOMETRY.head) * length)


@dataclass(frozen=True, eq=False)
class Curve:
    """A line over batches 1 .. n.

    Attributes
    ----------
    role : of the line; with `dots` each batch has a point of the role that ends in "_dots"
    y : values, shape (n,)
    text : its label, at its end
    """

    role: str
    y: Floats
    text: str = ""
    dots: bool = False

    @property
    def t(self) -> Floats:
        """The batches, shape (n,)."""
        return np.arange(1.0, len(self.y) + 1)


def marks_of(curves: Iterable[Curve], values: Values) -> list[Mark]:
    """What is drawn of curves on an axis of values."""
    return [
        mark(role, x=curve.t, y=values.place(curve.y))
        for curve in curves
        for role in (curve.role, *([f"{curve.role}_dots"] if curve.dots else []))
    ]


def labels_of(curves: Iterable[Curve], values: Values) -> list[Label]:
    """The names of curves, at their ends."""
    ends = [(curve, values.place(curve.y[-1:])) for curve in curves if curve.text and len(curve.y)]
    return [
        Label(curve.text, curve.role, float(len(curve.y)), float(y), "tip")
        for curve, (y,) in ends
        if np.isfinite(y)
    ]


def batches(last: int, start: str = "", most: int = _MOST_BATCHES) -> Axis:
    """Batches 1 .. `last`, with half a batch at either end; before them a place named `start`.

    Ticks are at 1, 2, 5, 10, ... batches from each other, so that there are `most` or fewer.
    """
    step = next(
        size * 10**power
        for power in range(9)
        for size in (1, 2, 5)
        if last <= most * size * 10**power
    )
    first = [] if start and step > 1 else [1]
    numbers = sorted({*first, *range(step, last + 1, step)})
    ticks = tuple((float(t), str(t)) for t in numbers)
    return Axis(-0.5 if start else 0.5, last + 0.5, (*([(0.0, start)] if start else []), *ticks))


def over_batches(
    kind: Kind,
    curves: Sequence[Curve],
    last: int,
    y: Axis,
    values: Values,
    *,
    now: int | None = None,
    others: Sequence[Mark] = (),
    text: str = "",
) -> Picture:
    """A picture of one plot: curves over batches 1 .. `last`, of which `now` is marked."""
    marked = [] if now is None else [now]
    marks = (
        mark("now", left=[t - 0.5 for t in marked], right=[t + 0.5 for t in marked]),
        *others,
        *marks_of(curves, values),
    )
    plot = Plot(batches(last), y, marks, tuple(labels_of(curves, values)))
    return Picture(kind, MappingProxyType({kind.name: plot}), text)


def log_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """The ticks of an axis of logarithms to base 10, and their values."""
    return tuple((log10(tick), _written(tick)) for tick in _ticks(low, high))


def _ticks(low: float, high: float) -> list[float]:
    """Decades, thinned out when there are many; 1, 2, 5 steps when there are few."""
    decades = range(floor(low), ceil(high) + 1)
    mantissas = (1, 2, 5) if high - low < 2 else (1,)
    every = ceil((high - low) / GEOMETRY.most_decades)
    ticks = [m * 10.0**d for d in decades if d % every == 0 for m in mantissas]
    return [tick for tick in ticks if low <= log10(tick) <= high]


def _written(tick: float) -> str:
    """0.02, 1, 500; powers of ten from 10 000 on and below 0.001."""
    if 1e-3 <= tick < 1e4:
        return f"{tick:g}"
    exponent = floor(log10(tick) + 1e-9)
    mantissa = round(tick / 10.0**exponent)
    power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return power if mantissa == 1 else f"{mantissa}·{power}"


BETAS = Kind(
    "betas",
    MappingProxyType(
        {
            "betas": PlotKind(
                name="√β by batch",
                roles=("now", "deltas", "schedules", "beta"),
                height=150,
                borders=(34, 96, 24, 22),
                y_ticks=3,
                ends=False,
            )
        }
    ),
)


def betas(given: Betas, now: int | None = None) -> Picture:
    """The curves over t = 1 .. T; batch `now` is marked."""
    own = Curve("beta", given.used, schedule_label(given.schedule))
    others = [Curve("schedules", y, schedule_label(name)) for name, y in given.others.items()]
    curves, last, values = [own, *others], len(given.used), Values()
    marks = [mark("beta", x=own.t, y=own.y), _together(others)]
    title = "√β by batch"
    if given.deltas is not None:
        (low, wide), (high, narrow) = given.deltas
        marks.append(mark("deltas", x=own.t, lower=narrow, upper=wide))
        title = f"√β by batch; tinted: δ {number(low)} to {number(high)}"
    if now is not None:
        marks.append(mark("now", left=[now - 0.5], right=[now + 0.5]))
    y = values.axis(float(max(curve.y.max() for curve in curves)))
    labels = (Label(title, place="title"), *labels_of(curves, values))
    ends = ", ".join(f"{curve.text} {number(float(curve.y[-1]))}" for curve in curves)
    x = replace(batches(last), ticks=((1.0, "1"), *([(last, str(last))] if last > 1 else [])))
    plot = Plot(x, y, tuple(marks), labels)
    return Picture(BETAS, MappingProxyType({"betas": plot}), f"√β in batch {last}: {ends}.")


def _together(curves: Sequence[Curve]) -> Mark:
    """Curves as one line, kept apart by NaN."""
    parts = [np.stack([np.append(curve.t, np.nan), np.append(curve.y, np.nan)]) for curve in curves]
    x, y = np.concatenate([np.empty((2, 0)), *parts], axis=1)
    return mark("schedules", x=x, y=y)
