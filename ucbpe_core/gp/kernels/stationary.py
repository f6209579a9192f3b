"""Kernels of the differences of points: of the scaled distance r only, and periodic ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.gp.kernels.base import Kernel
from ucbpe_core.gp.kernels.parameters import STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
