"""What the table is made from: `parameters.toml`, read and turned into designs."""

from __future__ import annotations

import tomllib
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import qmc

from tools.tsunami.grid import Resolution
from tools.tsunami.scene import Design

FILE = Path(__file__).with_name("parameters.toml")


@dataclass(frozen=True)
class Parameters:
    """A sample of designs, and the grids to simulate them on.

    Attributes
    ----------
    count, seed : of the scrambled Sobol points
    lowest, highest : corners of the box
    resolution : of the grids
    """

    count: int
    seed: int
    lowest: Design
    highest: Design
    resolution: Resolution

    @classmethod
    def read(cls, path: Path = FILE) -> Parameters:
        """The parameters in a file like `parameters.toml`."""
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        designs = content["designs"]
        low, high = (
            Design(**{name: ends[side] for name, ends in designs["ranges"].items()})
            for side in (0, 1)
        )
        resolution = Resolution(**content["resolution"])
        return cls(designs["count"], designs["seed"], low, high, resolution)

    def designs(self) -> list[Design]:
        """Scrambled Sobol points of the box, even in all parameters but omega, even in its log.

        Rounded to six digits, as the table holds them: a row can be simulated from the table.
        """
        low, high = (np.array(astuple(corner)) for corner in (self.lowest, self.highest))
        low[-1], high[-1] = np.log(low[-1]), np.log(high[-1])
        unit = qmc.Sobol(len(low), rng=np.random.default_rng(self.seed)).random(self.count)
        points = low + unit * (high - low)
        points[:, -1] = np.exp(points[:, -1])
        return [Design(*(float(f"{value:.6g}") for value in point)) for point in points]
