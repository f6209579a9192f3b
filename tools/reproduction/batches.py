"""Regret against the number of batches, drawn from the summaries; a dot leads to its run.

The page's runs have other seeds than a study's, and on grids more candidates: the link opens the
same problem, policy, K, T and initial points. A K above what the page takes has no link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from tools.reproduction import paper
from ucbpe_app.line_styles import STYLE, pens
from ucbpe_app.links import Moment, encode, usual
from ucbpe_app.run.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes

    from tools.reproduction.summary import Summary
    from ucbpe_app.line_styles import LineStyle
    from ucbpe_app.report.records import Statistic

FILE = "few_batches.svg"
STUDIES = ("few_batches_4", "few_batches_100", "phases")
_SERVER = "http://localhost:5006/"
_LARGEST = int(Settings.param["batch_size"].bounds[1])
_APART = 1.12  # factor between the dots of two policies at one number of batches


def draw(summaries: Mapping[str, Summary], path: Path) -> None:
    """One panel for each problem: R_TK / (T K) with its interval, for each policy and T."""
    studies = {name: paper.STUDIES[name]() for name in STUDIES}
    policies = list(
        dict.fromkeys(one.label for study in studies.values() for one in study.policies)
    )
    looks, problems = pens(policies), summaries[STUDIES[0]].problems
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.5, 5.2), layout="constrained")
        panels = figure.subplots(2, -(-(len(problems) + 1) // 2)).ravel()
        for axes, problem in zip(panels, problems, strict=False):
            axes.set(title=problem, xscale="log", xlabel="batches")
            for name, study in studies.items():
                own = {
                    (one.label, policy.label) for one in study.problems for policy in study.policies
                }
                if name == "phases":  # its reference is in the study of 4 batches, too
                    own -= {(problem, paper.REFERENCE)}
                for at, policy in enumerate(policies):
                    if (problem, policy) in own:
                        x = study.batches * _APART ** (at - (len(policies) - 1) / 2)
                        found = summaries[name].statistic("mean_regret", problem, policy)
                        _dot(axes, x, found, looks[policy], study.batches)
            ticks = sorted({study.batches for study in studies.values()})
            axes.set_xticks(ticks, [str(T) for T in ticks])
            axes.set_xticks([], minor=True)
            axes.set_ylim(bottom=0)
        panels[0].set_ylabel("mean regret of all 1,000")
        handles, labels = panels[0].get_legend_handles_labels()
        legend = dict(zip(labels, handles, strict=True))
        panels[-1].legend(list(legend.values()), list(legend), loc="center")
        for axes in panels[len(problems) :]:
            axes.axis("off")
        figure.savefig(path, metadata={"Date": None})


def _dot(axes: Axes, x: float, found: Statistic, look: LineStyle, batches: int) -> None:
    """The mean of a cell, its interval, and the link."""
    axes.plot([x, x], [found.low, found.high], **look.line)
    dots = axes.scatter(
        [x], [found.mean], s=34, marker=look.marker, zorder=3, label=found.policy,
        facecolor=look.fill or look.color, edgecolor=look.color,
    )  # fmt: skip
    dots.set_urls([link(found.problem, found.policy, batches)])


def link(problem: str, policy: str, batches: int) -> str | None:
    """The address of such a run, on a server of one's own; None for a K that no page takes."""
    K, name = paper.EVALUATIONS // batches, dict(paper.TASKS)[problem]
    if K > _LARGEST:
        return None
    settings = replace(
        usual(name), policy=policy, batch_size=K, batches=batches, initial=paper.INITIAL
    )
    return f"{_SERVER}?{encode(Moment(settings))}"
