"""Kernels that depend only on the scaled distance r: k(x, z) = variance * profile(r)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.kernels.base import Kernel
from ucbpe_core.validation import positive, set_checked, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Floats

_FARTHEST = 1e150  # the square of a distance between such points does not overflow
# Between these, the squares of lengthscales and of distances neither overflow nor underflow.
_LEAST, _GREATEST = 1e-75, 1e75


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
    >>> from ucbpe_core.kernels import Stationary
    >>> class Spherical(Stationary):
    ...     def profile(self, r):
    ...         return np.where(r < 1, 1 - 1.5 * r + 0.5 * r**3, 0.0)
    ...     def radial_slope(self, r):
    ...         return np.where(r < 1, 1.5 * r - 1.5 * r**3, 0.0)
    >>> Spherical(lengthscale=2.0).gram(np.array([[0.0], [1.0], [2.0]])).round(3)
    array([[1.   , 0.312, 0.   ],
           [0.312, 1.   , 0.312],
           [0.   , 0.312, 1.   ]])
    """

    lengthscale: float | tuple[float, ...] = 1.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        if shape_of(self.lengthscale, "lengthscale") == ():
            lengthscale: float | tuple[float, ...] = positive(self.lengthscale, "lengthscale")  # type: ignore[arg-type]
        else:
            lengthscale = tuple(positive(one, "lengthscale") for one in np.ravel(self.lengthscale))
            if not lengthscale:
                raise InputError("at least one lengthscale", "none", "pass one per dimension")
        object.__setattr__(self, "lengthscale", lengthscale)
        set_checked(self, variance=positive)

    @abstractmethod
    def profile(self, r: Floats) -> Floats:
        """Correlation at scaled distance r >= 0; 1 at r = 0."""

    @abstractmethod
    def radial_slope(self, r: Floats) -> Floats:
        """-r d profile(r) / dr, which is at least 0 and vanishes at r = 0."""

    def profile_and_slope(self, r: Floats) -> tuple[Floats, Floats]:
        """`profile(r)` and `radial_slope(r)`; override it where one makes the other cheaper."""
        return self.profile(r), self.radial_slope(r)

    def cross(self, X: Floats, Z: Floats) -> Floats:
        return self.variance * self.profile(self._distance(X, Z))

    def diagonal(self, X: Floats) -> Floats:
        self._check_fits(X)
        return np.full(len(X), self.variance)

    def gram_and_contraction(self, X: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """By log lengthscale(s): variance * radial_slope(r) * (d_i / r)^2; by log variance: k.

        d_i is the scaled difference along dimension i; for one shared lengthscale the squared
        shares (d_i / r)^2 add up to 1. No matrix is held for any dimension: for symmetric P,
        sum_jk P_jk (x_ji - x_ki)^2 = 2 sum_j x_ji^2 (P 1)_j - 2 x_i'P x_i.
        """
        r = self._distance(X, X)
        profile, slope = self.profile_and_slope(r)

        def contract(weights: Floats) -> Floats:
            pull = weights * slope
            by_variance = np.vdot(weights, profile)
            if isinstance(self.lengthscale, float):
                return self.variance * np.array([pull.sum(), by_variance])
            pull /= np.where(r > 0, r, 1.0) ** 2
            # Only differences matter; centring X minimises the cancellation of the two terms.
            scaled = (X - X.sum(axis=0) / max(len(X), 1)) / np.asarray(self.lengthscale)
            across = np.einsum("nd,nd->d", scaled, pull @ scaled)
            by_lengthscale = 2 * (pull.sum(axis=1) @ scaled**2 - across)
            return self.variance * np.append(by_lengthscale, by_variance)

        return self.variance * profile, contract

    @property
    def parameter_names(self) -> tuple[str, ...]:
        if isinstance(self.lengthscale, float):
            return ("lengthscale", "variance")
        return (*(f"lengthscale[{i}]" for i in range(len(self.lengthscale))), "variance")

    @property
    def log_parameters(self) -> Floats:
        return np.log(np.append(np.ravel(self.lengthscale), self.variance))

    def with_log_parameters(self, theta: Floats) -> Self:
        natural = np.exp(theta)
        scalar = isinstance(self.lengthscale, float)
        lengthscale = float(natural[0]) if scalar else tuple(natural[:-1].tolist())
        return replace(self, lengthscale=lengthscale, variance=float(natural[-1]))

    def _check_fits(self, X: Floats) -> None:
        if not isinstance(self.lengthscale, float) and len(self.lengthscale) != X.shape[1]:
            raise InputError(
                f"{X.shape[1]} lengthscales, one per dimension",
                str(len(self.lengthscale)),
                "give as many lengthscales as the points have columns, or a single one",
            )

    def _distance(self, X: Floats, Z: Floats) -> Floats:
        """r of all pairs, shape (n, m), from differences of the coordinates as they are given.

        A quotient x / lengthscale is rounded to a share of x, which is far more than one of r where
        x is large, such as a time in seconds since 1970. Nothing cancels, unlike in
        |x|^2 + |z|^2 - 2 x.z, and each number depends only on its two points.
        """
        self._check_fits(X)
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
            raise self._too_far(X, Z)
        return r

    def _too_far(self, X: Floats, Z: Floats) -> IllConditionedError:
        """The error for points so many lengthscales apart that squares of them could overflow."""
        largest, lengthscale = max(np.abs(X).max(), np.abs(Z).max()), np.min(self.lengthscale)
        return IllConditionedError(
            f"x / lengthscale of at most {_FARTHEST:g} in size",
            f"x up to {largest:.3g}, lengthscale {lengthscale:.3g}",
            "bring x to the scale of the lengthscale",
        )
