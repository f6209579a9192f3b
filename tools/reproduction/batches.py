"""Regret against the number of batches, drawn from the summaries; a dot leads to its run.

The page's runs have other seeds than a study's, and on grids more candidates: the link opens the
same problem, policy, K, T and initial points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from tools.reproduction import few, paper
from ucbpe_app.links import Moment, encode, usual
from ucbpe_app.pictures.looks import STYLE, pens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes

    from tools.reproduction.summary import Summary
    from ucbpe_app.pictures.looks import LineStyle

FILE = "few_batches.svg"
_SERVER = "http://localhost:5006/"
_APART = 1.09  # factor between the dots of two rules at one number of batches


def draw(summaries: Mapping[str, Summary], path: Path) -> None:
    """One panel for each problem: R_TK / (T K) with its interval, for each rule and T."""
    cells = few.Cells(summaries)
    looks = pens(cells.rules)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.5, 6.0), layout="constrained")
        panels = figure.subplots(2, -(-len(cells.problems) // 2)).ravel()
        for axes, problem in zip(panels, cells.problems, strict=False):
            axes.set(title=problem, xscale="log", xlabel="batches")
            for at, rule in enumerate(cells.rules):
                _drawn(axes, cells, problem, rule, looks[rule], at - (len(cells.rules) - 1) / 2)
            axes.set_xticks(list(few.STUDIES), [str(T) for T in few.STUDIES])
            axes.set_xticks([], minor=True)
            axes.set_ylim(bottom=0)
        for axes in panels[:: len(panels) // 2]:
            axes.set_ylabel("mean regret of all 1,000")
        for axes in panels[len(cells.problems) :]:
            axes.axis("off")
        shown = {
            label: handle
            for axes in panels
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=4)
        figure.savefig(path, metadata={"Date": None})


def _drawn(
    axes: Axes, cells: few.Cells, problem: str, rule: str, look: LineStyle, place: float
) -> None:
    """The means of a rule on a problem, their intervals, and the links."""
    numbers = cells.numbers(problem, rule)
    if not numbers:
        return
    found = [cells.regret(problem, T, rule) for T in numbers]
    x, mean = [T * _APART**place for T in numbers], [one.mean for one in found]
    axes.plot(x, mean, **look.line, alpha=0.5)
    axes.vlines(x, [one.low for one in found], [one.high for one in found], color=look.color)
    dots = axes.scatter(
        x, mean, s=34, marker=look.marker, zorder=3, label=rule,
        facecolor=look.fill or look.color, edgecolor=look.color,
    )  # fmt: skip
    dots.set_urls([link(problem, rule, T) for T in numbers])


def link(problem: str, policy: str, batches: int) -> str | None:
    """The address of such a run, on a server of one's own; None where it needs data to be drawn."""
    if problem == paper.TASKS[-1][0]:
        return None
    settings = replace(
        usual(dict(paper.TASKS)[problem]), policy=policy, initial=paper.INITIAL,
        batch_size=paper.EVALUATIONS // batches, batches=batches,
    )  # fmt: skip
    return f"{_SERVER}?{encode(Moment(settings))}"
