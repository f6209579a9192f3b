"""Data for fits."""

from __future__ import annotations

import numpy as np

from tests.core.strategies import Floats
from ucbpe_core import (
    GaussianProcess,
)


def draw_data(gp: GaussianProcess, X: Floats, seed: int) -> Floats:
    """Noisy values of one draw of `gp`."""
    noise = np.random.default_rng([seed, 1]).standard_normal(len(X))
    return gp.sample(X, seed) + np.sqrt(gp.noise_variance) * noise
