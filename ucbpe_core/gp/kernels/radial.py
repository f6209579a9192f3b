"""Kernels of the scaled distance: RBF, Matérn of any smoothness nu > 0, rational quadratic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.support.validation import positive, set_checked

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

# The recurrence takes nu steps; a thousand of them is a millisecond per thousand distances.
_LARGEST_NU = 1000.0
# Up to this order and from this distance on, s^nu K_nu(s) is a product of normal numbers.
_DIRECT_NU, _DIRECT_S = 20.0, 1e-3

# From here on every b_nu is 0 in double precision, and s^nu is still far from an overflow.
_FARTHEST_S = 1e5

# SciPy sums a power series for K_nu(s) up to s = 2, where its terms cancel: of 25,000 values with
# nu from 0.02 to 50 the largest error against 40 digits was 325 units, at nu = 0.848, s = 2.
_CLOSED, _BESSEL_UNITS = (0.5, 1.5, 2.5), 512.0


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

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        square = r**2
        profile = np.exp(-square / 2)
        return profile, square * profile


@dataclass(frozen=True)
class Matern(Stationary):
    """k(x, z) = variance * b_nu(sqrt(2 nu) r), with b_nu(s) = 2^(1-nu) / Gamma(nu) s^nu K_nu(s).

    K_nu is the modified Bessel function of the second kind; b_nu(0) = 1. The closed forms are
    the special cases b_1/2 = exp(-s), b_3/2 = (1 + s) exp(-s), b_5/2 = (1 + s + s^2/3) exp(-s).

    Parameters
    ----------
    lengthscale : positive float, or one per dimension
    variance : positive float
    nu : float in (0, 1000], by keyword only
        Smoothness: draws are differentiable ceil(nu) - 1 times. It is not fitted.
        Beyond 1000 use `RBF`, the limit of large nu.

    Raises
    ------
    InputError
        For nu outside (0, 1000], or a lengthscale or variance that is not positive and finite.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eq. (4.14).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Matern
    >>> kernel = Matern(lengthscale=(20.0, 5.0), variance=4.0, nu=2.5)
    >>> kernel.gram(np.array([[0.0, 0.0], [20.0, 5.0]])).round(3)
    array([[4.   , 1.269],
           [1.269, 4.   ]])
    """

    nu: float = field(default=1.5, kw_only=True, metadata={"fitted": False})

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, nu=positive)
        if self.nu > _LARGEST_NU:
            got = f"{self.nu:g}"
            raise InputError(f"nu of at most {_LARGEST_NU:g}", got, "use RBF, its limit")

    @property
    def rounding_units(self) -> float:
        return 0.0 if self.nu in _CLOSED else _BESSEL_UNITS

    def profile(self, r: Floats) -> Floats:
        return _correlation(self.nu, self._argument(r))

    def _argument(self, r: Floats) -> Floats:
        return np.minimum(np.sqrt(2 * self.nu) * r, _FARTHEST_S)

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        """The slope is 2^(1-nu) / Gamma(nu) s^(nu+1) K_(nu-1)(s), s = sqrt(2 nu) r."""
        nu, s = self.nu, self._argument(r)
        if nu <= 1:
            front = 2 ** (1 - nu) / scipy.special.gamma(nu)
            slope = lambda s: front * s ** (nu + 1) * scipy.special.kv(1 - nu, s)  # noqa: E731
            return _correlation(nu, s), _at_zero(slope, s, limit=0.0)
        if _climbs(nu):
            before, profile = _correlations(nu, s)
        else:
            before, profile = _correlation(nu - 1, s), _correlation(nu, s)
        return profile, s**2 * before / (2 * (nu - 1))


@dataclass(frozen=True)
class RationalQuadratic(Stationary):
    """k(x, z) = variance * (1 + r^2 / (2 alpha))^(-alpha), r = ||(x - z) / lengthscale||.

    A mixture of RBF kernels of many lengthscales, the more alike the larger alpha.

    Parameters
    ----------
    lengthscale : positive float, or one per dimension
    variance : positive float
    alpha : positive float, by keyword only

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eq. (4.19).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import RationalQuadratic
    >>> RationalQuadratic(alpha=0.5).gram(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """

    alpha: float = field(default=1.0, kw_only=True)

    def profile(self, r: Floats) -> Floats:
        return np.exp(-self.alpha * np.log1p(self._square(r)))

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        profile = self.profile(r)
        return profile, r**2 / (1 + self._square(r)) * profile

    def _square(self, r: Floats) -> Floats:
        with np.errstate(over="ignore"):  # of a correlation that is 0
            return r**2 / (2 * self.alpha)


def _climbs(nu: float) -> bool:
    """Whether b_nu is computed by recurrence: from a closed form, or to avoid an overflow."""
    return nu <= 1 or 2 * nu == round(2 * nu) or nu > _DIRECT_NU


def _correlation(nu: float, s: Floats) -> Floats:
    """b_nu(s), by one call of K_nu unless there is a closed form or it could overflow."""
    if _climbs(nu):
        return _correlations(nu, s)[1]
    result = _by_definition(nu, np.maximum(s, _DIRECT_S))
    small = s < _DIRECT_S
    if small.any():
        result[small] = _correlations(nu, s[small])[1]
    return result


def _correlations(nu: float, s: Floats) -> tuple[Floats, Floats]:
    """b_(nu-1)(s), for nu > 1, and b_nu(s), by recurrence from an order f in (0, 1]:
    b_(f+1) = b_f + s^2 b_(f-1) / (4 f (f-1)).

    That is the Bessel recurrence K_(f+1) = K_(f-1) + (2 f / s) K_f for the normalised b: every
    term is positive, so it neither cancels nor overflows, whatever nu and however small s.
    """
    steps = math.ceil(nu) - 1
    order = nu - steps
    lower, upper = _starting_pair(order, s)
    for f in (order + step for step in range(1, steps)):
        lower, upper = upper, upper + s**2 * lower / (4 * f * (f - 1))
    return lower, upper if steps else lower


def _starting_pair(f: float, s: Floats) -> tuple[Floats, Floats]:
    """b_f and b_(f+1) for f in (0, 1]."""
    if f == 0.5:
        decay = np.exp(-s)
        return decay, (1 + s) * decay
    if f == 1.0:
        first = _at_zero(lambda s: s * scipy.special.k1(s), s, limit=1.0)
        return first, first + _at_zero(lambda s: s**2 * scipy.special.k0(s) / 2, s, limit=0.0)
    return _by_definition(f, s), _by_definition(f + 1, s)


def _by_definition(f: float, s: Floats) -> Floats:
    front = 2 ** (1 - f) / scipy.special.gamma(f)
    return _at_zero(lambda s: front * s**f * scipy.special.kv(f, s), s, limit=1.0)


def _at_zero(function: Callable[[Floats], Floats], s: Floats, *, limit: float) -> Floats:
    """`function(s)`, with its limit where s = 0 makes it an indefinite 0 * inf."""
    # 1e-150 squared is still a normal number, and K of it is finite for every order below 2.
    result = function(np.maximum(s, 1e-150))
    return np.where(s > 0, result, limit)
