"""The figure of a study, for notebooks and the reproduction of the paper: charts and a caption."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from ucbpe_app.pictures.compared import COMPARED
from ucbpe_app.pictures.looks import PolicyLook, pens, policy_looks
from ucbpe_app.plots.chart import legend_above, page
from ucbpe_app.plots.prints import literal
from ucbpe_app.render.printed import draw_plot
from ucbpe_app.study.records import Means, drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from ucbpe_app.study.records import Curve, Statistic

TITLES = {
    "simple_regret": "Simple regret",
    "running_minimum": "Running minimum",
    "batch_cumulative_regret": "Batch cumulative regret",
    "full_cumulative_regret": "Full cumulative regret",
}
SYMBOLS = {
    "simple_regret": r"$r_t^K$",
    "running_minimum": r"$\min_{s \leq t}\, r_s^K$",
    "batch_cumulative_regret": r"$R_t^K$",
    "full_cumulative_regret": r"$R_{tK}$",
}
TIME = "time, in mean durations"
_OVERVIEW = ("simple_regret", "running_minimum")
_LEFT = 0.008  # of the width, where title and caption begin
_CAPTION_COLUMNS = 118  # characters of the caption that fit across


@dataclass(frozen=True)
class Key:
    """What all charts of a study share.

    Attributes
    ----------
    looks : of the policies, in the order of the study
    x_label : of the iterations; of time it is `TIME`
    initialization : by problem and policy, the mean last batch of an initialisation, where one is
    """

    looks: Mapping[str, PolicyLook]
    x_label: str
    initialization: Mapping[tuple[str, str], float]

    @classmethod
    def of(
        cls, policies: Sequence[str], statistics: Sequence[Statistic], batch_size: int | None
    ) -> Key:
        """That of a study; `batch_size` is K, if all runs have the same."""
        initialization = {
            (statistic.problem, statistic.policy): statistic.mean
            for statistic in statistics
            if statistic.statistic == "initialization" and statistic.mean > 0
        }
        size = "" if batch_size is None else f" (batches of $K = {batch_size}$)"
        looks = dict(zip(policies, policy_looks(policies), strict=True))
        return cls(looks, f"iteration $t${size}", initialization)

    def means(self, curves: Sequence[Curve]) -> Means:
        """The chart of curves of one problem and quantity."""
        own = curves[0].problem
        marks = {
            policy: t for (problem, policy), t in self.initialization.items() if problem == own
        }
        return Means.of(curves, marks)


def study_figure(curves: Sequence[Curve], key: Key) -> Figure:
    """The curves of a study, within `plots.prints.style`.

    One quantity of one problem is one chart, the paired differences of a problem a chart for each
    quantity; else a row for each problem has its simple regret and its running minimum.
    """
    problem, reference = curves[0].problem, curves[0].reference
    quantities = list(dict.fromkeys(curve.quantity for curve in curves))
    problems = list(dict.fromkeys(curve.problem for curve in curves))
    if reference:
        charts = [(TITLES[quantity], _of(curves, quantity)) for quantity in quantities]
        figure = _charts(charts, key, 2, 1.2 + 2.3 * -(-len(charts) // 2))
        _head(figure, f"{problem}: difference from {reference}")
    elif len(quantities) == len(problems) == 1:
        figure = _charts([("", curves)], key, 1, 3.9)
        _head(figure, problem)
    else:
        charts = [
            (literal(problem) if quantity == _OVERVIEW[0] else "", _of(curves, quantity, problem))
            for problem in problems
            for quantity in _OVERVIEW
        ]
        figure = _charts(charts, key, 2, 1.6 * len(problems) + 1.6, above=True)
    return figure


def _of(curves: Sequence[Curve], quantity: str, problem: str = "") -> list[Curve]:
    return [one for one in curves if one.quantity == quantity and problem in ("", one.problem)]


def _charts(
    charts: Sequence[tuple[str, Sequence[Curve]]],
    key: Key,
    columns: int,
    height: float,
    *,
    above: bool = False,
) -> Figure:
    """Charts with titles in rows, the legend right of them or above, and a caption."""
    figure = page(height)
    grid = figure.subplots(-(-len(charts) // columns), columns, squeeze=False)
    shown: list[Curve] = []
    all_means: list[Means] = []
    for axes, (title, curves) in zip(grid.flat, charts, strict=False):
        means = key.means(curves)
        draw_plot(axes, drawn(means, key.looks).plots["compared"], COMPARED.plots["compared"])
        what = "difference of" if means.base else TITLES[means.quantity].lower()
        symbol = "" if above else f" {SYMBOLS[means.quantity]}"
        axes.set(ylabel=f"{what}{symbol}")
        axes.set_title(title, fontweight="bold" if above else "normal")
        shown += curves
        all_means.append(means)
    for axes in grid[-1]:
        axes.set_xlabel(TIME if shown[0].over_time else key.x_label)
    _legend(figure, shown, key, above=above)
    text = caption(shown, all_means)
    lines = "\n".join(textwrap.wrap(literal(text), _CAPTION_COLUMNS))
    figure.supxlabel(lines, x=_LEFT, ha="left", fontsize=8, color="#555555", linespacing=1.35)
    return figure


def _head(figure: Figure, text: str) -> None:
    figure.suptitle(literal(text), x=_LEFT, ha="left", fontsize=11.5, fontweight="bold")


def _legend(figure: Figure, curves: Sequence[Curve], key: Key, *, above: bool) -> None:
    """List the policies that are drawn, in the order of the study, right of the charts or above."""
    drawn = {curve.policy for curve in curves}
    handles = {
        literal(policy): Line2D(
            [], [], **look.line, marker=look.marker, ms=5, mfc=look.fill or look.color
        )
        for policy, look in pens(list(key.looks)).items()
        if policy in drawn
    }
    if above:
        legend_above(figure, handles)
    else:
        figure.legend(list(handles.values()), list(handles), loc="outside right upper")


def caption(curves: Sequence[Curve], charts: Iterable[Means]) -> str:
    """What is drawn in these charts, of how many replicates, and what was left out."""
    charts = tuple(charts)
    reference = curves[0].reference
    numbers = sorted({curve.n for curve in curves})
    replicates = f"{numbers[0]} replicate{'s' if numbers[0] > 1 else ''}"
    if len(numbers) > 1:
        replicates = f"{numbers[0]} to {numbers[-1]} replicates"
    sentences = [f"Mean of {replicates}{_bands(curves)}."]
    if reference:
        sentences = [
            f"Paired differences, policy minus {reference} within each replicate: "
            f"above 0 {reference} has the lower regret.",
            *sentences,
        ]
    sentences += _failures(curves)
    if any(chart.marks.keys() & chart.curves.keys() for chart in charts):
        sentences.append("Ring: mean last batch of the initialisation.")
    return " ".join(sentences)


def _bands(curves: Sequence[Curve]) -> str:
    single = [curve for curve in curves if curve.n == 1]
    if len(single) == len(curves):
        return ", which gives no interval"
    percent = f"{100 * curves[0].level:g} %"
    exception = "; one replicate gives none" if single else ""
    return f" with pointwise {percent} Student t intervals{exception}"


def _failures(curves: Sequence[Curve]) -> list[str]:
    problems = {curve.problem for curve in curves}
    counts = {(curve.problem, curve.policy): curve.failed for curve in curves if curve.failed}
    if not counts:
        return []
    text = ", ".join(
        f"{policy}{f' on {problem}' if len(problems) > 1 else ''} {failed}"
        for (problem, policy), failed in counts.items()
    )
    return [f"Failed replicates, left out: {text}."]
