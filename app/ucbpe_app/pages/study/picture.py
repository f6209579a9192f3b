"""What is shown of a study: its charts, the ranking, and what both say. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ucbpe_app.line_styles import PolicyLook, policy_looks
from ucbpe_app.report.records import curves_of, statistics_of
from ucbpe_app.report.scales import regret_scale
from ucbpe_core.study.summarise import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.pages.study.results import StudyResults
    from ucbpe_app.report.records import Curve

RANKED = "running_minimum"  # by which policies are ranked, at the end of the study


@dataclass(frozen=True, eq=False)
class StudyChart:
    """The means of one quantity against t.

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


@dataclass(frozen=True)
class Rank:
    """A policy in the ranking.

    Attributes
    ----------
    mean : of the best regret of a run
    difference, low, high : of the paired differences to the reference, and the limits of their
        mean; 0 of the reference itself, limits NaN for one replicate
    better : replicates in which it has the lower regret; None where that is not known
    """

    policy: str
    mean: float
    difference: float = 0.0
    low: float = 0.0
    high: float = 0.0
    better: int | None = None

    @property
    def word(self) -> str:
        """Better or worse than the reference where the interval excludes 0; else ""."""
        if self.high < 0:
            return "better"
        return "worse" if self.low > 0 else ""


@dataclass(frozen=True)
class Ranking:
    """Policies by mean, the least first, and how each differs from the reference.

    Attributes
    ----------
    reference : policy of which the differences are
    replicates : behind every number
    t : the last batch
    """

    reference: str
    rows: tuple[Rank, ...]
    replicates: int
    t: int

    @property
    def others(self) -> tuple[Rank, ...]:
        """All but the reference."""
        return tuple(one for one in self.rows if one.policy != self.reference)


@dataclass(frozen=True, eq=False)
class StudyCharts:
    """All that is on screen of a study; without charts before the first complete replicate."""

    results: StudyResults
    charts: tuple[StudyChart, ...]
    ranking: Ranking | None
    looks: Mapping[str, PolicyLook] = field(default_factory=dict)


def paint(results: StudyResults) -> StudyCharts:
    """The picture of results."""
    curves = curves_of(results.curves)
    marks = {
        one.policy: one.mean
        for one in statistics_of(results.statistics)
        if one.statistic == "initialization" and one.mean > 0
    }
    charts = []
    for name in QUANTITIES:
        own = {one.policy: one for one in curves if one.quantity == name}
        if own:
            log = regret_scale(own.values()).kind != "linear"
            charts.append(StudyChart(name, own, log, marks))
    looks = dict(zip(results.policies, policy_looks(results.policies), strict=True))
    return StudyCharts(results, tuple(charts), _ranking(results, curves), looks)


def _ranking(results: StudyResults, curves: Sequence[Curve]) -> Ranking | None:
    means = {one.policy: one for one in curves if one.quantity == RANKED}
    if not means:
        return None
    differences = {
        one.policy: one for one in curves_of(results.differences) if one.quantity == RANKED
    }
    rows = []
    for policy, curve in means.items():
        mean, paired = float(curve.mean[-1]), differences.get(policy)
        if paired is None:
            rows.append(Rank(policy, mean))
            continue
        gap, low, high = (float(one[-1]) for one in (paired.mean, paired.low, paired.high))
        rows.append(Rank(policy, mean, gap, low, high, results.better.get(policy)))
    rows.sort(key=lambda one: one.mean)  # equal ones stay in the order of the study
    first = next(iter(means.values()))
    return Ranking(results.reference, tuple(rows), first.n, int(first.t[-1]))
