"""The picture in the README: one scene, and how high the water climbs along its shore."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from tools.tsunami.scene import Design
from tools.tsunami.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tools.tsunami.grid import Resolution

FILE = Path(__file__).with_name("figure.png")
LONG = Design(island_slope=0.05, beach_slope=0.2, distance=0.0, depth=200.0, omega=0.005)
SHORT = replace(LONG, omega=0.04)
_ORANGE, _BLUE, _INK = "#b45309", "#0072b2", "#333333"
_KM = 1000.0
_SCENE = "The scene: tan slopes 0.05 and 0.2, depth 200 m,\nthe island's foot at the beach's"
_RUN_UP = "Highest ground that the water reaches, with the\nisland (line) and without it (dashes)"


def draw(resolution: Resolution, path: Path = FILE) -> None:
    """Simulate the scene with a long and a short wave, and draw it."""
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(9.0, 4.2), width_ratios=(1.15, 1), layout="constrained"
        )
        half_width = 1.25 * LONG.radius / _KM
        _bathymetry(left, half_width)
        # Wide enough for the whole shadow of the short wave.
        wide = replace(resolution, margin=4.0)
        for design, colour in ((LONG, _BLUE), (SHORT, _ORANGE)):
            _run_up(right, design, wide, colour)
        right.set(
            xlim=(-half_width, half_width),
            ylim=(0, 5.5),
            xticks=range(-6, 7, 2),
            xlabel="y along the shore (km)",
            ylabel="run-up (m)",
        )
        right.set_title(_RUN_UP, loc="left", fontsize=10)
        right.axvline(0, color="0.8", lw=0.8, zorder=0)
        figure.savefig(path, dpi=160)
        plt.close(figure)


def _bathymetry(axes: Axes, half_width: float) -> None:
    x = np.linspace(LONG.centre - 1.3 * LONG.radius, 0.8 * _KM, 500)
    y = np.linspace(-half_width, half_width, 400) * _KM
    bed = LONG.bed(x, y[:, None])
    water = axes.contourf(
        y / _KM, x / _KM, bed.T, levels=np.arange(-200, 1, 20), cmap="Blues_r", extend="neither"
    )
    axes.contourf(y / _KM, x / _KM, bed.T, levels=[0, 160], colors=["#e7dcc3"])
    axes.contour(y / _KM, x / _KM, bed.T, levels=[0], colors=_INK, linewidths=1)
    axes.figure.colorbar(
        water, ax=axes, label="ground (m above still water)", shrink=0.85, pad=0.03
    )
    axes.set_aspect("equal")
    axes.set(xlabel="y along the shore (km)", ylabel="x (km), shoreline at 0")
    axes.set_title(
        "The scene: tan slopes 0.05 and 0.2, depth 200 m,\nthe island's foot at the beach's",
        loc="left",
        fontsize=10,
    )
    start = (LONG.centre - 1.25 * LONG.radius) / _KM
    axes.annotate(
        "",
        (0, start + 1.6),
        (0, start),
        arrowprops={"arrowstyle": "-|>", "color": "white", "lw": 1.5},
    )
    axes.text(0.3, start + 0.3, "wave", color="white")
    axes.text(0, 0.4, "beach", ha="center", va="center", color=_INK, fontsize=8)


def _run_up(axes: Axes, design: Design, resolution: Resolution, colour: str) -> None:
    found = simulate(design, resolution)
    y = np.concatenate([-found.y[::-1], found.y]) / _KM
    shore = np.concatenate([found.shore[::-1], found.shore])
    axes.plot(y, shore, color=colour, lw=1.8)
    axes.axhline(found.lateral, color=colour, lw=1.2, ls=(0, (4, 3)))
    axes.annotate(
        f"ω = {design.omega:g} rad/s: {found.amplification:.2f}", (0, found.behind), (0, 5),
        textcoords="offset points", ha="center", color=colour,
    )  # fmt: skip
