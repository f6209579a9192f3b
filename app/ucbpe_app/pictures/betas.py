"""sqrt(beta_t) over the batches of a run, beside that of other schedules and deltas."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import Curve, Values, batches, labels_of
from ucbpe_app.pictures.picture import Kind, Label, Picture, Plot, PlotKind, mark
from ucbpe_app.run.choices import schedule_label
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.betas import Betas

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
