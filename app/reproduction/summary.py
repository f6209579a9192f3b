"""The summary of a reproduced study: small enough to keep, and all that its tables need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.reproduction import claims, paper
from ucbpe_core.study.summarise import curves, differences, statistics
from ucbpe_core.study.tidy import (
    read_curves,
    read_statistics,
    write_curves,
    write_statistics,
)

if TYPE_CHECKING:
    from ucbpe_core.study.run import Result
    from ucbpe_core.study.store import Store
    from ucbpe_core.study.summarise import Curve, Statistic

# The summaries that come with this package: a folder for each study of `paper.STUDIES`.
RESULTS = Path(__file__).with_name("results")
_DIGITS = 5  # of what is kept: more than any interval here is worth
# What is kept of the curves; the rest of a report's quantities follow from these or say less.
_KEPT = frozenset({"simple_regret", "running_minimum", "batch_cumulative_regret"})
# Problem, and batches after which the paper sees GP-BUCB's initialisation end on it.
ENDS = {"Gaussian mixture": 34, "Abalone": 55}


@dataclass(frozen=True)
class Summary:
    """Means, paired differences and numbers of one study; `notes` are those of its claims."""

    curves: tuple[Curve, ...]
    differences: tuple[Curve, ...]
    statistics: tuple[Statistic, ...]
    notes: tuple[Statistic, ...]

    def statistic(self, name: str, problem: str, policy: str) -> Statistic:
        """The number `name` of one cell."""
        return next(
            one
            for one in (*self.statistics, *self.notes)
            if (one.statistic, one.problem, one.policy) == (name, problem, policy)
        )

    def curve(self, quantity: str, problem: str, policy: str) -> Curve:
        """The mean curve of one cell."""
        return next(
            one
            for one in self.curves
            if (one.quantity, one.problem, one.policy) == (quantity, problem, policy)
        )

    @property
    def problems(self) -> list[str]:
        return list(dict.fromkeys(one.problem for one in self.statistics))

    @property
    def policies(self) -> list[str]:
        return list(dict.fromkeys(one.policy for one in self.statistics))


def summarise(name: str, store: Store) -> Summary:
    """What is kept of the study `name`, a key of `paper.STUDIES`."""
    study, results = store.study, store.planned()
    reference = study.policies[0].label
    return Summary(
        curves=tuple(one for one in curves(results) if one.quantity in _KEPT),
        differences=tuple(
            one for one in differences(results, reference) if one.quantity in claims.COMPARED
        ),
        statistics=statistics(results),
        notes=_notes(name, store, results),
    )


def write(summary: Summary, folder: Path) -> None:
    """Write the summary as four CSV files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_curves(folder / "curves.csv", summary.curves, _DIGITS)
    write_curves(folder / "differences.csv", summary.differences, _DIGITS)
    write_statistics(folder / "statistics.csv", summary.statistics, _DIGITS)
    write_statistics(folder / "notes.csv", summary.notes, _DIGITS)


def read(folder: Path) -> Summary:
    """The summary that `write` wrote."""
    return Summary(
        read_curves(folder / "curves.csv"),
        read_curves(folder / "differences.csv"),
        read_statistics(folder / "statistics.csv"),
        read_statistics(folder / "notes.csv"),
    )


def _notes(name: str, store: Store, results: list[Result]) -> tuple[Statistic, ...]:
    if name == "batch_size":
        sizes = dict(zip((f"K = {K}" for K in paper.BATCH_SIZES), paper.BATCH_SIZES, strict=True))
        return claims.batch_size_exponents(results, sizes)
    if name == "initialization":
        return tuple(
            one
            for problem, batches in ENDS.items()
            for one in claims.initialization_statistics(
                store.study, problem, batches, store.study.replicates
            )
        )
    return ()
