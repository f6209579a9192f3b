"""An approximate posterior for tens of thousands of observations, with bounds on its errors.

Rows of length M for n observations need n M numbers; here it is m M, for m inducing points Z. They
are chosen greedily, each where the std given f at the ones before is largest: a pivoted Cholesky
factor U of the prior covariance, m rows of length M. With q(x, z) = u(x)'u(z), u(x) a column of U,
k = q + r, where the remainder r is a covariance too: that of f given f at Z. So f = f_q + f_r, two
independent parts, and the approximation treats the values as y = f_q + e: with A = I + U_n S^-1
U_n' over the n points, S the diagonal of their noise variances, and y less the prior mean::

    mean = u(x)'A^-1 U_n S^-1 y          variance = v + r(x, x), v = u(x)'A^-1 u(x)

It costs O(n m^2 + M m^2) for any number of values at once, and O(M m) for each hallucination.

What is proved of it, in exact arithmetic and with nothing assumed of y. Let C = K_n + S be the
exact covariance of y, a = (Q_n + S)^-1 q(X_n, x) the weights of the approximate mean a'y, and
sigma^2 the exact variance.

1. v <= sigma^2: if f_r were known at all points, the variance of f(x) would be v, and knowing more
   never raises it.
2. The mean square of f(x) - a'y under the prior is v + g^2, where g^2 is the variance of f_r(x) -
   a'f_r(X_n), for the parts f_q + e and f_r are independent and a is optimal for the first. No
   weights have less than sigma^2 = v + g^2 - (a - b)'C(a - b), where b = C^-1 k(X_n, x). So sigma^2
   <= v + g^2, and sigma^2 <= k(x, x).
3. g <= delta = sqrt(r(x, x)) + sqrt(lambda v (q - v) / q), with q = q(x, x) and lambda the largest
   eigenvalue of S^-1/2 R_n S^-1/2: a'R_n a <= lambda a'S a, and a'S a = u'A^-1 (A - I) A^-1 u. In
   the eigenbasis of A that is q times a mean of s (1 - s), s an eigenvalue of A^-1, a concave
   function; the mean of s is v / q.
4. |mean - exact mean| = |(a - b)'y| <= g sqrt(y'C^-1 y), by 1, 2 and the Cauchy-Schwarz inequality.
   y'C^-1 y <= y'(Q_n + S)^-1 y = |w|^2, for C is Q_n + S and more.
5. It is also at most g E, E^2 = c'R_n c with c = (Q_n + S)^-1 y. C (b - a) = h, h = r(X_n, x) - R_n
   a, and C^-1 y = c - C^-1 R_n c, so that the error is h'(c - C^-1 R_n c). As h is the covariance
   of f_r(X_n) with a variable of variance g^2, h = R_n^1/2 z with |z| <= g, and I - R_n^1/2 C^-1
   R_n^1/2 lies between 0 and I.

lambda and E are bounded by parts, in groups of the points, for both are at most the sums over
groups. Where S^-1/2 R_n S^-1/2 is small compared with 1, both errors are of second order in
sqrt(r).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.gp import ties
from ucbpe_core.gp.linalg import (
    ROUNDING,
    factor,
    out_of_range,
    rounding,
    solve_lower,
    warn_if_rounded,
)
from ucbpe_core.gp.posterior import Posterior, searched
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import checkpoint, require
from ucbpe_core.support.validation import (
    count,
    frozen_copy,
    noise_variances,
    non_negative,
    read_only,
    set_checked,
    values,
)
from ucbpe_core.support.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats, Integers, Noise

__all__ = ["Inducing", "InducingPosterior", "prior"]


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
        default about the tolerance of ties, and the picks are the same as with the exact posterior

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


class InducingFit(Frozen):
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

    def restricted(self, indices: Integers) -> InducingFit:
        """The same over only the candidates `indices` (k,)."""
        return self._with(
            basis=self.basis.restricted(indices), mean=read_only(self.mean[indices]),
            variance=read_only(self.variance[indices]), bounds=self.bounds,
        )  # fmt: skip

    def negated(self) -> InducingFit:
        """That of -f, given -y."""
        gp = replace(self.gp, mean=0.0 - self.gp.mean)
        return self._with(gp=gp, mean=read_only(-self.mean), weights=-self.weights)

    def _with(self, **changes: Any) -> InducingFit:
        other = object.__new__(InducingFit)
        vars(other).update(vars(self) | changes)
        return other


class Hallucination(NamedTuple):
    """A candidate observed at its mean: its row and pivot, noise variance and remainder."""

    candidate: int
    row: Floats
    pivot: float
    noise: float
    remainder: float


class InducingPosterior(Posterior):
    """An approximate `Posterior`, of the candidates as data alone.

    `mean_error` and `std_error` bound how far mean and std are from the exact ones; the regions R
    and R+ count them (`region.relevant_region`), so that they hold the exact regions. Policies that
    need the rows of all points, such as `ThompsonSampling`, ask for the exact posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.gp.inducing import Inducing, prior
    >>> gp, X, y = GaussianProcess(RBF()), np.linspace(0, 9, 50), np.sin(np.arange(50))
    >>> found = prior(gp, X, Inducing(most=12)).observe(range(50), y)
    >>> exact = Posterior.prior(gp, X).observe(range(50), y)
    >>> bool((abs(found.mean - exact.mean) <= found.mean_error).all()), found.name
    (True, '12 inducing points')
    """

    has_rows = False
    _fit: InducingFit
    _told: Told
    _made: tuple[Hallucination, ...]  # after the values told

    def __init__(self, fit: InducingFit, told: Told, made: tuple[Hallucination, ...] = ()) -> None:
        self._fit, self._told, self._made = fit, told, made
        self.gp, self.candidates = fit.gp, fit.basis.candidates
        self.n = len(told.y) + len(made)

    def __getattr__(self, name: str) -> NoReturn:
        if name == "state":
            wanted = "a posterior with the rows of all points, for this purpose"
            raise InputError(wanted, f"one of {self.name}", "use the exact posterior")
        raise AttributeError(f"an InducingPosterior has no {name!r}")

    @property
    def name(self) -> str:
        return f"{len(self._fit.basis.factor)} inducing points"

    @property
    def mean(self) -> Floats:
        return self._fit.mean

    @property
    def basis(self) -> Basis:
        """The inducing points and what they leave."""
        return self._fit.basis

    @property
    def prior_variance(self) -> float:
        return self.basis.signal

    @property
    def gain(self) -> float:
        """At least that of the exact posterior: log det(1 + S^-1/2 R_n S^-1/2) is at most its
        trace.
        """
        told = float(np.log(np.diag(self._fit.factor)).sum()) + self._fit.trace / 2
        pairs = [(one.pivot**2 / one.noise, one.remainder / one.noise) for one in self._made]
        return told + sum(math.log(ratio) + more for ratio, more in pairs) / 2

    @cached_property
    def raw_variance(self) -> Floats:
        return read_only(self.explained + self._fit.basis.remainder)

    @cached_property
    def mean_error(self) -> Floats:
        """Bound on |mean - exact mean|, shape (M,): that of the values told (module docstring)."""
        fit = self._fit
        return read_only(fit.bounds.scale * fit.distance(fit.variance, fit.bounds.eigenvalue))

    @cached_property
    def std_error(self) -> Floats:
        """Bound on |std - exact std|, shape (M,)."""
        fit, v = self._fit, self.explained
        more = sum(one.remainder / one.noise for one in self._made)
        delta = fit.distance(v, fit.bounds.eigenvalue + more)
        most = np.sqrt(np.minimum(v + delta**2, fit.basis.prior))
        return read_only(np.maximum(most - self.std, self.std - np.sqrt(v)))

    @cached_property
    def tolerance(self) -> float:
        fit, units = self._fit, self.gp.kernel.rounding_units
        prior_std = math.sqrt(self.prior_variance)
        rounded = self.n + units, [fit.whitened]
        return ties.of_mean(prior_std, self.gp.mean, fit.noise_ratio, *rounded)

    def std_tolerance(self, std: float | None = None) -> float:
        prior_std = math.sqrt(self.prior_variance)
        conditioning = max(self._fit.noise_ratio, (prior_std / std) ** 2 if std else 0.0)
        return ties.of_std(prior_std, conditioning, self.n + self.gp.kernel.rounding_units)

    @property
    def y(self) -> Floats:
        return frozen_copy([*self._told.y, *(np.nan for _ in self._made)])

    @property
    def points(self) -> Floats:
        return read_only(self.candidates[list(self.conditioned_indices)])

    @property
    def conditioned_indices(self) -> tuple[int, ...]:
        return (*self._told.indices, *(one.candidate for one in self._made))

    @property
    def fixed_noise(self) -> tuple[float | None, ...]:
        return (*self._told.noise, *(None for _ in self._made))

    def observe(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """As `Posterior.observe`; after a hallucination, `InputError`: observe first."""
        if self._made:
            got = f"{len(self._made)} hallucinated points"
            raise InputError("values before hallucinations", got, f"at({len(self._told.y)}) first")
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        measured, noise = values(y, "y", len(chosen)), noise_variances(noise_variance, len(chosen))
        if not chosen:
            return self
        told = self._told.plus(Told(tuple(chosen), tuple(measured.tolist()), tuple(noise)))
        self.gp.warn_if_raised(self.candidates[chosen], noise)
        found = InducingPosterior(InducingFit(self.gp, self._fit.basis, told), told)
        fit, units = found._fit, self.gp.kernel.rounding_units
        offset = self.gp.mean * math.sqrt(fit.noise_ratio / (self.prior_variance or 1.0))
        warn_if_rounded(rounding([fit.whitened], fit.noise_ratio, offset, found.n + units))
        return found

    def hallucinate(self, indices: ArrayLike) -> Posterior:
        found = self
        for j in checked_indices(indices, len(self.candidates)).tolist():
            found = found._hallucinated(j)
        return found

    def _hallucinated(self, j: int) -> InducingPosterior:
        basis, row = self._fit.basis, self._fit.covariance(j)
        for one in self._made:
            row -= one.row[j] * one.row
        noise = float(self.gp.effective_noise(basis.prior[[j]], (), basis.signal)[0])
        pivot = math.sqrt(max(float(self.explained[j]), 0.0) + noise)
        made = Hallucination(j, read_only(row / pivot), pivot, noise, float(basis.remainder[j]))
        return InducingPosterior(self._fit, self._told, (*self._made, made))

    @cached_property
    def explained(self) -> Floats:
        """v, the variance without the remainder, shape (M,)."""
        squares = sum(one.row**2 for one in self._made)
        return read_only(np.maximum(self._fit.variance - squares, 0.0))

    def given(self, first: int, end: int) -> Posterior:
        own = InducingPosterior(InducingFit(self.gp, self.basis, Told()), Told())
        made = len(self._told.y)
        told = self._told.part(first, end)
        ahead = [one.candidate for one in self._made[max(first - made, 0) : max(end - made, 0)]]
        return own.observe(told.indices, told.y, list(told.noise)).hallucinate(ahead)

    def signed(self, sign: float) -> Posterior:
        if sign > 0:
            return self
        told = self._told._replace(y=tuple(-y for y in self._told.y))
        return InducingPosterior(self._fit.negated(), told, self._made)

    def at(self, n: int) -> Posterior:
        """The posterior after its first n points; of values told it is computed again."""
        if count(n, "n", minimum=0) > self.n:
            raise InputError(f"n of at most {self.n}", str(n), "at(n) only looks back")
        made = len(self._told.y)
        if n >= made:
            return InducingPosterior(self._fit, self._told, self._made[: n - made])
        told = self._told.part(0, n)
        return InducingPosterior(InducingFit(self.gp, self._fit.basis, told), told)

    def covariance(self, indices: ArrayLike) -> Floats:
        chosen, basis = checked_indices(indices, len(self.candidates)), self._fit.basis
        U, X = basis.factor, basis.candidates
        found = self.gp.kernel.evaluate(X[chosen], X) - U[:, chosen].T @ U
        found += np.reshape([self._fit.covariance(j) for j in chosen], found.shape)
        for one in self._made:
            found -= one.row[chosen][:, None] * one.row
        return read_only(found)

    def last_rows(self, k: int) -> Floats:
        return frozen_copy([one.row for one in self._made[len(self._made) - k :]])

    def restricted(self, indices: ArrayLike) -> Posterior:
        chosen = checked_indices(indices, len(self.candidates))
        told = self._told._replace(indices=(-1,) * len(self._told.y))
        made = tuple(one._replace(candidate=-1, row=one.row[chosen]) for one in self._made)
        return InducingPosterior(self._fit.restricted(chosen), told, made)


def prior(
    gp: GaussianProcess, candidates: ArrayLike, inducing: Inducing | None = None
) -> Posterior:
    """The posterior before any data over candidates (M, d): exact if `inducing` is None.

    Raises
    ------
    TooLargeError
        If a row for each inducing point does not fit in memory; other errors as `Posterior.prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.inducing import Inducing, prior
    >>> found = prior(GaussianProcess(RBF()), np.linspace(0, 9, 1000), Inducing(most=15))
    >>> found = found.observe([300], [0.5])
    >>> found.mean[[300, 400]].round(3), found.name, bool(found.mean_error.max() < 1e-4)
    (array([0.495, 0.33 ]), '15 inducing points', True)
    """
    if inducing is None:
        return Posterior.prior(gp, candidates)
    X, _ = searched(gp, candidates)
    gp.warn_if_raised(X)
    return InducingPosterior(InducingFit(gp, Basis.of(gp, X, inducing), Told()), Told())
