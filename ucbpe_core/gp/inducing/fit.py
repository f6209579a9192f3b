"""The inducing points, what they leave of the prior, and the fit of the values told to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import grouped
from ucbpe_core.gp import ties
from ucbpe_core.gp.linalg import ROUNDING, factor, out_of_range, solve_lower
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import checkpoint, require
from ucbpe_core.support.validation import count, non_negative, read_only, set_checked

if TYPE_CHECKING:
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats, Integers

# Points whose remainder is bounded together: their covariances, 32 MiB, are in memory at once.
_GROUP = 2048
# Columns for which a triangular system is solved at once.
_STRIP = 4096


@dataclass(frozen=True)
class Inducing:
    """How an approximate posterior chooses its inducing points among the candidates.

    Parameters
    ----------
    most : largest number of them, m
    remainder : no further point is chosen once no remainder r(x, x) is above this fraction of the
        largest prior variance, at least 1e-13. If `most` allows enough points, the errors are by
        default about the tolerance of ties, and picks are those of the exact posterior

    Raises
    ------
    InputError
        For a number below 1 of them, or a negative remainder.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate
    >>> from ucbpe_core.gp.inducing import Inducing
    >>> exact = simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=4)
    >>> trace = simulate(
    ...     problems.multimodal(), GPUCBPE(3), batches=3, initial=4, inducing=Inducing(200)
    ... )
    >>> trace.digest == exact.digest
    True
    """

    most: int = 500
    remainder: float = 1e-13

    def __post_init__(self) -> None:
        set_checked(self, most=count, remainder=non_negative)


@dataclass(frozen=True, eq=False)
class Basis(Frozen):
    """U, shape (m, M), and the remainder r(x, x), shape (M,); `prior` is k(x, x)."""

    candidates: Floats
    factor: Floats
    prior: Floats
    remainder: Floats

    @classmethod
    def of(cls, gp: GaussianProcess, X: Floats, inducing: Inducing) -> Basis:
        """The inducing points of candidates (M, d): ties go to the lowest index.

        Raises
        ------
        TooLargeError
            If U does not fit in memory.
        """
        kernel, prior = gp.kernel, gp.kernel.diagonal(X)
        most, largest = min(inducing.most, len(X)), float(prior.max())
        what = f"{most} inducing points over {grouped(len(X))} candidates"
        require(8 * most * len(X), what, "use fewer inducing points or candidates")
        U, left, m = np.empty((most, len(X))), prior.copy(), 0
        least = max(inducing.remainder, ROUNDING) * largest
        while m < most and left.max() > least:
            checkpoint()
            j = ties.first_best(left, lambda best: min(ties.TIE * largest, best / 2))
            row = kernel.evaluate(X[j : j + 1], X)[0] - U[:m, j] @ U[:m]
            U[m] = row / math.sqrt(left[j])
            left -= U[m] ** 2
            m += 1
        return cls(X, read_only(U[:m]), read_only(prior), read_only(np.maximum(left, 0.0)))

    @property
    def signal(self) -> float:
        """The largest prior variance."""
        return float(self.prior.max())

    def restricted(self, indices: Integers) -> Basis:
        parts = self.candidates[indices], self.factor[:, indices]
        return Basis(*parts, self.prior[indices], self.remainder[indices])


class Told(NamedTuple):
    """Values y (n,) at candidates `indices` (n,), and the noise variances that were given."""

    indices: tuple[int, ...] = ()
    y: tuple[float, ...] = ()
    noise: tuple[float | None, ...] = ()

    def plus(self, more: Told) -> Told:
        return Told(self.indices + more.indices, self.y + more.y, self.noise + more.noise)

    def part(self, first: int, end: int) -> Told:
        """Values number `first` to `end` - 1."""
        return Told(self.indices[first:end], self.y[first:end], self.noise[first:end])


class Bounds(NamedTuple):
    """Upper bounds on the E and the lambda of a fit."""

    scale: float
    eigenvalue: float


class Fit(Frozen):
    """The approximate posterior of the values told, before any hallucination.

    Attributes
    ----------
    members, precision : candidates measured, ascending, and the sum of 1 / noise variance at each
    factor : lower Cholesky factor of A, (m, m)
    mean : shape (M,)
    weights : (Q_n + S)^-1 (y - m), added up at each of `members`
    trace : of S^-1/2 R_n S^-1/2
    whitened : |w|
    noise_ratio : the largest prior variance over the least noise variance; 1 without values
    """

    def __init__(self, gp: GaussianProcess, basis: Basis, told: Told) -> None:
        at = np.array(told.indices, dtype=np.intp)
        prior = basis.prior[at]
        noise = gp.effective_noise(prior, told.noise, basis.signal)
        y = np.array(told.y) - gp.mean
        self.gp, self.basis = gp, basis
        self.members, place = np.unique(at, return_inverse=True)
        self.precision = np.bincount(place, 1 / noise, len(self.members))
        sums = np.bincount(place, y / noise, len(self.members))
        U = basis.factor[:, self.members]
        A = (U * self.precision) @ U.T
        A[np.diag_indices_from(A)] += 1.0
        self.factor = factor(A)
        self.trace = float(self.precision @ basis.remainder[self.members])
        b = solve_lower(self.factor, U @ sums)
        coefficients = solve_lower(self.factor, b, transposed=True)
        centred = coefficients @ basis.factor
        self.mean = read_only(gp.mean + centred)
        if not np.isfinite(self.mean).all():
            raise out_of_range("a mean that overflows")
        self.weights = sums - self.precision * centred[self.members]
        squares = ((y - centred[at]) ** 2 / noise).sum() + coefficients @ coefficients
        self.whitened = math.sqrt(squares)
        self.noise_ratio = float((basis.signal / noise).max(initial=1.0))

    @cached_property
    def variance(self) -> Floats:
        """v, shape (M,)."""
        U, found = self.basis.factor, np.empty(len(self.mean))
        for left in range(0, len(found), _STRIP):
            strip = slice(left, left + _STRIP)
            found[strip] = (solve_lower(self.factor, U[:, strip]) ** 2).sum(axis=0)
        return read_only(found)

    @cached_property
    def bounds(self) -> Bounds:
        """Crude ones where they are enough for what ties anyway."""
        basis, crude = self.basis, Bounds(self.whitened, self.trace)
        enough = ties.TIE * math.sqrt(basis.signal)
        if crude.scale * self.distance(self.variance, crude.eigenvalue).max() <= enough:
            return crude
        scale, eigenvalue = 0.0, 0.0
        for first in range(0, len(self.members), _GROUP):
            checkpoint()
            part = slice(first, first + _GROUP)
            members, root = self.members[part], np.sqrt(self.precision[part])
            U = basis.factor[:, members]
            R = self.gp.kernel.gram(basis.candidates[members]) - U.T @ U
            scale += math.sqrt(max(float(self.weights[part] @ R @ self.weights[part]), 0.0))
            R = np.abs(root[:, None] * R * root)
            norms = R.sum(axis=1).max(), math.sqrt((R**2).sum()), R.trace()
            eigenvalue += float(min(norms))
        return Bounds(min(scale, crude.scale), min(eigenvalue, crude.eigenvalue))

    def distance(self, variance: Floats, eigenvalue: float) -> Floats:
        """delta, shape (M,), for v and lambda."""
        q = np.maximum(self.basis.prior - self.basis.remainder, 0.0)
        share = np.divide(variance, q, out=np.zeros_like(q), where=q > 0)
        spread = eigenvalue * variance * np.maximum(1 - share, 0.0)
        return np.asarray(np.sqrt(self.basis.remainder) + np.sqrt(spread))

    def covariance(self, j: int) -> Floats:
        """u(x_j)'A^-1 U, shape (M,)."""
        U = self.basis.factor
        half = solve_lower(self.factor, U[:, j])
        return np.asarray(solve_lower(self.factor, half, transposed=True) @ U)

    def restricted(self, indices: Integers) -> Fit:
        """The same over only the candidates `indices` (k,)."""
        return self._with(
            basis=self.basis.restricted(indices), mean=read_only(self.mean[indices]),
            variance=read_only(self.variance[indices]), bounds=self.bounds,
        )  # fmt: skip

    def negated(self) -> Fit:
        """That of -f, given -y."""
        gp = replace(self.gp, mean=0.0 - self.gp.mean)
        return self._with(gp=gp, mean=read_only(-self.mean), weights=-self.weights)

    def _with(self, **changes: Any) -> Fit:
        other = object.__new__(Fit)
        vars(other).update(vars(self) | changes)
        return other
