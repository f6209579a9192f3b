"""The results of a run of another tool, trial by trial."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark, padded
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

TRIALS = Kind(
    "trials",
    MappingProxyType(
        {
            "trials": PlotKind(
                name="Result of each trial",
                roles=("now", "running", "results"),
                height=200,
                borders=(48, 8, 24, 26),
                y_ticks=4,
            )
        }
    ),
)
_PAD = 0.1  # of the values, kept free at either end
_FAILED = theme.Mark(theme.VERMILLION, marker="x")  # along the foot
_LATER = "60"  # opacity of what is still to come


def trials(y: Floats, now: int, sign: float) -> Picture:
    """Results y (n,), nan without one, with the best so far as steps; those after `now` faint."""
    n, known = len(y), ~np.isnan(y)
    at = np.flatnonzero(known).astype(float)
    up = padded(float(y[known].min()), float(y[known].max()), _PAD)
    steps = sign * np.maximum.accumulate(sign * y[known])
    foot = up.low + 0.05 * (up.high - up.low)
    looks = [theme.MEAN if one else _FAILED for one in known]
    marks = (
        mark("now", left=[now - 0.5], right=[now + 0.5]),
        mark("running", x=[*at, n - 0.5], y=[*steps, steps[-1]]),
        mark(
            "results", x=np.arange(float(n)), y=np.where(known, y, foot),
            marker=[look.marker for look in looks],
            color=[look.color + (_LATER if i > now else "") for i, look in enumerate(looks)],
            size=[11 if i == now else 7 for i in range(n)],
        ),
    )  # fmt: skip
    best = float(steps[-1])
    labels = (Label(f"Result of each trial; best {number(best)}", place="title"),)
    plot = Plot(Axis(-0.5, n - 0.5), up, marks, labels)
    text = f"{int(known.sum())} results of {n} trials, the best {number(best)}."
    return Picture(TRIALS, MappingProxyType({"trials": plot}), text)
