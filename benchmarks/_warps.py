"""Increasing functions of values y (n,) that are minimised, for a Gaussian process to be fitted to.

All are told the values so far and none keeps anything, so that each batch has a warp of its own.
None depends on the unit or the zero of y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, rankdata, yeojohnson, yeojohnson_normmax

from ucbpe_core import GaussianProcess
from ucbpe_core.gp.fitting import Warp as PowerWarp
from ucbpe_core.gp.fitting import fit_to_optimise, log_marginal_likelihood
from ucbpe_core.spaces import Space

_FLOOR = 0.01  # of the way from the least value to the median: below it a logarithm is linear
_OFFSET = 1.5  # Vizier's, of its logarithm
_ENOUGH = 24  # values
_SKEWED = (-2.0, 3.0)  # the powers that Yeo-Johnson may take


class Warped(NamedTuple):
    """The values z (n,), and log |dz/dy| over all of them, NaN where it is not needed."""

    z: np.ndarray
    log_jacobian: float


Warp = Callable[[np.ndarray], Warped]


def unwarped(y: np.ndarray) -> Warped:
    """z = y."""
    return Warped(y, 0.0)


def logarithm(y: np.ndarray) -> Warped:
    """z = log((y - min) / (median - min) + 0.01)."""
    least, unit = y.min(), float(np.median(y) - y.min())
    if unit <= 0:
        return unwarped(y)
    z = np.log((y - least) / unit + _FLOOR)
    return Warped(z, float(-z.sum() - len(y) * np.log(unit)))


def upper_half(y: np.ndarray) -> Warped:
    """y up to the median m; above it m + s log(1 + (y - m) / s), which has the same slope there.

    s^2 is the mean square of the better values about the median. What is near the least value keeps
    its shape, a quadratic valley above all, and the worst lose their weight.
    """
    median = float(np.median(y))
    scale = float(np.sqrt(((y[y <= median] - median) ** 2).mean()))
    if scale <= 0:
        return unwarped(y)
    above = np.log1p(np.maximum(y - median, 0) / scale)
    return Warped(np.where(y > median, median + scale * above, y), -float(above.sum()))


def yeo_johnson(y: np.ndarray) -> Warped:
    """Yeo and Johnson 2000, of standardised values, by maximum likelihood of independent ones."""
    mean, std = float(y.mean()), float(y.std())
    if std <= 0:
        return unwarped(y)
    u = (y - mean) / std
    power = float(np.clip(yeojohnson_normmax(u), *_SKEWED))
    slopes = (power - 1) * np.sign(u) * np.log1p(np.abs(u))
    return Warped(yeojohnson(u, power), float(slopes.sum() - len(y) * np.log(std)))


def late(y: np.ndarray) -> Warped:
    """`yeo_johnson` of 24 values or more, in five dimensions 4 (d + 1), else none."""
    return yeo_johnson(y) if len(y) >= _ENOUGH else unwarped(y)


def ours(y: np.ndarray) -> Warped:
    """`gp.fitting.Warp`: Yeo and Johnson's with a prior N(1, 1/4) of the power."""
    return Warped(PowerWarp.of(y)(y), np.nan)


def vizier(y: np.ndarray) -> Warped:
    """Google Vizier's: the worse half by ranks to half a normal distribution, then a logarithm.

    Song et al., arXiv:2408.11527, 2024, and output_warpers.py in google-vizier: values are
    maximised there. The spread of the better half about the median is that of the ranks.
    """
    up, median = -y, float(np.median(-y))
    if up.max() == up.min():
        return unwarped(y)
    distinct = np.unique(up)
    better = distinct[distinct >= median]
    spread = float(np.sqrt(((better - median) ** 2).mean()))
    spread = spread or float(np.sqrt(((distinct - median) ** 2).mean()))
    below = int(np.searchsorted(distinct, median))
    count = below + 0.5 * float(distinct[below] == median)
    quantiles = 0.5 * (rankdata(up, method="dense") - 0.5) / count
    worse = median + spread * norm.ppf(np.clip(quantiles, 1e-9, 0.5))
    up = np.where(up < median, worse, up)
    apart = (up.max() - up) / (up.max() - up.min())
    return Warped(np.log1p((_OFFSET - 1) * apart) / np.log(_OFFSET), np.nan)


def by_likelihood(X: np.ndarray, y: np.ndarray, space: Space, warps: Sequence[Warp]) -> Warped:
    """The warp under which values y at X (n, D) are likeliest, with the prior fitted to each.

    log p(y | X) = log N(z; mean, C) + log |dz/dy|, on the scale of y for all of them: a warped
    Gaussian process (Snelson et al. 2003). A warp has to be likelier than the first, which is none,
    by log(n) / 2, the price of a parameter (Schwarz 1978).
    """
    at = space.coordinates(X)
    price = 0.5 * float(np.log(len(y)))
    found = [warp(y) for warp in warps]
    heights = [evidence(at, one, space.domain) - price * (i > 0) for i, one in enumerate(found)]
    return found[int(np.argmax(heights))]


def fitted(X: np.ndarray, z: np.ndarray, domain: np.ndarray) -> GaussianProcess:
    """The fit that `minimize` would make of values z (n,)."""
    gp = GaussianProcess.from_data(X, z, domain=domain)
    return fit_to_optimise(gp, X, z, 0, domain)


def evidence(X: np.ndarray, warped: Warped, domain: np.ndarray) -> float:
    """log p(y | X), in nats, at the fit that `minimize` would make."""
    gp = fitted(X, warped.z, domain)
    return log_marginal_likelihood(gp, X, warped.z) + warped.log_jacobian
