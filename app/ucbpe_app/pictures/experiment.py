"""An experiment in charts: its results by batch, and predictions against what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.chart import batches
from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark, padded
from ucbpe_app.run.sentences.texts import at_least, closer, result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.support.validation import Floats

RESULTS = Kind(
    "results",
    MappingProxyType(
        {
            "results": PlotKind(
                name="Results by batch",
                roles=("now", "running", "start", "results", "fresh"),
                height=200,
                borders=(48, 8, 10, 26),
            )
        }
    ),
)
CHECK = Kind(
    "check",
    MappingProxyType(
        {
            "check": PlotKind(
                name="Predicted against measured",
                roles=("trivial", "lines", "results"),
                height=150,
                borders=(40, 8, 10, 26),
                x_ticks=3,
                y_ticks=3,
                ends=False,
            )
        }
    ),
)
TAUGHT = Kind(
    "taught",
    MappingProxyType(
        {
            "taught": PlotKind(
                name="Std before and after the batch",
                roles=("lines",),
                height=150,
                borders=(48, 8, 10, 26),
                x_ticks=3,
                y_ticks=3,
                ends=False,
            )
        }
    ),
)
BRACKET = Kind(
    "bracket",
    MappingProxyType(
        {
            "bracket": PlotKind(
                name="Where the best value can lie",
                roles=("gain", "start"),
                height=84,
                borders=(16, 16, 24, 24),
                y_ticks=0,
                grid=False,
                ends=False,
            )
        }
    ),
)
_NAMED = 8  # batches whose ticks are written whole
_SOFT = f"{theme.BLUE}70"  # of what was predicted: lines lie on each other
_PAD = 0.08  # of the values, kept free at either end


@dataclass(frozen=True)
class Result:
    """A measurement: its batch, its role and its value.

    The batch is the one that proposed it; if none did, the latest that had a result before it, or
    0. The value is None if there is none: the pick was withdrawn, or its run failed.
    """

    t: int
    role: str
    y: float | None


def results(made: Sequence[Result], now: int | None, sign: float, best: str) -> Picture:
    """Values by batch in the order recorded, the best so far as steps, and the best of all ringed.

    Parameters
    ----------
    made : in the order recorded
    now : the batch that is open, if one is
    sign : 1 where high values are better, else -1
    best : what the best measurement is, for its label
    """
    last = max([point.t for point in made] + [now or 0, 1])
    first = min([point.t for point in made], default=1)
    x = _across(made)
    y = np.array([np.nan if point.y is None else point.y for point in made], float)
    known = ~np.isnan(y)
    across = _batches(first, last)
    low, high = (y[known].min(), y[known].max()) if known.any() else (0.0, 1.0)
    up = padded(float(low), float(high), _PAD)
    marks = [
        mark(
            "now", left=[] if now is None else [now - 0.5], right=[] if now is None else [now + 0.5]
        ),
        _points([point for point, ok in zip(made, known, strict=True) if ok], x[known], y[known]),
        mark(
            "start", x=x[~known], y=np.full(int((~known).sum()), up.low + 0.04 * (up.high - up.low))
        ),
    ]
    labels = []
    if known.any():
        top = int(np.nanargmax(sign * y))
        order = np.argsort(x[known], kind="stable")  # a late result is drawn with its batch
        steps = sign * np.maximum.accumulate(sign * y[known][order])
        marks.append(mark("running", x=[*x[known][order], across.high], y=[*steps, steps[-1]]))
        marks.append(mark("fresh", x=[x[top]], y=[y[top]]))
        value = float(y[top])
        labels = [
            Label(f"best {result(value)}", "running", 0.0, value, "end", strong=True),
            *([Label(best, "", 0.0, value, "end")] if best else []),
        ]
    text = f"{int(known.sum())} results" + "".join(f", {label.text}" for label in labels)
    plots = {"results": Plot(across, up, tuple(marks), tuple(labels))}
    return Picture(RESULTS, MappingProxyType(plots), f"{text}.")


def check(roles: Sequence[str], mean: Floats, spread: Floats, y: Floats) -> Picture:
    """Predictions, each a line of mean ± spread, at the height of what was measured, (n,) each."""
    ends = [*(mean - spread), *(mean + spread), *y]
    axis = padded(float(min(ends, default=0.0)), float(max(ends, default=1.0)), _PAD)
    heights = padded(float(y.min()) if len(y) else 0.0, float(y.max()) if len(y) else 1.0, _PAD)
    low, high = max(axis.low, heights.low), min(axis.high, heights.high)
    lines = mark(
        "lines",
        xs=list(zip((mean - spread).tolist(), (mean + spread).tolist(), strict=True)),
        ys=[(height, height) for height in y.tolist()],
        color=[_SOFT] * len(y),
        dash=["solid"] * len(y),
        width=[2.0] * len(y),
    )
    made = [Result(0, role, 0.0) for role in roles]
    marks = (mark("trivial", x=[low, high], y=[low, high]), lines, _points(made, mean, y))
    inside = int((abs(y - mean) <= spread).sum())
    text = f"{inside} of {len(y)} results inside what was predicted."
    return Picture(CHECK, MappingProxyType({"check": Plot(axis, heights, marks)}), text)


def taught(before: Floats, after: Floats) -> Picture:
    """Std of each row before a batch and after it, (n,) each, in the order given."""
    n = len(before)
    across = np.arange(1.0, n + 1)
    up = padded(0.0, float(before.max(initial=1e-300)), _PAD)
    lines = mark(
        "lines",
        xs=[across.tolist()] * 2,
        ys=[before.tolist(), after.tolist()],
        color=[theme.INK, theme.BLUE],
        dash=["solid"] * 2,
        width=[2.0] * 2,
    )
    plot = Plot(Axis(1.0, float(max(n, 2))), up, (lines,))
    text = f"Std of {n} rows before the batch (grey) and after it (blue), the largest first."
    return Picture(TAUGHT, MappingProxyType({"taught": plot}), text)


def bracket(certificate: Certificate, best: float | None) -> Picture:
    """From y. to the greatest upper bound, or down to the least lower one, and the best result."""
    ends = sorted([certificate.bound, certificate.extreme])
    known = [] if best is None else [best]
    across = padded(min([*ends, *known]), max([*ends, *known]), _PAD)
    gain = certificate.regret if best is None else certificate.gain(best)
    more = f"at most {at_least(gain, -1.0)} to gain"
    labels = [Label(more, "gain", sum(ends) / 2, 0.32, "inside", strong=True)]
    labels += [Label(f"best result {result(value)}", "", value, 1.0, "inside") for value in known]
    marks = (
        mark("gain", left=ends[:1], right=ends[1:], bottom=[0.05], top=[0.6]),
        mark("start", x=known, y=[0.6] * len(known)),
    )
    low, high = (closer(end, 0.1 * (ends[1] - ends[0])) for end in ends)
    text = f"The best value is between {low} and {high}, if f is in its band: {more}."
    plots = {"bracket": Plot(across, Axis(0.0, 1.0), marks, tuple(labels))}
    return Picture(BRACKET, MappingProxyType(plots), text)


def _points(made: Sequence[Result], x: Floats, y: Floats) -> Mark:
    """Results with the marks of their roles; results that nobody proposed are crosses."""
    looks = [mark_of(point.role) if point.role else theme.DATA for point in made]
    return mark(
        "results", x=x, y=y,
        marker=[look.marker for look in looks], color=[look.color for look in looks],
        size=[14 if look.marker == "star" else 11 for look in looks],
    )  # fmt: skip


def _across(made: Sequence[Result]) -> Floats:
    """Where results are: those of a batch side by side around its number."""
    ts = np.array([point.t for point in made], int)
    x = np.empty(len(ts))
    for t in np.unique(ts):
        members = np.flatnonzero(ts == t)
        x[members] = t - 0.5 + (np.arange(len(members)) + 0.5) / len(members)
    return x


def _batches(first: int, last: int) -> Axis:
    """An axis of batches, named where there are few; what came before the first has a place."""
    if last - first >= _NAMED:
        return batches(last, "before" if first == 0 else "")
    names = ((float(t), f"batch {t}" if t else "before") for t in range(first, last + 1))
    return Axis(first - 0.5, last + 0.5, tuple(names))
