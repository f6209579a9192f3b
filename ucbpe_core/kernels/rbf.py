"""The radial basis function, or squared exponential, kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.kernels.stationary import Stationary

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


@dataclass(frozen=True)
class RBF(Stationary):
    """k(x, z) = variance * exp(-r^2 / 2), r = ||(x - z) / lengthscale||.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import RBF
    >>> RBF(lengthscale=2.0, variance=4.0).gram(np.array([[0.0], [2.0]])).round(3)
    array([[4.   , 2.426],
           [2.426, 4.   ]])
    """

    def profile(self, r: Floats) -> Floats:
        return np.exp(-(r**2) / 2)

    def radial_slope(self, r: Floats) -> Floats:
        return r**2 * np.exp(-(r**2) / 2)

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        square = r**2
        profile = np.exp(-square / 2)
        return profile, square * profile
