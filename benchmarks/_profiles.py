"""The data profiles of `docs/optimisers.md`: the share of targets reached after some evaluations.

A target is a problem, a seed and a share t of a gap, and is reached once the gap to the least value
is at most t times that of random points after a quarter of the evaluations: Moré and Wild,
Benchmarking derivative-free optimization algorithms, 2009, with the least value that is known. The
t are 16, from 0.56 to 10^-4, evenly spaced by their logarithms. Run by
``python -m benchmarks._profiles``, which draws the stores of `public`, `tables` and `challenge`,
where methods have seeds enough for a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from benchmarks import _scores, _wins, tables
from benchmarks._regrets import OURS
from benchmarks._rows import read

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parents[1] / "docs" / "optimisers.svg"
TARGETS = 10.0 ** np.linspace(-0.25, -4, 16)
# Okabe and Ito's, as everywhere; a method has the same in all panels.
COLOURS = {
    OURS: "#0072b2",
    "Optuna GPSampler": "#d55e00",
    "Optuna TPE": "#e69f00",
    "Vizier UCB-PE": "#009e73",
    "GP-UCB-PE, beta = 4": "#cc79a7",
    "Randomized believer": "#56b4e9",
    "BoTorch qLogEI": "#555555",
    "Random": "#999999",
}
COLUMNS = 3
ALIKE = {"Sobol": "Random"}  # points that depend on no value


class Panel(NamedTuple):
    """Gaps relative to those of random points, by method: (problems x seeds, marks)."""

    title: str
    evaluations: tuple[int, ...]
    gaps: Mapping[str, np.ndarray]


def shares(gaps: np.ndarray) -> np.ndarray:
    """Of targets reached at each mark (marks,), of relative gaps (n, marks)."""
    return (gaps[..., None] <= TARGETS).mean(axis=(0, 2))


def of_functions(functions: Mapping[Any, _wins.Gaps], random: str) -> dict[str, np.ndarray]:
    """Gaps of all functions, seed by seed, relative to those of `random` at the first mark."""
    found = defaultdict(list)
    for methods in functions.values():
        unit = np.maximum(methods[random][:, :1], _wins.ROUNDING)
        for name, gaps in methods.items():
            found[ALIKE.get(name, name)].append(np.where(gaps <= _wins.ROUNDING, 0.0, gaps / unit))
    every = len(functions)
    return {name: np.concatenate(parts) for name, parts in found.items() if len(parts) == every}


def panels() -> list[Panel]:
    """One for each batch size of `public`, then the tables, then the challenge."""
    rows = [row for row in read(RESULTS / "public.jsonl") if row["suite"] == "bbob"]
    found = [
        Panel(f"bbob in 5 dimensions, K = {K}", _wins.MARKS, of_functions(functions, "Sobol"))
        for K, functions in _wins.gathered(_wins.often(rows)).items()
    ]
    lists = _wins.gathered(_wins.often(read(RESULTS / "tables.jsonl"))).get(tables.K, {})
    if lists:
        title = f"{len(lists)} tables, K = {tables.K}"
        found.append(Panel(title, tables.MARKS, of_functions(lists, "Random")))
    random = read(_scores.RANDOM)
    losses = _scores.losses_of(read(RESULTS / "challenge.jsonl"), random)
    if losses.of_runs.shape[2] < _wins.ENOUGH:
        return found
    shape = -1, len(_scores.MARKS)
    gaps = {n: own.reshape(shape) for n, own in zip(losses.methods, losses.of_runs, strict=True)}
    quarter = len(_scores.MARKS) // 4 - 1
    unit = losses.of_random[:, quarter].repeat(losses.of_runs.shape[2])[:, None]
    gaps = {name: own / unit for name, own in gaps.items()}
    return [*found, Panel("16 batches of 8 of NeurIPS 2020", _scores.MARKS, gaps)]


def drawn(found: list[Panel]) -> None:
    """The picture, three panels a row, and one legend for all where a row has room, or below."""
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ucbpe", "font.size": 9})
    columns = min(len(found), COLUMNS)
    rows = -(-len(found) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(3.4 * columns, 3.0 * rows), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    top = max(shares(gaps).max() for panel in found for gaps in panel.gaps.values())
    for axis, panel in zip(axes.flat, found, strict=False):
        for name in sorted(panel.gaps, key=lambda name: name == OURS):
            width = 2.4 if name == OURS else 1.2
            axis.plot(
                panel.evaluations, shares(panel.gaps[name]), color=COLOURS[name], lw=width,
                marker="o", ms=3, label=name,
            )  # fmt: skip
        axis.set_title(panel.title, fontsize=9, loc="left")
        axis.set_xlabel("evaluations")
        axis.set_ylim(0, 1.1 * top)
        quarter = len(panel.evaluations) // 4
        axis.set_xticks(panel.evaluations[quarter - 1 :: quarter])
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#dddddd", lw=0.6)
    for row in axes:
        row[0].set_ylabel("share of targets reached")
    handles = {h.get_label(): h for axis in figure.axes for h in axis.get_lines()}
    names = [name for name in COLOURS if name in handles]
    free = axes.flat[len(found) :]
    for axis in free:
        axis.set_axis_off()
    lines = [handles[name] for name in names]
    if len(free):
        free[0].legend(lines, names, loc="center", frameon=False)
    else:
        figure.legend(lines, names, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    drawn(panels())
