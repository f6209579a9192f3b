"""The results of a study on one problem, in words, and as tidy CSV."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_core.schedules import FiniteBeta
from ucbpe_core.study import summarise
from ucbpe_core.study.summarise import table_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.study import HyperparameterPlan, Result, Study


LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The means of one problem over the complete replicates, and how they differ.

    A replicate is complete that every policy has finished: so all are compared on the same ones.

    Attributes
    ----------
    study, problem : what people call them
    words : of the settings
    policies : of the study, in order: they settle how each is drawn
    references : policies that the others can be compared with
    curves, statistics : tables of means over replicates
    differences : paired, policy minus reference
    failures : of the runs that failed, policy, replicate and reason
    better : by policy, the replicates in which its best regret is below that of the reference
    """

    study: str
    problem: str
    words: str
    policies: tuple[str, ...]
    references: tuple[str, ...]
    curves: pd.DataFrame
    statistics: pd.DataFrame
    differences: pd.DataFrame
    failures: tuple[str, ...] = ()
    better: Mapping[str, int] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The policy that the others are compared with."""
        if self.differences.empty:
            return next(iter(self.references), "")
        return str(self.differences["reference"].iloc[0])


def own_results(study: Study, results: Sequence[Result], reference: str = "") -> StudyResults:
    """What these results, of a study with one problem, say; nothing yet if there are none.

    The first policy is the reference unless another is named that there are results of.
    """
    problem = study.problems[0].label
    policies = tuple(plan.label for plan in study.policies)
    complete = complete_of(policies, results)
    references = tuple(dict.fromkeys(one.policy for one in complete))
    base = reference if reference in references else next(iter(references), "")
    curves = summarise.curves(complete, LEVEL)
    best = {(one.policy, one.replicate): one.simple.min() for one in complete}
    below = Counter(policy for (policy, i), least in best.items() if least < best[base, i])
    return StudyResults(
        study.name,
        problem,
        words_of(study, problem),
        policies,
        references,
        curves,
        summarise.statistics(complete, LEVEL),
        summarise.differences(complete, base, LEVEL) if base else curves.head(0),
        tuple(
            f"{one.policy}, replicate {one.replicate}: {one.error.splitlines()[0]}"
            for one in _in_order(policies, results)
            if one.error is not None
        ),
        {policy: below[policy] for policy in references},
    )


def complete_of(policies: Sequence[str], results: Sequence[Result]) -> list[Result]:
    """The runs of the replicates that every policy has finished, in the order of the policies.

    A policy of which every run so far has failed is left out.
    """
    finished = Counter(one.policy for one in results if one.error is None)
    failed = Counter(one.policy for one in results if one.error is not None)
    needed = {one for one in policies if finished[one] or not failed[one]}
    runs = [one for one in results if one.error is None]
    there = Counter(one.replicate for one in runs if one.policy in needed)
    return [one for one in _in_order(policies, runs) if there[one.replicate] == len(needed)]


def _in_order(policies: Sequence[str], results: Sequence[Result]) -> list[Result]:
    """Policies in the study's order: results come in any."""
    rank = {policy: place for place, policy in enumerate(policies)}
    return sorted(results, key=lambda one: (rank[one.policy], one.replicate))


def words_of(study: Study, problem: str) -> str:
    """One line of what a study does on one of its problems."""
    batches = sorted({plan.batches or study.batches for plan in study.policies})
    sizes = sorted({plan.build(study.batch_size, seed=0).batch_size for plan in study.policies})
    return ", ".join(
        [
            f"K = {_several(sizes)}",
            f"T = {_several(batches)}",
            _counted(study.initial, "initial point"),
            _counted(study.replicates, "replicate"),
            f"seed {study.seed}",
            _of_beta(study.beta),
            _of_prior(study.problem(problem).hyperparameters),
        ]
    )


def _several(numbers: list[int]) -> str:
    return " or ".join(map(str, numbers)) if len(numbers) < 3 else f"{numbers[0]} to {numbers[-1]}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _of_beta(beta: BetaSchedule) -> str:
    delta = f", δ = {beta.delta:g}" if isinstance(beta, FiniteBeta) else ""
    return f"β × {beta.scale:g}{delta}"


def _of_prior(how: HyperparameterPlan) -> str:
    if how.method == "suggested":
        return "the prior that the problem suggests"
    data = f"{how.points} random points" if how.points else "the initial points"
    return f"priors fitted to {data}"


def curves_csv(results: StudyResults) -> bytes:
    """Every mean curve, then every difference that is shown: `CURVE_COLUMNS`, a row per t."""
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
