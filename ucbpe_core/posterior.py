"""The posterior over a finite candidate set, as a list of rows.

Over M candidates and after n points, keep V = L^-1 k(X_n, X), n rows of length M, and the whitened
residuals w = L^-1 (y - m). Then mean = m + V'w and variance = k(x, x) - sum(V^2). A new point at
candidate j adds one row, v = (k(x_j, .) - V[:, j]'V) / sqrt(variance_j + noise_variance), and one
residual, (y - mean_j) / sqrt(variance_j + noise_variance): one pass over the rows, no solve, no
refit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import memory, ties
from ucbpe_core.assignment import Guarded
from ucbpe_core.conditioning import Data, extended, observed
from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.large.parts import with_rows_of
from ucbpe_core.linalg import enlargement, out_of_range, resolved, rounding
from ucbpe_core.prediction import ConditionedProcess
from ucbpe_core.rows import Rows
from ucbpe_core.validation import count, frozen_copy, noise_variances, points, read_only, values
from ucbpe_core.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.prediction import Prediction
    from ucbpe_core.rows import Key
    from ucbpe_core.validation import Floats, Noise


class Posterior(Guarded):
    """Mean and standard deviation of a Gaussian process over M candidates, after n points.

    Immutable: `observe` and `hallucinate` return a new posterior over the same shared rows, and
    `at(n)` the posterior after the first n points. Build the first one with `Posterior.prior`.

    Attributes
    ----------
    gp : the prior
    candidates : points, shape (M, d)
    mean : posterior mean, shape (M,), paper eq. (1)
    variance, std : of the latent f, shape (M,), paper eq. (2), never less than rounding allows
    rounded : how far rounding may move the mean, in units of std (`linalg.rounding`); where it is
        above 1e-3, std is sqrt(1 + rounded^2) times that of eq. (2)
    tolerance : within which two means tie (`ties`)
    n : number of points conditioned on, hallucinated ones included

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(4)).observe([1], [0.5])
    >>> posterior.mean.round(2), posterior.std.round(2)
    (array([0.3 , 0.5 , 0.3 , 0.07]), array([0.8 , 0.1 , 0.8 , 0.99]))
    >>> after = posterior.hallucinate([3])  # only the std changes
    >>> after.std.round(2), after.at(1).n
    (array([0.79, 0.1 , 0.6 , 0.1 ]), 1)
    """

    gp: GaussianProcess
    candidates: Floats
    _rows: Rows
    _data: Data
    _mean: Floats | None
    _raw_variance: Floats | None
    _set_once = frozenset({"gp", "candidates"})
    _remedy = "make a new one with Posterior.prior(gp, candidates)"

    def __init__(self, gp: GaussianProcess, candidates: Floats, rows: Rows, data: Data) -> None:
        # Bypasses the guard, which costs as much as a small row: every pick makes a posterior.
        vars(self).update(gp=gp, candidates=candidates, _rows=rows, _data=data)
        vars(self).update(_mean=None, _raw_variance=None)

    @classmethod
    def prior(cls, gp: GaussianProcess, candidates: ArrayLike) -> Posterior:
        """The posterior before any data over candidates (M, d), M at least 1.

        Raises `IllConditionedError` for a prior variance that overflows.
        """
        X = points(candidates, "candidates")
        count(len(X), "the number of candidates")
        gp.warn_if_raised(X)
        largest = float(gp.kernel.diagonal(X).max())
        if not largest < np.inf:
            raise out_of_range("a prior variance that overflows")
        return cls(gp, read_only(X), Rows(len(X), largest), Data())

    @property
    def n(self) -> int:
        return len(self._data.y)

    @property
    def mean(self) -> Floats:
        if self._mean is None:
            mean = np.full(len(self.candidates), self.gp.mean)
            for i, residual in enumerate(self._data.residuals):
                mean += residual * self._rows[i]
            self._mean = read_only(mean)
        return self._mean

    @property
    def variance(self) -> Floats:
        # Resolved on reading, never in the sum.
        return self.resolved(self._unclipped_variance)

    @cached_property
    def std(self) -> Floats:
        return read_only(np.sqrt(self.variance))

    def resolved(self, difference: Floats, indices: ArrayLike | None = None) -> Floats:
        """The variance that `difference` = k(x, x) - sum V^2 stands for, as `variance` reads it.

        For sums over the rows that are computed elsewhere: `difference` (k,) is at the candidates
        `indices` (k,), or at all M.
        """
        X = self.candidates
        if indices is not None:
            X = X[checked_indices(indices, len(X))]
        return read_only(resolved(difference, self.gp.kernel.diagonal(X), self.rounded))

    @cached_property
    def rounded(self) -> float:
        units = self.gp.kernel.rounding_units
        return rounding(self._noise_ratio, self._data.residuals, units)

    @cached_property
    def tolerance(self) -> float:
        prior_std, n = float(np.sqrt(self.prior_variance)), self.n + self.gp.kernel.rounding_units
        residuals = self._data.residuals
        return ties.of_mean(prior_std, self.gp.mean, self.conditioning, n, residuals)

    def std_tolerance(self, std: float | None = None) -> float:
        """Within which standard deviations of about `std` tie; None: of any size (`ties`)."""
        prior_std = float(np.sqrt(self.prior_variance * enlargement(self.rounded)))
        conditioning = self._noise_ratio
        if std:
            conditioning = max(self.conditioning, (prior_std / std) ** 2)
        return ties.of_std(prior_std, conditioning, self.n + self.gp.kernel.rounding_units)

    def bound_tolerance(self, c: float, std: float | None = None) -> float:
        """Within which scores mean + c std of candidates with about that std tie."""
        return self.tolerance + c * self.std_tolerance(std)

    @property
    def prior_variance(self) -> float:
        """The largest prior variance of a candidate; the noise floor is a share of it."""
        return self._rows.prior_variance

    @property
    def conditioning(self) -> float:
        """The largest prior variance over squared pivot of L, of the n points; 1 for none."""
        return self._rows.keys[self.n - 1].conditioning if self.n else 1.0

    @property
    def information_gain(self) -> float:
        """1/2 log det(I + D^-1/2 K D^-1/2) of the n points, D their noise variances, in nats.

        From the pivots of the factor: the sum of 1/2 log(1 + std_i^2 / noise_variance_i), std_i
        at point i just before it. Without noise, that of `gp.effective_noise`.
        """
        return self._rows.keys[self.n - 1].gain if self.n else 0.0

    @property
    def _observed(self) -> Floats:
        """The n points, shape (n, d)."""
        X = [np.frombuffer(key.point) for key in self._rows.keys[: self.n]]
        return np.array(X).reshape(self.n, self.candidates.shape[1])

    @property
    def _noise_ratio(self) -> float:
        return self._rows.keys[self.n - 1].noise_ratio if self.n else 0.0

    @property
    def y(self) -> Floats:
        """The value at each of the n points, shape (n,); NaN where it was hallucinated."""
        return frozen_copy(self._data.y)

    @property
    def whitened_residuals(self) -> Floats:
        """w = L^-1 (y - m), shape (n,); 0 for hallucinated points."""
        return frozen_copy(self._data.residuals)

    @property
    def conditioned_indices(self) -> tuple[int, ...]:
        """Candidate index of each of the n points, in order; -1 for a point outside the set."""
        return tuple(key.candidate for key in self._rows.keys[: self.n])

    @property
    def known_noise(self) -> tuple[float | None, ...]:
        """Noise variance given for each of the n points; None where that of `gp` holds."""
        return tuple(key.noise for key in self._rows.keys[: self.n])

    def row(self, i: int) -> Floats:
        """Row i of V, shape (M,), read-only."""
        if not 0 <= i < self.n:
            raise InputError(f"a row from 0 to {self.n - 1}", str(i), "there is one row per point")
        return read_only(self._rows[i])

    def columns(self, indices: ArrayLike) -> Floats:
        """V at the candidates `indices` (k,), shape (n, k).

        With A and B two such arrays, k(X_a, X_b) - A'B is the posterior covariance between them.
        """
        return self._rows.columns(checked_indices(indices, len(self.candidates)), self.n)

    def observe(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """The posterior after values y (k,) at the candidates `indices` (k,).

        `noise_variance` is the known noise variance of each value, a number or (k,), in squared
        units of y; None stands for that of `gp`. `progress` is called as progress(done, total)
        while the rows of several points are computed; if it raises, nothing changes.

        Raises
        ------
        InputError
            For an unknown index, NaN, infinities, shapes that do not agree or a negative noise
            variance.
        IllConditionedError
            If the posterior variance at a point is clearly negative: the kernel is not a
            covariance.
        TooLargeError
            If the rows do not fit in memory.

        Warns
        -----
        IllConditionedWarning
            If rounding may move the mean by more than the std: the values are far from what the
            prior expects; or if a noise variance above 0 given here has to be raised.
        """
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        measured, noise = values(y, "y", len(chosen)), noise_variances(noise_variance, len(chosen))
        posterior = with_rows_of(self, chosen, noise, progress)
        return observed(posterior, chosen, self.candidates[chosen], measured, noise)

    def observe_points(self, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None) -> Posterior:
        """The posterior after values y (k,) at any points X (k, d), candidates or not."""
        X = points(X, "X", self.candidates.shape[1])
        measured, noise = values(y, "y", len(X)), noise_variances(noise_variance, len(X))
        return observed(self, [-1] * len(X), X, measured, noise)

    def hallucinate(self, indices: ArrayLike) -> Posterior:
        """The posterior as if the candidates `indices` (k,) had been observed at their mean.

        The mean does not change; the std shrinks. It does not depend on the values, which GP-BUCB
        was the first to use for batches (Desautels, Krause and Burdick, ICML 2012). So each row
        added here is the one that the observation will use, unless that has a noise variance of its
        own.
        """
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        posterior = with_rows_of(self, chosen, [None] * len(chosen))
        for j in chosen:
            posterior = extended(posterior, j, self.candidates[j])
        return posterior

    def hallucinate_points(self, X: ArrayLike) -> Posterior:
        """The posterior as if any points X (k, d) had been observed at their mean."""
        posterior = self
        for x in points(X, "X", self.candidates.shape[1]):
            posterior = extended(posterior, -1, x)
        return posterior

    def signed(self, sign: float) -> Posterior:
        """The posterior of sign * f given sign * y; `sign` is 1 or -1 (`validation.sign_of`).

        The posterior of -f has the same rows and exactly the negated mean.
        """
        if sign > 0:
            return self
        gp = replace(self.gp, mean=0.0 - self.gp.mean)
        data = Data(*(tuple(-one for one in part) for part in self._data))
        posterior = Posterior(gp, self.candidates, self._rows, data)
        posterior._mean, posterior._raw_variance = read_only(-self.mean), self._unclipped_variance
        return posterior

    def at(self, n: int) -> Posterior:
        """The posterior after its first n points: a prefix of the same rows."""
        if count(n, "n", minimum=0) > self.n:
            raise InputError(f"n of at most {self.n}", str(n), "at(n) only looks back")
        if n == self.n:
            return self
        return Posterior(self.gp, self.candidates, self._rows, self._data.first(n))

    def covariance(self, j: int) -> Floats:
        """Posterior covariance of candidate j with every candidate, shape (M,)."""
        j = int(checked_indices(count(j, "j", minimum=0), len(self.candidates))[0])
        return self._covariance(self.candidates[j], self._rows.column(j, self.n))

    def conditioned(self) -> ConditionedProcess:
        """The same posterior as a process that predicts at any point, through L."""
        L, w = self._rows.factor(self.n), np.array(self._data.residuals)
        known, ratio = self.known_noise, self._noise_ratio
        return ConditionedProcess(self.gp, self._observed, self.y, L, w, known, ratio)

    def predict(self, Z: ArrayLike, *, noisy: bool = False) -> Prediction:
        """Mean and standard deviation at any points Z (m, d)."""
        return self.conditioned().predict(Z, noisy=noisy)

    def sample(self, rng: int | np.random.Generator = 0, *, size: int | None = None) -> Floats:
        """A joint draw of the latent f at all candidates, shape (M,), or `size` draws (size, M).

        Needs one dense M x M factor; for a few of many candidates use `conditioned().sample`.

        Raises
        ------
        TooLargeError
            If that factor does not fit in memory.

        Examples
        --------
        >>> from ucbpe_core import GaussianProcess, Posterior, RBF
        >>> Posterior.prior(GaussianProcess(RBF()), range(4)).sample(size=100).shape
        (100, 4)
        """
        M = len(self.candidates)
        remedy = "draw at fewer points, with conditioned().sample(X)"
        memory.require(3 * M * M * np.dtype(float).itemsize, f"draws at {M} points", remedy)
        return self.conditioned().sample(self.candidates, rng, size=size)

    @cached_property
    def _keys_outside(self) -> list[Key]:
        """The keys of the n rows, as for points that are not candidates."""
        keys = self._rows.keys[: self.n]
        return [key if key.candidate < 0 else key._replace(candidate=-1) for key in keys]

    @property
    def _unclipped_variance(self) -> Floats:
        if self._raw_variance is None:
            variance = self.gp.kernel.diagonal(self.candidates)
            for i in range(self.n):
                variance -= self._rows[i] ** 2
            self._raw_variance = variance
        return self._raw_variance

    def _covariance(self, x: Floats, factor: Floats) -> Floats:
        """k(x, .) - factor'V, the posterior covariance of a point x (d,) with the candidates."""
        prior = self.gp.kernel.evaluate(x[None], self.candidates)[0]
        return prior - self._rows.combine(factor)

    def _derived(
        self,
        rows: Rows,
        data: Data,
        mean: Floats,
        variance: Floats,
        candidates: Floats | None = None,
    ) -> Posterior:
        """A posterior of these parts, under the same prior."""
        X = self.candidates if candidates is None else read_only(candidates)
        posterior = Posterior(self.gp, X, rows, data)
        vars(posterior).update(_mean=read_only(mean), _raw_variance=variance)
        return posterior
