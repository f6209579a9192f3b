"""All figures of a report, drawn and saved under names that say what they show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.line_styles import pens
from ucbpe_app.plots.picture import style
from ucbpe_app.report.figures import Key, curve_figure, difference_figure, overview_figure, save
from ucbpe_core.study.summarise import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from ucbpe_app.report.records import Curve, Statistic


@dataclass(frozen=True)
class Drawing:
    """A saved figure: whose problem ("" for all of them), what of it, and the two files."""

    problem: str
    what: str
    svg: Path
    png: Path


def draw_all(
    folder: Path,
    policies: Sequence[str],
    curves: Sequence[Curve],
    differences: Sequence[Curve],
    statistics: Sequence[Statistic],
    *,
    batch_size: int | None,
) -> tuple[Drawing, ...]:
    """Draw and save every figure that there are curves for, the overview first.

    Parameters
    ----------
    policies : every label of the study, in order: they settle the pens
    batch_size : K, if all runs have the same
    """
    if not curves:
        return ()
    key = key_of(policies, statistics, batch_size)
    drawn = [draw_overview(folder, policies, curves, statistics, batch_size=batch_size)]
    with style():
        for problem, name in file_names(curve.problem for curve in curves).items():
            for what, figure in _figures(problem, curves, differences, key):
                file = f"{name}-{what.replace(' ', '-')}"
                drawn.append(Drawing(problem, what, *save(figure, folder, file)))
    return tuple(drawn)


def draw_overview(
    folder: Path,
    policies: Sequence[str],
    curves: Sequence[Curve],
    statistics: Sequence[Statistic],
    *,
    batch_size: int | None,
) -> Drawing:
    """Draw and save the one figure of all problems; parameters as in `draw_all`."""
    with style():
        figure = overview_figure(curves, key_of(policies, statistics, batch_size))
        return Drawing("", "overview", *save(figure, folder, "overview"))


def key_of(policies: Sequence[str], statistics: Sequence[Statistic], batch_size: int | None) -> Key:
    """What all charts of a study share."""
    initialization = {
        (one.problem, one.policy): one.mean
        for one in statistics
        if one.statistic == "initialization" and one.mean > 0
    }
    size = "" if batch_size is None else f" (batches of $K = {batch_size}$)"
    return Key(pens(policies), f"iteration $t${size}", initialization)


def _figures(
    problem: str, curves: Sequence[Curve], differences: Sequence[Curve], key: Key
) -> Iterator[tuple[str, Figure]]:
    """Yield what each figure of one problem shows, and the figure."""
    for quantity in QUANTITIES:
        members = [c for c in curves if (c.problem, c.quantity) == (problem, quantity)]
        yield quantity.replace("_", " "), curve_figure(members, key)
    paired = [curve for curve in differences if curve.problem == problem]
    if paired:
        yield "differences", difference_figure(paired, key)


def file_names(labels: Iterable[str]) -> dict[str, str]:
    """Return for each label its letters and digits, joined by dashes; no two the same."""
    names: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-") or "problem"
        name, taken = plain, 1
        while name in names.values():
            taken += 1
            name = f"{plain}-{taken}"
        names[label] = name
    return names
