"""How far the amplification is from that on finer grids: a few designs on three grids each."""

from __future__ import annotations

import csv
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from tools.tsunami.simulate import simulate
from tools.tsunami.table import executor

if TYPE_CHECKING:
    from tools.tsunami.grid import Resolution
    from tools.tsunami.parameters import Parameters
    from tools.tsunami.scene import Design

FILE = Path(__file__).with_name("resolution.csv")
FACTORS = (0.5, 1.0, 2.0)  # finer than the table's grid
HEADER = (
    "island_slope",
    "beach_slope",
    "distance_m",
    "depth_m",
    "omega_rad_per_s",
    "amplification_half",
    "amplification_table",
    "amplification_double",
    "lateral_half_m",
    "lateral_table_m",
    "lateral_double_m",
)


def spanning(parameters: Parameters, count: int = 8) -> list[Design]:
    """Designs that span the box: the first Sobol points of another scrambling."""
    return replace(parameters, count=16, seed=parameters.seed + 1).designs()[:count]


def study(parameters: Parameters, *, scheduler: str | None, workers: int | None) -> None:
    """Simulate them on grids half as fine, as fine and twice as fine as the table's."""
    designs = spanning(parameters)
    with (
        executor(scheduler, workers) as pool,
        tqdm(total=len(designs) * len(FACTORS), unit="simulation") as bar,
    ):
        futures = [
            [pool.submit(found, design, parameters.resolution, factor) for factor in FACTORS]
            for design in designs
        ]
        rows = []
        for design, row in zip(designs, futures, strict=True):
            pairs = []
            for future in row:
                pairs.append(future.result())
                bar.update()
            rows.append([*astuple(design), *np.transpose(pairs).ravel()])
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([f"{value:.6g}" for value in row] for row in rows)


def found(design: Design, resolution: Resolution, factor: float) -> tuple[float, float]:
    """Amplification and lateral run-up on a grid finer by a factor."""
    run_up = simulate(design, resolution.finer(factor))
    return run_up.amplification, run_up.lateral


def differences(path: Path = FILE) -> tuple[np.ndarray, np.ndarray]:
    """Amplification less that on the finest grid: of the coarsest grid, and of the table's."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    half, table, double = rows[:, 5:8].T
    return half - double, table - double
