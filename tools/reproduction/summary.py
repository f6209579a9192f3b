"""The summary of a reproduced study: small enough to keep, and all that its tables need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from tools.reproduction import claims, paper
from ucbpe_app.study.records import COMPARED, Curve, Statistic, curves_of, statistics_of
from ucbpe_core.study.summarise import (
    STATISTIC_COLUMNS,
    curves,
    differences,
    read_table,
    statistics,
    write_table,
)

if TYPE_CHECKING:
    from ucbpe_core.study.store import Store
    from ucbpe_core.study.task import Result

# The summaries that are kept: a folder for each study of `paper.STUDIES`.
RESULTS = Path(__file__).with_name("results")
_DIGITS = 5  # of what is kept: more than any interval here is worth
# What is kept of the curves; the other quantities follow from these or say less.
_KEPT = ("simple_regret", "running_minimum", "batch_cumulative_regret")
_TABLES = ("curves", "differences", "statistics", "notes")
# Problem, and batches after which the paper sees GP-BUCB's initialisation end on it.
ENDS = {"Gaussian mixture": 34, "Abalone": 55}


@dataclass(frozen=True, eq=False)
class Summary:
    """Tables of one study: means, paired differences, numbers, and `notes`, those of its claims."""

    curves: pd.DataFrame
    differences: pd.DataFrame
    statistics: pd.DataFrame
    notes: pd.DataFrame

    def statistic(self, name: str, problem: str, policy: str) -> Statistic:
        """The number `name` of one cell."""
        return self._statistics[name, problem, policy]

    def curve(self, quantity: str, problem: str, policy: str) -> Curve:
        """The mean curve of one cell."""
        return self._curves[quantity, problem, policy]

    @cached_property
    def _statistics(self) -> dict[tuple[str, str, str], Statistic]:
        records = (*statistics_of(self.statistics), *statistics_of(self.notes))
        return {(one.statistic, one.problem, one.policy): one for one in records}

    @cached_property
    def _curves(self) -> dict[tuple[str, str, str], Curve]:
        return {(one.quantity, one.problem, one.policy): one for one in curves_of(self.curves)}

    @property
    def problems(self) -> list[str]:
        return list(self.statistics["problem"].unique())

    @property
    def policies(self) -> list[str]:
        return list(self.statistics["policy"].unique())


def summarise(name: str, store: Store) -> Summary:
    """What is kept of the study `name`, a key of `paper.STUDIES`."""
    study, results = store.study, store.planned()
    means, paired = curves(results), differences(results, study.policies[0].label)
    return Summary(
        curves=means[means["quantity"].isin(_KEPT)],
        differences=paired[paired["quantity"].isin(COMPARED)],
        statistics=statistics(results),
        notes=_notes(name, store, results),
    )


def write(summary: Summary, folder: Path) -> None:
    """Write the summary as four CSV files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _TABLES:
        write_table(folder / f"{name}.csv", getattr(summary, name), _DIGITS)


def read(folder: Path) -> Summary:
    """The summary that `write` wrote."""
    return Summary(*(read_table(folder / f"{name}.csv") for name in _TABLES))


def _notes(name: str, store: Store, results: list[Result]) -> pd.DataFrame:
    if name == "batch_size":
        sizes = dict(zip((f"K = {K}" for K in paper.BATCH_SIZES), paper.BATCH_SIZES, strict=True))
        return claims.batch_size_exponents(results, sizes)
    if name == "initialization":
        found = [
            claims.initialization_statistics(store.study, problem, batches, store.study.replicates)
            for problem, batches in ENDS.items()
        ]
        return pd.concat(found, ignore_index=True)
    if name in paper.EVERY_PICK:
        paired = claims.paired_regrets(results, store.study.policies[0].label)
        return pd.concat([paired, claims.shares_found(results)], ignore_index=True)
    return pd.DataFrame(columns=STATISTIC_COLUMNS)
