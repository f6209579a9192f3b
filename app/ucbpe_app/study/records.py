"""Rows of a study's tables as records to draw and to print, and policies beside a reference.

Compared are the mean simple regret R_T^K / T and the best simple regret of the run, by paired
differences at the end of a study.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences import number
from ucbpe_core.support.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

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
    """A policy beside the reference at the end of a study, in units of f.

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
    """The last point of each difference in `COMPARED`, beside the reference's own mean.

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
