"""Rows of a study's tables as records to draw and to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences import number
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    import pandas as pd

    from ucbpe_core.validation import Floats, Integers


@dataclass(frozen=True, eq=False)
class Curve:
    """Mean of one quantity against t, with pointwise limits.

    Attributes
    ----------
    problem, policy, quantity : labels; `quantity` is one of `summarise.QUANTITIES`
    t : iterations 1..T, shape (T,)
    mean, low, high : shape (T,); the limits are NaN for n = 1
    n : replicates behind every entry
    failed : replicates left out because they failed
    level : confidence of the interval at each t
    reference : for a paired difference, the policy that is subtracted, so that above 0 the
        reference has the lower regret; "" for a plain mean
    """

    problem: str
    policy: str
    quantity: str
    t: Integers = field(repr=False)
    mean: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    n: int
    failed: int
    level: float
    reference: str = ""

    def __post_init__(self) -> None:
        for name in ("mean", "low", "high"):
            object.__setattr__(self, name, frozen_copy(getattr(self, name)))
        object.__setattr__(self, "t", frozen_copy(self.t, np.intp))


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
    """The curves of a table with `summarise.CURVE_COLUMNS`, in its order."""
    labels = ["problem", "policy", "quantity", "reference", "replicates", "failed", "level"]
    return tuple(
        Curve(
            problem, policy, quantity, rows["t"], rows["mean"], rows["low"], rows["high"],
            n, failed, level, reference,
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
