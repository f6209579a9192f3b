"""The belief over a finite candidate set, as a list of rows.

Over M candidates and after n points, keep V = L^-1 k(X_n, X), n rows of length M, and
w = L^-1 (y - m). Then mean = m + V'w and variance = k(x, x) - sum(V^2). A new point at candidate
j adds one row, v = (k(x_j, .) - V[:, j]'V) / sqrt(variance_j + noise_variance), and one weight,
(y - mean_j) / sqrt(variance_j + noise_variance): one pass over the rows, no solve, no refit.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import solve_triangular

from ucbpe_core.assignment import Guarded
from ucbpe_core.errors import IllConditionedWarning, InputError
from ucbpe_core.gp import ConditionedProcess, GaussianProcess
from ucbpe_core.linalg import NOISE_FLOOR, not_positive_definite, resolved, rounding
from ucbpe_core.parts import Parts
from ucbpe_core.rows import Key, Rows
from ucbpe_core.validation import (
    count,
    frozen_copy,
    indices,
    noise_variances,
    points,
    read_only,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import Prediction
    from ucbpe_core.validation import Floats, Noise


class Posterior(Guarded, Parts):
    """Mean and deviation of a Gaussian process over M candidates, after n points.

    Immutable: `observe` and `hallucinate` return a new belief over the same shared rows, and
    `at(n)` the belief after the first n points. Build the first one with `Posterior.prior`.

    Attributes
    ----------
    gp : the prior
    candidates : points, shape (M, d)
    mean : posterior mean, shape (M,), paper eq. (1)
    variance, std : of the latent f, shape (M,), paper eq. (2), never less than rounding allows
    rounded : how far rounding may move the mean, in units of std (`linalg.rounding`); where it is
        above 1e-3, std is sqrt(1 + rounded^2) times that of eq. (2)
    n : number of points conditioned on, hallucinated ones included
    """

    _set_once = frozenset({"gp", "candidates"})
    _remedy = "make another with Posterior.prior(gp, candidates)"

    def __init__(
        self, gp: GaussianProcess, candidates: Floats, rows: Rows, residuals: tuple[float, ...]
    ) -> None:
        self.gp = gp
        self.candidates = candidates
        self._rows = rows
        self._residuals = residuals
        self._mean: Floats | None = None
        self._raw_variance: Floats | None = None
        self._std: Floats | None = None

    @classmethod
    def prior(cls, gp: GaussianProcess, candidates: ArrayLike) -> Posterior:
        """The belief before any data over candidates (M, d), M at least 1."""
        X = points(candidates, "candidates")
        count(len(X), "the number of candidates")
        gp.warn_if_raised(X)
        return cls(gp, read_only(X), Rows(len(X)), ())

    @property
    def n(self) -> int:
        return len(self._residuals)

    @property
    def mean(self) -> Floats:
        if self._mean is None:
            mean = np.full(len(self.candidates), self.gp.mean)
            for i, weight in enumerate(self._residuals):
                mean += weight * self._rows[i]
            self._mean = read_only(mean)
        return self._mean

    @property
    def variance(self) -> Floats:
        # Resolved on reading, never in the sum.
        return self.resolved(self._unclipped_variance)

    @property
    def std(self) -> Floats:
        if self._std is None:
            self._std = read_only(np.sqrt(self.variance))
        return self._std

    def resolved(self, difference: Floats, members: ArrayLike | None = None) -> Floats:
        """The variance that `difference` = k(x, x) - sum V^2 stands for, as `variance` reads it.

        For sums over the rows that are made elsewhere: `difference` (k,) is at the candidates
        `members` (k,), or at all M.
        """
        X = self.candidates
        if members is not None:
            X = X[indices(members, len(X))]
        return read_only(resolved(difference, self.gp.kernel.diagonal(X), self.rounded))

    @cached_property
    def rounded(self) -> float:
        return rounding(self._noise_ratio, self._residuals)

    @property
    def information_gain(self) -> float:
        """1/2 log det(I + D^-1/2 K D^-1/2) of the n points, D their noise variances, in nats.

        From the pivots of the factor: the sum of 1/2 log(1 + std_i^2 / noise_variance_i), std_i
        the deviation at point i just before it. Without noise, that of `gp.effective_noise`.
        """
        keys = self._rows.keys[: self.n]
        prior = self.gp.kernel.diagonal(self._observed)
        noise = self.gp.effective_noise(prior, self.known_noise)
        pivots = np.array([key.pivot for key in keys])
        return float(np.maximum(np.log(pivots**2 / noise), 0.0).sum() / 2)

    @property
    def _observed(self) -> Floats:
        """The n points, shape (n, d)."""
        X = [np.frombuffer(key.point) for key in self._rows.keys[: self.n]]
        return np.array(X).reshape(self.n, self.candidates.shape[1])

    @property
    def _noise_ratio(self) -> float:
        return self._rows.keys[self.n - 1].noise_ratio if self.n else 0.0

    @property
    def whitened_residuals(self) -> Floats:
        """w = L^-1 (y - m), shape (n,); 0 for hallucinated points."""
        return frozen_copy(self._residuals)

    @property
    def conditioned_indices(self) -> tuple[int, ...]:
        """Candidate index of each of the n points, in order; -1 for a point outside the set."""
        return tuple(key.candidate for key in self._rows.keys[: self.n])

    @property
    def known_noise(self) -> tuple[float | None, ...]:
        """Noise variance that each of the n points came with; None where that of `gp` holds."""
        return tuple(key.noise for key in self._rows.keys[: self.n])

    def row(self, i: int) -> Floats:
        """Row i of V, shape (M,), read-only."""
        if not 0 <= i < self.n:
            raise InputError(f"a row from 0 to {self.n - 1}", str(i), "rows count the points")
        return read_only(self._rows[i])

    def columns(self, members: ArrayLike) -> Floats:
        """V at the candidates `members` (k,), shape (n, k).

        With A and B two such arrays, k(X_a, X_b) - A'B is the posterior covariance between them.
        """
        return self._rows.columns(indices(members, len(self.candidates)), self.n)

    def observe(
        self,
        members: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """The belief after values y (k,) at the candidates with indices `members` (k,).

        `noise_variance` is the known noise variance of each value, a number or (k,), in squared
        units of y; that of `gp` where it is None.
        `progress` is called as progress(done, total) while the rows of several points are made;
        raising in it ends the work and changes nothing.

        Raises
        ------
        InputError
            For an unknown index, NaN, infinities, shapes that do not agree or a negative noise
            variance.
        IllConditionedError
            If the posterior variance at a point is clearly negative: the kernel is no covariance.
        TooLargeError
            If the rows do not fit in memory.

        Warns
        -----
        IllConditionedWarning
            If rounding may move the mean by more than the deviation: the values are far from what
            the prior expects; or if a noise variance above 0 given here has to be raised.
        """
        chosen = indices(members, len(self.candidates))
        measured, noise = values(y, "y", len(chosen)), noise_variances(noise_variance, len(chosen))
        self._warn_if_raised(self.candidates[chosen], noise)
        belief = self._with_rows_of(chosen.tolist(), noise, progress)
        for j, value, s in zip(chosen, measured, noise, strict=True):
            belief = belief._extend_by_candidate(int(j), float(value), s)
        return belief._warned()

    def observe_points(self, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None) -> Posterior:
        """The belief after values y (k,) at any points X (k, d), candidates or not."""
        X = points(X, "X", self.candidates.shape[1])
        measured, noise = values(y, "y", len(X)), noise_variances(noise_variance, len(X))
        self._warn_if_raised(X, noise)
        belief = self
        for x, value, s in zip(X, measured, noise, strict=True):
            belief = belief._extend_by_point(x, float(value), s)
        return belief._warned()

    def hallucinate_points(self, X: ArrayLike) -> Posterior:
        """The belief as if any points X (k, d) had been observed at their mean."""
        belief = self
        for x in points(X, "X", self.candidates.shape[1]):
            belief = belief._extend_by_point(x, None, None)
        return belief

    def hallucinate(self, members: ArrayLike) -> Posterior:
        """The belief as if the candidates `members` (k,) had been observed at their mean.

        The mean stays, the deviation shrinks: it does not depend on the value, so each row made
        here is the one that the observation will use, unless that has a noise variance of its own.
        """
        chosen = indices(members, len(self.candidates))
        belief = self._with_rows_of(chosen.tolist(), (None,) * len(chosen))
        for j in chosen:
            belief = belief._extend_by_candidate(int(j), None, None)
        return belief

    def negated(self) -> Posterior:
        """The posterior of -f given -y: the same rows, and the opposite sign to the last bit."""
        gp = replace(self.gp, mean=0.0 - self.gp.mean)
        residuals = tuple(-one for one in self._residuals)
        posterior = Posterior(gp, self.candidates, self._rows, residuals)
        posterior._mean, posterior._raw_variance = read_only(-self.mean), self._unclipped_variance
        return posterior

    def at(self, n: int) -> Posterior:
        """The belief after its first n points: the same rows, cut short."""
        if count(n, "n", minimum=0) > self.n:
            raise InputError(f"n of at most {self.n}", str(n), "at(n) only looks back")
        if n == self.n:
            return self
        return Posterior(self.gp, self.candidates, self._rows, self._residuals[:n])

    def covariance(self, j: int) -> Floats:
        """Posterior covariance of candidate j with every candidate, shape (M,)."""
        j = int(indices(count(j, "j", minimum=0), len(self.candidates))[0])
        prior = self.gp.kernel.cross(self.candidates[j : j + 1], self.candidates)[0]
        return prior - self._rows.combine(self._rows.column(j, self.n))

    def conditioned(self) -> ConditionedProcess:
        """The same belief as a process that predicts anywhere, through L."""
        L, w = self._rows.factor(self.n), np.array(self._residuals)
        return ConditionedProcess(self.gp, self._observed, L, w, self.known_noise)

    def predict(self, Z: ArrayLike, *, noisy: bool = False) -> Prediction:
        """Mean and deviation at any points Z (m, d)."""
        return self.conditioned().predict(Z, noisy=noisy)

    @property
    def _unclipped_variance(self) -> Floats:
        if self._raw_variance is None:
            variance = self.gp.kernel.diagonal(self.candidates)
            for i in range(self.n):
                variance -= self._rows[i] ** 2
            self._raw_variance = variance
        return self._raw_variance

    def _extend_by_candidate(self, j: int, y: float | None, noise: float | None) -> Posterior:
        def row() -> tuple[Key, Floats]:
            x, factor = self.candidates[j], self._rows.column(j, self.n)
            key = self._key(j, x, noise, self._unclipped_variance[j], factor)
            return key, self.covariance(j) / key.pivot

        residual = None if y is None else lambda: y - self.mean[j]
        return self._extend((j, b"", noise), row, residual)

    def _extend_by_point(self, x: Floats, y: float | None, noise: float | None) -> Posterior:
        X_n = self.conditioned().X
        factor = solve_triangular(
            self._rows.factor(self.n), self.gp.kernel.cross(X_n, x[None])[:, 0], lower=True
        )

        def row() -> tuple[Key, Floats]:
            variance = self.gp.kernel.diagonal(x[None])[0] - factor @ factor
            key = self._key(-1, x, noise, variance, factor)
            row = self.gp.kernel.cross(x[None], self.candidates)[0] - self._rows.combine(factor)
            return key, row / key.pivot

        def residual(y: float) -> float:
            return y - self.gp.mean - factor @ np.array(self._residuals)

        known = None if y is None else lambda: residual(y)
        return self._extend((-1, x.tobytes(), noise), row, known)

    def _extend(
        self,
        point: tuple[int, bytes, float | None],
        make_row: Callable[[], tuple[Key, Floats]],
        residual: Callable[[], float] | None,
    ) -> Posterior:
        """Append (or find) the row of one more point, and update mean and variance by it."""
        rows, n = self._rows, self.n
        # Beliefs that share rows may be extended from several threads.
        with rows.lock:
            if len(rows.keys) > n and not rows.keys[n].is_of(*point):
                rows = rows.branch(n)
            if len(rows.keys) == n:
                rows.append(*make_row())
        weight = 0.0 if residual is None else residual() / rows.keys[n].pivot
        return self._longer(rows, weight)

    def _longer(self, rows: Rows, weight: float) -> Posterior:
        """The belief after one more point, whose row is there."""
        v = rows[self.n]
        # A hallucination leaves the mean alone, so both beliefs can share the array.
        mean = self.mean + weight * v if weight else self.mean
        variance = self._unclipped_variance - v**2
        return self._made(self.candidates, rows, (*self._residuals, weight), mean, variance)

    def _made(
        self,
        candidates: Floats,
        rows: Rows,
        residuals: tuple[float, ...],
        mean: Floats,
        variance: Floats,
    ) -> Posterior:
        belief = Posterior(self.gp, read_only(candidates), rows, residuals)
        belief._mean, belief._raw_variance = read_only(mean), variance
        return belief

    def _key(
        self, candidate: int, x: Floats, known: float | None, variance: float, factor: Floats
    ) -> Key:
        """The key of one more point x (d,), with pivot sqrt(variance + effective noise).

        `known` is the noise variance of the measurement there, or None for that of the process.

        Raises
        ------
        IllConditionedError
            For a posterior variance further below 0 than rounding goes.
        """
        prior = self.gp.kernel.diagonal(x[None])
        noise = float(self.gp.effective_noise(prior, [known])[0])
        least = -0.5 * NOISE_FLOOR * float(prior[0])
        # Written so that NaN is refused as well.
        if not least <= variance < np.inf:
            raise not_positive_definite(f"a posterior variance of {variance:.3g} at {x.tolist()}")
        pivot = float(np.sqrt(max(variance, 0.0) + noise))
        ratio = max(self._noise_ratio, float(prior[0]) / noise)
        return Key(candidate, x.tobytes(), known, pivot, read_only(factor), ratio)

    def _warn_if_raised(self, X: Floats, noise: tuple[float | None, ...]) -> None:
        """As of `gp`, for the noise variances given; `prior` has warned of that of `gp`."""
        given = [one for one in noise if one is not None]
        if given:
            self.gp.warn_if_raised(X, given)

    def _warned(self) -> Posterior:
        """Warn if rounding may move the mean by more than a deviation; return the belief."""
        if self.rounded > 1:
            warnings.warn(
                f"rounding may move the posterior mean by {self.rounded:.2g} deviations, and the "
                "deviation is enlarged to cover that: the values are far from what the prior "
                "expects. Raise noise_variance, or fit the variance and the lengthscale",
                IllConditionedWarning,
                stacklevel=3,
            )
        return self
