"""The results of a study on one problem: what is drawn, the ranking, and tidy CSV. Pure data."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ucbpe_app.pictures.looks import PolicyLook, policy_looks
from ucbpe_app.run.sentences import number
from ucbpe_app.study.records import Means, curves_of, statistics_of
from ucbpe_core.study import summarise
from ucbpe_core.study.summarise import QUANTITIES, table_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ucbpe_app.study.records import Curve
    from ucbpe_core.study import Result, Study


LEVEL = 0.95
RANKED = "running_minimum"  # by which policies are ranked, at the end of the study


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
    t : the last batch, or the last time at which every policy has a mean
    over_time : whether t is time
    """

    reference: str
    rows: tuple[Rank, ...]
    replicates: int
    t: float
    over_time: bool = False

    @property
    def where(self) -> str:
        """As "after batch 9"."""
        return f"at time {number(self.t)}" if self.over_time else f"after batch {self.t}"

    @property
    def others(self) -> tuple[Rank, ...]:
        """All but the reference."""
        return tuple(row for row in self.rows if row.policy != self.reference)


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The means of one problem over the complete replicates, and how they differ.

    A replicate is complete that every policy has finished: so all are compared on the same ones.
    Without one there are no charts and no ranking.

    Attributes
    ----------
    study, problem : what people call them
    policies : of the study, in order: they settle how each is drawn
    references : policies that the others can be compared with
    curves, statistics : tables of means over replicates
    differences : paired, policy minus reference
    mixed : whether policies differ in how many batches they make, so that only times compare
    failures : of the runs that failed, policy, replicate and reason
    better : by policy, the replicates in which its best regret is below that of the reference
    """

    study: str
    problem: str
    policies: tuple[str, ...]
    references: tuple[str, ...]
    curves: pd.DataFrame
    statistics: pd.DataFrame
    differences: pd.DataFrame
    mixed: bool = False
    failures: tuple[str, ...] = ()
    better: Mapping[str, int] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The policy that the others are compared with."""
        if self.differences.empty:
            return next(iter(self.references), "")
        return str(self.differences["reference"].iloc[0])

    @property
    def over_time(self) -> bool:
        """Whether the means are against time."""
        return "time" in self.curves

    @cached_property
    def looks(self) -> Mapping[str, PolicyLook]:
        """How each policy is drawn."""
        return dict(zip(self.policies, policy_looks(self.policies), strict=True))

    @cached_property
    def charts(self) -> tuple[Means, ...]:
        """A chart for each quantity that there are means of."""
        marks = {
            row.policy: row.mean
            for row in statistics_of(self.statistics)
            if row.statistic == "initialization" and row.mean > 0
        }
        curves = (_of(self.curves, name) for name in QUANTITIES)
        return tuple(Means.of(own.values(), marks) for own in curves if own)

    @cached_property
    def ranking(self) -> Ranking | None:
        """The policies by the mean of their best regret."""
        means, differences = _of(self.curves, RANKED), _of(self.differences, RANKED)
        if not means:
            return None
        first, end = next(iter(means.values())), common_end(means.values())
        rows = []
        for policy, curve in means.items():
            mean, paired = float(curve.mean[curve.t <= end][-1]), differences.get(policy)
            if paired is None:
                rows.append(Rank(policy, mean))
                continue
            last = np.flatnonzero(paired.t <= end)[-1]
            gap, low, high = (float(y[last]) for y in (paired.mean, paired.low, paired.high))
            rows.append(Rank(policy, mean, gap, low, high, self.better.get(policy)))
        rows.sort(key=lambda row: row.mean)  # equal ones stay in the order of the study
        return Ranking(self.reference, tuple(rows), first.n, end, self.over_time)


def common_end(curves: Iterable[Curve]) -> float:
    """The last t, or time, that all curves have."""
    return min(curve.t[-1].item() for curve in curves)


def _of(table: pd.DataFrame, quantity: str) -> dict[str, Curve]:
    """The curves of a quantity by policy."""
    return {curve.policy: curve for curve in curves_of(table[table["quantity"] == quantity])}


def own_results(
    study: Study, results: Sequence[Result], reference: str = "", over_time: bool = False
) -> StudyResults:
    """What these results, of a study with one problem, say; nothing yet if there are none.

    The first policy is the reference unless another is named that there are results of. Where
    policies differ in how many batches they make, means are against time in any case.
    """
    problem = study.problems[0].label
    policies = tuple(plan.label for plan in study.policies)
    complete = complete_of(policies, results)
    references = tuple(dict.fromkeys(run.policy for run in complete))
    base = reference if reference in references else next(iter(references), "")
    mixed = len({len(run.simple) for run in complete}) > 1
    over_time |= mixed
    curves = summarise.curves(complete, LEVEL, over_time=over_time)
    end = common_end(_of(curves, RANKED).values()) if over_time and complete else np.inf
    best = {(run.policy, run.replicate): run.simple[run.times <= end].min() for run in complete}
    below = Counter(policy for (policy, i), least in best.items() if least < best[base, i])
    return StudyResults(
        study.name,
        problem,
        policies,
        references,
        curves,
        summarise.statistics(complete, LEVEL),
        summarise.differences(complete, base, LEVEL, over_time=over_time)
        if base
        else curves.head(0),
        mixed,
        tuple(
            f"{result.policy}, replicate {result.replicate}: {result.error.splitlines()[0]}"
            for result in _in_order(policies, results)
            if result.error is not None
        ),
        {policy: below[policy] for policy in references},
    )


def complete_of(policies: Sequence[str], results: Sequence[Result]) -> list[Result]:
    """The runs of the replicates that every policy has finished, in the order of the policies.

    A policy of which every run so far has failed is left out.
    """
    finished = Counter(result.policy for result in results if result.error is None)
    failed = Counter(result.policy for result in results if result.error is not None)
    needed = {policy for policy in policies if finished[policy] or not failed[policy]}
    runs = [result for result in results if result.error is None]
    counts = Counter(run.replicate for run in runs if run.policy in needed)
    return [run for run in _in_order(policies, runs) if counts[run.replicate] == len(needed)]


def _in_order(policies: Sequence[str], results: Sequence[Result]) -> list[Result]:
    """Policies in the study's order: results come in any."""
    rank = {policy: place for place, policy in enumerate(policies)}
    return sorted(results, key=lambda result: (rank[result.policy], result.replicate))


def curves_csv(results: StudyResults) -> bytes:
    """Every mean curve, then every difference that is shown: a row per t, or per time."""
    return _written(pd.concat([results.curves, results.differences]))


def statistics_csv(results: StudyResults) -> bytes:
    """The numbers of each policy, `STATISTIC_COLUMNS`, a row each."""
    return _written(results.statistics)


def file_name(results: StudyResults, what: str) -> str:
    """Letters and digits of study and problem, then what of it: section-5-himmelblau-curves.csv."""
    words = unicodedata.normalize("NFKD", f"{results.study} {results.problem} {what}")
    plain = re.findall(r"[a-z0-9]+", words.encode("ascii", "ignore").decode().lower())
    return f"{'-'.join(plain)}.csv"


def _written(table: pd.DataFrame) -> bytes:
    return table_text(table).encode()
