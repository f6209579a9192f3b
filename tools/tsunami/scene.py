"""A conical island on a flat bottom in front of a plane beach, and the wave that comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tools.tsunami.kernel import GRAVITY

if TYPE_CHECKING:
    from tools.tsunami.kernel import Floats

CREST = 100.0  # m, of the island above still water
HEIGHT = 1.5  # m, of the wave
# Phase of the wave at time 0. The literature's 2.6 would let it begin with a step of 3 cm; at 5 it
# begins at 0.3 mm, and nothing else changes.
PHASE = 5.0


@dataclass(frozen=True)
class Design:
    """The five parameters. The wave is eta = 1.5 sech(omega t - 5)^2 m.

    The undisturbed shoreline is at x = 0, the land beyond it; the island stands at y = 0.

    Attributes
    ----------
    island_slope, beach_slope : tangents
    distance : from the foot of the island to the foot of the beach, m
    depth : of the flat bottom, m
    omega : of the wave, rad/s
    """

    island_slope: float
    beach_slope: float
    distance: float
    depth: float
    omega: float

    @property
    def speed(self) -> float:
        """sqrt(g depth), of a long wave over the flat bottom, m/s."""
        return float(np.sqrt(GRAVITY * self.depth))

    @property
    def reach(self) -> float:
        """speed / omega, the length scale of the wave, m."""
        return self.speed / self.omega

    @property
    def radius(self) -> float:
        """Of the island where it meets the flat bottom, m."""
        return (self.depth + CREST) / self.island_slope

    @property
    def toe(self) -> float:
        """x of the foot of the beach, m."""
        return -self.depth / self.beach_slope

    @property
    def centre(self) -> float:
        """x of the crest of the island, m."""
        return self.toe - self.distance - self.radius

    @property
    def start(self) -> float:
        """When the crest of the wave enters, s."""
        return PHASE / self.omega

    def climb(self, slope: float) -> float:
        """Seconds that a long wave takes from the flat bottom up a slope to the shoreline."""
        return float(2.0 * np.sqrt(self.depth / GRAVITY) / slope)

    def elevation(self, time: float) -> float:
        """Of the incoming wave, m."""
        return float(HEIGHT / np.cosh(self.omega * time - PHASE) ** 2)

    def coast(self, x: Floats) -> Floats:
        """Elevation of the ground without the island, m."""
        return np.where(x < self.toe, -self.depth, self.beach_slope * x)

    def bed(self, x: Floats, y: Floats) -> Floats:
        """Elevation of the ground, m."""
        away = np.hypot(x - self.centre, y)
        return self.coast(x) + np.maximum(0.0, self.radius - away) * self.island_slope
