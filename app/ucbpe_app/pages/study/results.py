"""The results of a study on one problem, in words, and as tidy CSV."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_core.schedules import FiniteBeta
from ucbpe_core.study import summarise
from ucbpe_core.study.summarise import table_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.study import HyperparameterPlan, Result, Study


LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The means of one problem, and on request how they differ from those of one policy.

    Attributes
    ----------
    study, problem : what people call them
    words : of the settings
    policies : of the study, in order: they settle how each is drawn
    references : policies that the others can be compared with
    curves, statistics : tables of means over replicates
    differences : paired, policy minus reference; empty unless asked for
    failures : of the runs that failed, policy, replicate and reason
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

    @property
    def reference(self) -> str:
        """The policy that the others are compared with, "" for none."""
        return "" if self.differences.empty else str(self.differences["reference"].iloc[0])


def own_results(study: Study, results: Sequence[Result], reference: str = "") -> StudyResults:
    """What these results, of a study with one problem, say; nothing yet if there are none."""
    ordered = _in_order(study, results)
    finished = {one.policy for one in ordered if one.error is None}
    problem = study.problems[0].label
    policies = tuple(plan.label for plan in study.policies)
    curves = summarise.curves(ordered, LEVEL)
    differences = curves.head(0)
    if reference in finished:
        differences = summarise.differences(ordered, reference, LEVEL)
    return StudyResults(
        study.name,
        problem,
        words_of(study, problem),
        policies,
        tuple(name for name in policies if name in finished),
        curves,
        summarise.statistics(ordered, LEVEL),
        differences,
        tuple(
            f"{one.policy}, replicate {one.replicate}: {one.error.splitlines()[0]}"
            for one in ordered
            if one.error is not None
        ),
    )


def _in_order(study: Study, results: Sequence[Result]) -> list[Result]:
    """Policies in the study's order: results come in any."""
    rank = {plan.label: place for place, plan in enumerate(study.policies)}
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
