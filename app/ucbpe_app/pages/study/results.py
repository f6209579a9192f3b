"""The results of a study on one problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.pages.study.plan import words_of
from ucbpe_core.study import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ucbpe_core.study import Result, Study


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
