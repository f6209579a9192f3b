"""What is drawn of a study: its charts, what stands below them, and the table. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ucbpe_app.report.records import comparisons, curves_of, statistics_of
from ucbpe_app.report.scales import caption, regret_scale
from ucbpe_app.run.sentences import number
from ucbpe_core.study.summarise import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ucbpe_app.pages.study.results import StudyResults
    from ucbpe_app.report.records import Curve, Statistic

# Columns of the table: one number of each replicate, or one that `comparisons` compares at the end.
MEANS = ("mean_simple_regret", "final_running_minimum", "mean_regret")
COMPARED = ("batch_cumulative_regret", "running_minimum")


class Axis(StrEnum):
    """How regrets are scaled. Sums and differences are linear unless a log axis is asked for."""

    AUTOMATIC = "automatic"  # log where means span two decades and are no sums
    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, eq=False)
class StudyChart:
    """One quantity against t.

    Attributes
    ----------
    quantity : key of `QUANTITIES`
    curves : by policy; those of differences have none of the reference
    log : whether the axis is logarithmic, with a place for zeros
    reference : whose differences these are, "" for means
    marks : by policy, the mean last batch of an initialisation, where one is
    """

    quantity: str
    curves: Mapping[str, Curve]
    log: bool
    reference: str
    marks: Mapping[str, float]


@dataclass(frozen=True)
class StudyRow:
    """A policy in the table: texts of its cells, and what to make of each ("" for nothing)."""

    policy: str
    cells: tuple[str, ...]
    verdicts: tuple[str, ...]
    replicates: int
    failed: int


@dataclass(frozen=True, eq=False)
class StudyCharts:
    """All that is on screen of a study.

    Attributes
    ----------
    results : what it is drawn from, for export
    policies : of the study, in order: they settle how each is drawn
    drawn : those with something to draw
    charts, caption : and what is said below them
    columns, rows : the table; columns are names in `MEANS` or `COMPARED`
    """

    results: StudyResults
    policies: tuple[str, ...]
    drawn: tuple[str, ...]
    charts: tuple[StudyChart, ...]
    caption: str
    columns: tuple[str, ...]
    rows: tuple[StudyRow, ...]


def paint(results: StudyResults, axis: Axis = Axis.AUTOMATIC) -> StudyCharts:
    """The picture of means, or of differences if the results has them."""
    means, differences = curves_of(results.curves), curves_of(results.differences)
    statistics, curves = statistics_of(results.statistics), differences or means
    marks = {} if results.reference else _initializations(statistics)
    quantities = [name for name in QUANTITIES if any(one.quantity == name for one in curves)]
    charts = tuple(_chart(name, curves, axis, results.reference, marks) for name in quantities)
    compared = bool(results.reference)
    return StudyCharts(
        results,
        results.policies,
        tuple(dict.fromkeys(one.policy for one in curves)),
        charts,
        _caption(means, differences, charts, marked=bool(marks)),
        COMPARED if compared else MEANS,
        _compared(means, differences, statistics) if compared else _means(statistics),
    )


def _chart(
    quantity: str, curves: Iterable[Curve], axis: Axis, reference: str, marks: Mapping[str, float]
) -> StudyChart:
    own = {one.policy: one for one in curves if one.quantity == quantity}
    log = axis is Axis.LOG
    if axis is Axis.AUTOMATIC and not reference:
        log = regret_scale(own.values()).kind != "linear"
    return StudyChart(quantity, own, log and not reference, reference, marks)


def _initializations(statistics: Iterable[Statistic]) -> dict[str, float]:
    return {
        one.policy: one.mean
        for one in statistics
        if one.statistic == "initialization" and one.mean > 0
    }


def _caption(
    means: Sequence[Curve],
    differences: Sequence[Curve],
    charts: Iterable[StudyChart],
    *,
    marked: bool,
) -> str:
    curves = differences or means
    if not curves:
        return ""
    said = caption(curves, (), marked=marked)
    if differences and len({len(one.t) for one in means}) > 1:
        said += " Policies with another T are compared over the iterations that both have."
    shown = [one for chart in charts if chart.log for one in chart.curves.values()]
    if any((one.mean <= 0).any() or (one.low <= 0).any() for one in shown):
        said += " On a log axis, 0 is shown separately, at the bottom."
    return said


def _means(statistics: Sequence[Statistic]) -> tuple[StudyRow, ...]:
    found: dict[str, dict[str, Statistic]] = {}
    for one in statistics:
        found.setdefault(one.policy, {})[one.statistic] = one
    rows = []
    for policy, numbers in found.items():
        cells = [numbers[name] for name in MEANS]
        texts = tuple(one.text for one in cells)
        rows.append(StudyRow(policy, texts, ("",) * len(cells), cells[0].n, cells[0].failed))
    return tuple(rows)


def _compared(
    means: Sequence[Curve], differences: Sequence[Curve], statistics: Sequence[Statistic]
) -> tuple[StudyRow, ...]:
    """The reference's own means first, then the others' differences from them."""
    found = {(one.policy, one.statistic): one for one in comparisons(means, differences)}
    own = {one.statistic: number(one.base) for one in found.values()}
    reference = next(one for one in statistics if one.policy == differences[0].reference)
    texts, signs = tuple(own.get(name, "") for name in COMPARED), ("",) * len(COMPARED)
    rows = [StudyRow(reference.policy, texts, signs, reference.n, reference.failed)]
    for policy in dict.fromkeys(policy for policy, _ in found):
        cells = [found[policy, name] for name in COMPARED]
        texts, signs = tuple(one.text for one in cells), tuple(one.sign for one in cells)
        rows.append(StudyRow(policy, texts, signs, cells[0].n, cells[0].failed))
    return tuple(rows)
