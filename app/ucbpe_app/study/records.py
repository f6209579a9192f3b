"""Rows of a study's tables as records, means as a picture, policies against a reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import Line, compared, over_time
from ucbpe_app.run.sentences import number
from ucbpe_core.support.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from ucbpe_app.pictures.looks import PolicyLook
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_core.support.validation import Floats, Integers


@dataclass(frozen=True, eq=False)
class Curve:
    """Mean of one quantity against t or time, with pointwise limits.

    Attributes
    ----------
    problem, policy, quantity : labels; `quantity` is one of `summarise.QUANTITIES`
    t : iterations 1..T, or times, shape (T,)
    mean, low, high : shape (T,); the limits are NaN for n = 1
    n : replicates behind every entry
    failed : replicates left out because they failed
    level : confidence of the interval at each t
    reference : for a paired difference, the policy that is subtracted, so that above 0 the
        reference has the lower regret; "" for a plain mean
    over_time : whether t is time, in mean durations of an evaluation
    """

    problem: str
    policy: str
    quantity: str
    t: Integers | Floats = field(repr=False)
    mean: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    n: int
    failed: int
    level: float
    reference: str = ""
    over_time: bool = False

    def __post_init__(self) -> None:
        for name in ("mean", "low", "high"):
            object.__setattr__(self, name, frozen_copy(getattr(self, name)))
        kind = float if self.over_time else np.intp
        object.__setattr__(self, "t", frozen_copy(self.t, kind))


@dataclass(frozen=True)
class Statistic:
    """Mean of one number per replicate, with its limits; fields as in `Curve`.

    With a `reference`, `mean` is the geometric mean of the paired ratios policy / reference.
    """

    problem: str
    policy: str
    statistic: str
    mean: float
    low: float
    high: float
    n: int
    failed: int
    level: float
    reference: str = ""

    @property
    def text(self) -> str:
        """0.31 [0.28, 0.34]; a single replicate has no interval."""
        if self.mean != self.mean:
            return "none"
        limits = "" if self.low != self.low else f" [{number(self.low)}, {number(self.high)}]"
        return f"{number(self.mean)}{limits}"


def curves_of(table: pd.DataFrame) -> tuple[Curve, ...]:
    """The curves of a table with `summarise.CURVE_COLUMNS` or `TIME_COLUMNS`, in its order."""
    over_time = "time" in table
    labels = ["problem", "policy", "quantity", "reference", "replicates", "failed", "level"]
    return tuple(
        Curve(
            problem, policy, quantity, rows["time" if over_time else "t"],
            rows["mean"], rows["low"], rows["high"], n, failed, level, reference, over_time,
        )
        for (problem, policy, quantity, reference, n, failed, level), rows in table.groupby(
            labels, sort=False
        )
    )  # fmt: skip


def statistics_of(table: pd.DataFrame) -> tuple[Statistic, ...]:
    """The statistics of a table with `summarise.STATISTIC_COLUMNS`, in its order."""
    return tuple(
        Statistic(
            row.problem, row.policy, row.statistic, row.mean, row.low, row.high,
            row.replicates, row.failed, row.level, row.reference,
        )
        for row in table.itertuples(index=False)
    )  # fmt: skip


# Curves at t = T from which policies are compared, and what to divide them by: R_T^K is shown as
# the mean over batches.
COMPARED = {"batch_cumulative_regret": True, "running_minimum": False}


@dataclass(frozen=True)
class Comparison(Statistic):
    """A policy compared with the reference at the end of a study, in units of f.

    The statistic is a key of `COMPARED`, its mean that of the paired differences policy -
    reference.

    Attributes
    ----------
    base : mean of the reference
    """

    base: float = float("nan")

    @property
    def verdict(self) -> str:
        """Regret "lower" or "higher" than the reference, or "open" where 0 is in the interval."""
        if self.high < 0:
            return "lower"
        return "higher" if self.low > 0 else "open"

    @property
    def sign(self) -> str:
        """The verdict as one letter."""
        return {"lower": "▼", "higher": "▲", "open": "≈"}[self.verdict]

    @property
    def text(self) -> str:
        """+0.5 [0.167, 0.833]."""
        return f"{'+' if self.mean > 0 else ''}{super().text}"


def comparisons(curves: Iterable[Curve], differences: Iterable[Curve]) -> tuple[Comparison, ...]:
    """The last point of each difference in `COMPARED`, with the reference's own mean.

    Parameters
    ----------
    curves, differences : of one study: tables of `summarise`, as records
    """
    plain = {(curve.problem, curve.policy, curve.quantity): curve for curve in curves}
    compared = []
    for gap in differences:
        if gap.quantity not in COMPARED:
            continue
        factor = 1 / len(gap.t) if COMPARED[gap.quantity] else 1.0
        base = plain[gap.problem, gap.reference, gap.quantity].mean[len(gap.t) - 1]
        mean, low, high = (factor * float(values[-1]) for values in (gap.mean, gap.low, gap.high))
        labels, numbers = (gap.problem, gap.policy, gap.quantity), (gap.n, gap.failed, gap.level)
        compared.append(
            Comparison(*labels, mean, low, high, *numbers, gap.reference, factor * float(base))
        )
    return tuple(compared)


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
    """Whether the means span decades; rounding errors do not count."""
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
    steps = means.over_time and means.quantity == "running_minimum" and not means.base
    lines = []
    for i, policy in enumerate(shown):
        curve, aside = means.curves[policy], apart * (i - (len(shown) - 1) / 2)
        lines.append(
            Line(
                policy,
                looks[policy],
                curve.t.astype(float) + aside,
                above(curve.mean),
                steps=steps,
                until=last if steps else None,
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
