"""Kernels of the differences of points: of the scaled distance r only, and periodic ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.gp.kernels.base import STEP, Kernel
from ucbpe_core.support.validation import positive, set_checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.support.validation import Floats


_FARTHEST = 1e150  # the square of a distance between such points does not overflow
# Between these, the squares of lengthscales and of distances neither overflow nor underflow.
_LEAST, _GREATEST = 1e-75, 1e75
_MOST_PERIODS = 1e10  # beyond that, rounding of the phase shows in the covariance


@dataclass(frozen=True)
class Stationary(Kernel):
    """k(x, z) = variance * profile(r), with r = ||(x - z) / lengthscale||.

    Parameters
    ----------
    lengthscale : positive float, or d of them (one per dimension)
        In the units of x.
    variance : positive float
        k(x, x), in squared units of y.

    Raises
    ------
    InputError
        For a parameter that is not positive and finite, or a lengthscale per dimension whose
        number differs from the dimension of the points.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import Stationary
    >>> class Spherical(Stationary):
    ...     def profile(self, r):
    ...         return np.where(r < 1, 1 - 1.5 * r + 0.5 * r**3, 0.0)
    >>> Spherical(lengthscale=2.0).gram(np.array([[0.0], [1.0], [2.0]])).round(3)
    array([[1.   , 0.312, 0.   ],
           [0.312, 1.   , 0.312],
           [0.   , 0.312, 1.   ]])
    """

    lengthscale: float | tuple[float, ...] = 1.0
    variance: float = 1.0

    stationary = True

    @abstractmethod
    def profile(self, r: Floats) -> Floats:
        """Correlation at scaled distance r >= 0; 1 at r = 0."""

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        """`profile(r)`, and -r d profile(r) / dr, which is at least 0 and 0 at r = 0.

        By default the slope comes from central differences.
        """
        change = self.profile(r * (1 - STEP)) - self.profile(r * (1 + STEP))
        return self.profile(r), change / (2 * STEP)

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        return self.variance * self.profile(self._distance(X, Z))

    def diagonal(self, X: Floats) -> Floats:
        for_each_input("lengthscale", self.lengthscale, X)
        return np.full(len(X), self._prior_variance)

    @cached_property
    def _prior_variance(self) -> float:
        return float((self.variance * self.profile(np.zeros(1)))[0])

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """By log lengthscale(s): variance * slope * (d_i / r)^2; by log variance: k.

        d_i is the scaled difference along dimension i; for one shared lengthscale the squared
        shares (d_i / r)^2 add up to 1. No matrix is held for any dimension: for symmetric P,
        sum_jk P_jk (x_ji - x_ki)^2 = 2 sum_j x_ji^2 (P 1)_j - 2 x_i'P x_i. Any other parameter of
        the profile: by central differences.
        """
        r = self._distance(X, X)
        profile, slope = self.profile_and_slope(r)

        def contract(weights: Floats) -> Floats:
            pull = weights * slope
            others = self.log_slopes(
                lambda k: float(np.vdot(weights, k.profile(r))), np.size(self.lengthscale) + 1
            )
            by_variance = np.append(np.vdot(weights, profile), others)
            if isinstance(self.lengthscale, float):
                return self.variance * np.append(pull.sum(), by_variance)
            pull /= np.where(r > 0, r, 1.0) ** 2
            # Only differences matter; centring X minimises the cancellation of the two terms.
            scaled = (X - X.sum(axis=0) / max(len(X), 1)) / np.asarray(self.lengthscale)
            across = np.einsum("nd,nd->d", scaled, pull @ scaled)
            by_lengthscale = 2 * (pull.sum(axis=1) @ scaled**2 - across)
            return self.variance * np.append(by_lengthscale, by_variance)

        return self.variance * profile, contract

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """dk/dz = variance * slope / r^2 * (x - z) / lengthscale^2."""
        lengthscale = np.broadcast_to(self.lengthscale, X.shape[1])
        r = self._distance(X, Z)
        # The slope is 0 where r is; elsewhere the square of r must not underflow.
        pull = weights * self.variance * self.profile_and_slope(r)[1] / np.maximum(r, 1e-150) ** 2
        # Differences first, as in the kernel itself: pull'X - sum(pull) z would cancel for small r.
        pairs = zip(X.T, Z.T, strict=True)
        slopes = [np.einsum("nm,nm->m", pull, x[:, None] - z[None, :]) for x, z in pairs]
        return np.stack(slopes, axis=1) / lengthscale**2

    def _distance(self, X: Floats, Z: Floats) -> Floats:
        """r of all pairs, shape (n, m), from differences of the coordinates as they are given.

        A quotient x / lengthscale is rounded to a share of x, which is far more than one of r where
        x is large, such as a time in seconds since 1970. Nothing cancels, unlike in
        |x|^2 + |z|^2 - 2 x.z, and each number depends only on its two points.
        """
        for_each_input("lengthscale", self.lengthscale, X)
        lengthscale, U, W = np.asarray(self.lengthscale), X, Z
        if lengthscale.min() < _LEAST or lengthscale.max() > _GREATEST:
            lengthscale, exponent = np.frexp(lengthscale)
            with np.errstate(over="ignore"):
                U, W = np.ldexp(X, -exponent), np.ldexp(Z, -exponent)  # every digit stays
        if lengthscale.size > 1:
            r = scipy.spatial.distance.cdist(U, W, "seuclidean", V=lengthscale**2)
        else:
            r = scipy.spatial.distance.cdist(U, W)
            r /= lengthscale
        if not r.max(initial=0.0) <= _FARTHEST:
            largest, least = max(np.abs(X).max(), np.abs(Z).max()), np.min(self.lengthscale)
            got = f"x up to {largest:.3g}, lengthscale {least:.3g}"
            wanted = f"x / lengthscale of at most {_FARTHEST:g} in size"
            raise IllConditionedError(wanted, got, "bring x to the scale of the lengthscale")
        return r


@dataclass(frozen=True)
class Periodic(Kernel):
    """k(x, z) = variance * prod_i exp(-2 sin^2(pi (x_i - z_i) / period_i) / lengthscale_i^2).

    In one dimension this is MacKay's kernel. Several inputs have a factor each: of the distance
    ||x - z|| instead, it would not be positive semi-definite. The likelihood has maxima at
    multiples and fractions of a period: where it is known roughly, fit it within bounds.

    Parameters
    ----------
    lengthscale : positive float, or d of them
        Without a unit: how fast f changes within a period, which is long at 1.
    period : positive float, or d of them
        In the units of x.
    variance : positive float
        k(x, x), in squared units of y.

    Raises
    ------
    InputError
        For a parameter that is not positive and finite, or a number of them that differs from the
        dimension of the points.
    IllConditionedError
        For points more than 1e10 periods apart.

    References
    ----------
    MacKay, Introduction to Gaussian Processes, 1998, eq. (47); Rasmussen and Williams 2006, eq.
    (4.31).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.gp.kernels import Periodic
    >>> Periodic(period=24.0).evaluate(np.array([[0.0]]), np.array([[12.0], [24.0]])).round(3)
    array([[0.135, 1.   ]])
    """

    lengthscale: float | tuple[float, ...] = field(default=1.0, metadata={"unit": ""})
    period: float | tuple[float, ...] = 1.0
    variance: float = 1.0

    stationary = True

    def evaluate(self, X: Floats, Z: Floats) -> Floats:
        lengthscales = for_each_input("lengthscale", self.lengthscale, X)
        total = np.zeros((len(X), len(Z)))
        with np.errstate(over="ignore"):  # the exponential is then 0
            for phase, lengthscale in zip(self._phases(X, Z), lengthscales, strict=True):
                total += (np.sin(phase) / lengthscale) ** 2
        return self.variance * np.exp(-2 * total)

    def weighted_gradient(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """dk/dz_i = k * 2 pi / (period_i lengthscale_i^2) * sin(2 pi (x_i - z_i) / period_i)."""
        lengthscales = for_each_input("lengthscale", self.lengthscale, X)
        pull = weights * self.evaluate(X, Z)
        slopes = [np.einsum("nm,nm->m", pull, np.sin(2 * phase)) for phase in self._phases(X, Z)]
        scaled = np.stack(slopes, axis=1) / lengthscales / lengthscales
        return 2 * np.pi * scaled / for_each_input("period", self.period, X)

    def _phases(self, X: Floats, Z: Floats) -> Iterator[Floats]:
        """pi (x - z) / period for each input, shape (n, m)."""
        for x, z, period in zip(X.T, Z.T, for_each_input("period", self.period, X), strict=True):
            periods = (x[:, None] - z) / period
            if not (most := np.abs(periods).max(initial=0.0)) <= _MOST_PERIODS:
                wanted = f"points at most {_MOST_PERIODS:g} periods apart"
                raise IllConditionedError(
                    wanted, f"{most:.3g}", "bring the period to the scale of x"
                )
            yield np.pi * periods


def for_each_input(name: str, given: float | tuple[float, ...], X: Floats) -> Floats:
    """A parameter for each column of X (n, d), shape (d,), from one for all or one for each."""
    if not isinstance(given, float) and len(given) != X.shape[1]:
        raise InputError(
            f"{X.shape[1]} {name}s, one per dimension",
            str(len(given)),
            f"give as many {name}s as the points have columns, or a single one",
        )
    return np.full(X.shape[1], given)


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
