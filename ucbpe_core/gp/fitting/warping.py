"""An increasing function of y, after which values of several decades look like those of a GP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from ucbpe_core.support.validation import all_equal, values, varied

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Floats

# A power of 1 is none. Turning y upside down turns a power p into 2 - p: bounds and prior are
# symmetric about 1, so that a minimum and a maximum are searched alike.
_POWERS = (-2.0, 4.0)
_SPREAD = 0.5  # of the prior: a few values do not settle a power


@dataclass(frozen=True)
class Warp:
    """z = m + s psi((y - m) / s), where psi is the power transformation of Yeo and Johnson.

    With p the power and u = (y - m) / s,

    - u >= 0: psi(u) = ((u + 1)^p - 1) / p, or log(u + 1) for p = 0;
    - u < 0: psi(u) = -((1 - u)^(2 - p) - 1) / (2 - p), or -log(1 - u) for p = 2.

    It increases, its slope at m is 1, and p = 1 is no change. z is in units of y, so that a prior
    of z has the scale of y.

    Attributes
    ----------
    power : p
    mean, std : m and s > 0, in units of y

    References
    ----------
    Yeo and Johnson, A new family of power transformations to improve normality or symmetry,
    Biometrika 87, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.fitting import Warp
    >>> y = np.array([0.1, 1.0, 10.0, 100.0, 1000.0])
    >>> warp = Warp.of(y)
    >>> round(warp.power, 1)
    0.4
    >>> bool(np.allclose(warp.inverse(warp(y)), y))
    True
    """

    power: float = 1.0
    mean: float = 0.0
    std: float = 1.0

    @classmethod
    def of(cls, y: ArrayLike) -> Self:
        """The warp of values y (n,): mean and std are theirs, and p is the likeliest a posteriori.

        The likelihood is that of independent normal z, the prior of p is N(1, 1/4), and p is from
        -2 to 4. Values that are equal but for rounding are not warped.

        Raises
        ------
        InputError
            For values that are not finite or not (n,), or that differ by too little or too much.
        """
        y = values(y, "y", np.size(y))
        if all_equal(y):
            return cls()
        mean, std = float(varied(y).mean()), float(y.std())
        u = (y - mean) / std
        from scipy.optimize import minimize_scalar  # they take long to import
        from scipy.stats import yeojohnson_llf

        def height(power: float) -> float:
            return float(0.5 * ((power - 1) / _SPREAD) ** 2 - yeojohnson_llf(power, u))

        return cls(float(minimize_scalar(height, bounds=_POWERS, method="bounded").x), mean, std)

    def __call__(self, y: ArrayLike) -> Floats:
        """z (n,) of values y (n,)."""
        u = (np.asarray(y, dtype=float) - self.mean) / self.std
        size = np.abs(u)
        z = np.where(u < 0, -_raised(size, 2 - self.power), _raised(size, self.power))
        return self.mean + self.std * z

    def inverse(self, z: ArrayLike) -> Floats:
        """y (n,) of z (n,): of a mean and of quantiles of z, the median and the quantiles of y.

        Infinite where z is beyond all values that psi has.
        """
        u = (np.asarray(z, dtype=float) - self.mean) / self.std
        size = np.abs(u)
        y = np.where(u < 0, -_root(size, 2 - self.power), _root(size, self.power))
        return self.mean + self.std * y


def _raised(size: Floats, power: float) -> Floats:
    """((size + 1)^p - 1) / p, to the last digits for small sizes."""
    log = np.log1p(size)
    return log if power == 0 else np.expm1(power * log) / power


def _root(size: Floats, power: float) -> Floats:
    """The inverse of `_raised`, infinite beyond its range."""
    if power == 0:
        return np.expm1(size)
    inside = np.maximum(power * size, -1.0)
    with np.errstate(divide="ignore"):
        return np.expm1(np.log1p(inside) / power)
