"""Policies beside a reference: paired differences at the end of a study, and what they say.

Compared are the mean simple regret R_T^K / T and the best simple regret of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.report.records import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.report.records import Curve

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
    plain = {(one.problem, one.policy, one.quantity): one for one in curves}
    found = []
    for one in differences:
        if one.quantity not in COMPARED:
            continue
        share = 1 / len(one.t) if COMPARED[one.quantity] else 1.0
        base = plain[one.problem, one.reference, one.quantity].mean[len(one.t) - 1]
        mean, low, high = (share * float(values[-1]) for values in (one.mean, one.low, one.high))
        labels, numbers = (one.problem, one.policy, one.quantity), (one.n, one.failed, one.level)
        found.append(
            Comparison(*labels, mean, low, high, *numbers, one.reference, share * float(base))
        )
    return tuple(found)
