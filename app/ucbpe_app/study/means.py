"""The means of a study as a picture, for pages and for print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import Line, compared
from ucbpe_app.pictures.workers import over_time
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_app.line_styles import PolicyLook
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_app.study.records import Curve
    from ucbpe_core.support.validation import Floats

_DECADES = 2  # means that span more are drawn on a logarithmic axis
# A regret smaller than the largest mean by this factor is rounding, drawn as 0.
_ROUNDING = 1e-8
# Sums keep growing: their slope matters, and a logarithmic axis would bend it.
SUMS = ("batch_cumulative_regret", "full_cumulative_regret")
# Between the intervals of two policies: of the axis, and of a batch for all of them together.
_APART, _WITHIN = 0.006, 0.8


@dataclass(frozen=True, eq=False)
class Means:
    """The means of one quantity against t or time, or how they differ from a reference's.

    Attributes
    ----------
    quantity : key of `QUANTITIES`
    curves : by policy
    log : whether the axis is logarithmic, with a place for zeros
    marks : by policy, the mean last batch of an initialisation, where one is
    """

    quantity: str
    curves: Mapping[str, Curve]
    log: bool
    marks: Mapping[str, float]

    @classmethod
    def of(cls, curves: Iterable[Curve], marks: Mapping[str, float]) -> Means:
        """Those of curves of one problem and quantity, on the axis that suits them."""
        found = {curve.policy: curve for curve in curves}
        first = next(iter(found.values()))
        log = not first.reference and first.quantity not in SUMS and _spans(found.values())
        return cls(first.quantity, found, log, {} if first.reference or first.over_time else marks)

    @property
    def over_time(self) -> bool:
        """Whether they are against time."""
        return next(iter(self.curves.values())).over_time

    @property
    def base(self) -> str:
        """The policy that is subtracted, "" for plain means."""
        return next(iter(self.curves.values())).reference


def _spans(curves: Iterable[Curve]) -> bool:
    """Whether the means span decades; those that are rounding do not count."""
    means = np.concatenate([curve.mean for curve in curves])
    shown = means[means > _ROUNDING * means.max()]
    return bool(shown.size) and bool(means.max() > shown.min() * 10.0**_DECADES)


def drawn(means: Means, looks: Mapping[str, PolicyLook], strong: str = "") -> Picture:
    """Lines with their intervals in the order of `looks`; one can stand out, on top."""
    curves, log = means.curves.values(), means.log
    every = np.concatenate([np.zeros(1), *(curve.mean for curve in curves)])
    tops = [np.where(np.isnan(curve.high), curve.mean, curve.high) for curve in curves]
    # A regret is never below 0, though the foot of its interval may be.
    least = -np.inf if means.base else _ROUNDING * float(every.max()) if log else 0.0

    def above(values: Floats) -> Floats:
        return np.where(values <= least, 0.0, values)

    values = Values.of(above(every[1:]), log=log)
    last = max(float(curve.t[-1]) for curve in curves)
    shown = [policy for policy in looks if policy in means.curves]
    apart = min(_APART * last, _WITHIN / len(shown))
    # What is known as the best stays so when a run has ended.
    held = means.over_time and means.quantity == "running_minimum" and not means.base
    lines = []
    for i, policy in enumerate(shown):
        curve, aside = means.curves[policy], apart * (i - (len(shown) - 1) / 2)
        lines.append(
            Line(
                policy,
                looks[policy],
                curve.t.astype(float) + aside,
                above(curve.mean),
                held=held,
                until=last if held else None,
                low=above(curve.low),
                high=above(curve.high),
                text=f"{policy} {number(float(curve.mean[-1]))}",
                strong=policy == strong,
                tips=tuple(_tip(curve, k) for k in range(len(curve.t))),
                rings=(means.marks[policy] + aside,) if policy in means.marks else (),
            )
        )
    lines.sort(key=lambda line: not line.strong)  # the first is on top
    if means.base:
        ends, zero = np.array([0.0 if means.over_time else 1.0, last]), np.zeros(2)
        lines.append(Line(means.base, looks[means.base], ends, zero, text=means.base))
    text = f"At the end: {', '.join(line.text for line in lines)}."
    foot = min(0.0, *(float(np.nanmin(curve.low, initial=0.0)) for curve in curves))
    top = max(float(array.max()) for array in (every, *tops))
    y = values.axis(top, foot if means.base else 0.0)
    x = over_time(last) if means.over_time else batches(int(last))
    return compared(lines, x, values, y, text)


def _tip(curve: Curve, k: int) -> str:
    interval = "" if np.isnan(curve.low[k]) else (
        f" ({number(float(curve.low[k]))} to {number(float(curve.high[k]))})"
    )  # fmt: skip
    where = f"time {number(float(curve.t[k]))}" if curve.over_time else f"t = {curve.t[k]}"
    return f"{curve.policy}, {where}: {number(float(curve.mean[k]))}{interval}"
