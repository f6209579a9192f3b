"""The posterior over a finite candidate set, as a list of rows.

Over M candidates and after n points, keep V = L^-1 k(X_n, X), n rows of length M, and the whitened
residuals w = L^-1 (y - m). Then mean = m + V'w and variance = k(x, x) - sum(V^2). A new point at
candidate j adds one row, v = (k(x_j, .) - V[:, j]'V) / sqrt(variance_j + noise_variance), and one
residual, (y - mean_j) / sqrt(variance_j + noise_variance): one pass over the rows, no solve, no
refit.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import ties
from ucbpe_core.gp.conditioning import Data, State, extended, observed, restricted, with_rows_of
from ucbpe_core.gp.linalg import out_of_range, std_of
from ucbpe_core.gp.process import ConditionedProcess, GaussianProcess
from ucbpe_core.gp.rows import Rows
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import count, frozen_copy, noise_variances, read_only, values
from ucbpe_core.support.validation import indices as checked_indices
from ucbpe_core.support.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Floats, Noise


class Posterior(Frozen):
    """Mean and standard deviation of a Gaussian process over M candidates, after n points.

    Immutable: `observe` and `hallucinate` return a new posterior over the same shared rows, and
    `at(n)` the posterior after the first n points. Build the first one with `Posterior.prior`.

    Attributes
    ----------
    state : rows, residuals, mean and variance, on which `conditioning` works
    gp : the prior
    candidates : points, shape (M, d)
    n : number of points conditioned on, hallucinated ones included
    mean : posterior mean, shape (M,), paper eq. (1)
    std : standard deviation of the latent f, shape (M,), paper eq. (2): it does not depend on y
    tolerance : within which two means tie (`ties`)

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
    n: int
    state: State
    has_rows: ClassVar[bool] = True  # one for each point: what `conditioning` works on

    def __init__(self, state: State) -> None:
        self.state = state
        self.gp, self.candidates, self.n = state.gp, state.candidates, state.n

    @classmethod
    def prior(cls, gp: GaussianProcess, candidates: ArrayLike) -> Posterior:
        """The posterior before any data over candidates (M, d), M at least 1.

        Raises `IllConditionedError` for a prior variance that overflows.
        """
        X, largest = searched(gp, candidates)
        gp.warn_if_raised(X)
        return cls(State(gp, X, Rows(len(X), largest), Data()))

    def __repr__(self) -> str:
        size = f"{len(self.candidates)} candidates, {self.n} points conditioned on"
        return f"{type(self).__name__}({size}: {self.gp})"

    @property
    def mean(self) -> Floats:
        return self.state.mean

    @property
    def name(self) -> str:
        """How it is computed, in a few words."""
        return "exact"

    @property
    def mean_error(self) -> Floats | float:
        """Bound on |mean - exact mean|: 0, or (M,) of an approximation (`inducing`)."""
        return 0.0

    @property
    def std_error(self) -> Floats | float:
        """Bound on |std - exact std|: 0, or (M,) of an approximation."""
        return 0.0

    @property
    def prior_variance(self) -> float:
        """The largest of the candidates."""
        return self.state.rows.prior_variance

    @property
    def gain(self) -> float:
        """Information of the n points about f, in nats."""
        return self.state.last.gain

    @property
    def raw_variance(self) -> Floats:
        """The variance as it was summed, shape (M,): rounding can take it below 0."""
        return self.state.raw_variance

    @cached_property
    def std(self) -> Floats:
        return std_of(self.raw_variance)

    @cached_property
    def tolerance(self) -> float:
        state, units = self.state, self.gp.kernel.rounding_units
        prior_std, residuals = float(np.sqrt(state.rows.prior_variance)), state.data.residuals
        return ties.of_mean(
            prior_std, self.gp.mean, state.last.conditioning, self.n + units, residuals
        )

    def std_tolerance(self, std: float | None = None) -> float:
        """Within which standard deviations of about `std` tie; None: of any size (`ties`)."""
        last, v = self.state.last, self.state.rows.prior_variance
        prior_std, conditioning = math.sqrt(v), last.noise_ratio
        if std:
            conditioning = max(last.conditioning, (prior_std / std) ** 2)
        return ties.of_std(prior_std, conditioning, self.n + self.gp.kernel.rounding_units)

    @property
    def y(self) -> Floats:
        """The value at each of the n points, shape (n,); NaN where it was hallucinated."""
        return frozen_copy(self.state.data.y)

    @property
    def points(self) -> Floats:
        """Where the n points are, shape (n, d)."""
        return read_only(self.state.rows.points(self.n, self.candidates.shape[1]))

    @property
    def conditioned_indices(self) -> tuple[int, ...]:
        """Candidate index of each of the n points, in order; -1 for a point outside the set."""
        return tuple(key.candidate for key in self.state.keys)

    @property
    def fixed_noise(self) -> tuple[float | None, ...]:
        """Noise variance given for each of the n points; None stands for the variance of `gp`."""
        return tuple(key.noise for key in self.state.keys)

    def observe(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """The posterior after values y (k,) at the candidates `indices` (k,).

        `noise_variance` is the known noise variance of each value, a number or (k,), in squared
        units of y; None stands for the variance of `gp`. `progress` is called as progress(done,
        total) while the rows of several points are computed; if it raises, nothing changes.

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
            If rounding may move the mean by more than the std, which does not count that: the
            values are far from what the prior expects; or if a noise variance above 0 given here
            has to be raised.
        """
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        measured, noise = values(y, "y", len(chosen)), noise_variances(noise_variance, len(chosen))
        state = with_rows_of(self.state, chosen, noise, progress)
        return Posterior(observed(state, chosen, self.candidates[chosen], measured, noise))

    def observe_points(self, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None) -> Posterior:
        """The posterior after values y (k,) at any points X (k, d), candidates or not."""
        X = checked_points(X, "X", self.candidates.shape[1])
        measured, noise = values(y, "y", len(X)), noise_variances(noise_variance, len(X))
        return Posterior(observed(self.state, [-1] * len(X), X, measured, noise))

    def hallucinate(self, indices: ArrayLike) -> Posterior:
        """The posterior as if the candidates `indices` (k,) had been observed at their mean.

        The mean does not change; the std shrinks. It does not depend on the values, which GP-BUCB
        was the first to use for batches (Desautels, Krause and Burdick, ICML 2012). So each row
        added here is the one that the observation will use, unless that has a noise variance of its
        own.
        """
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        state = with_rows_of(self.state, chosen, [None] * len(chosen))
        for j in chosen:
            state = extended(state, j, self.candidates[j])
        return Posterior(state)

    def hallucinate_points(self, X: ArrayLike) -> Posterior:
        """The posterior as if any points X (k, d) had been observed at their mean."""
        state = self.state
        for x in checked_points(X, "X", self.candidates.shape[1]):
            state = extended(state, -1, x)
        return Posterior(state)

    def signed(self, sign: float) -> Posterior:
        """The posterior of sign * f given sign * y; `sign` is 1 or -1 (`validation.sign_of`).

        The posterior of -f has the same rows and exactly the negated mean.
        """
        if sign > 0:
            return self
        state, gp = self.state, replace(self.gp, mean=0.0 - self.gp.mean)
        data = Data(*(tuple(-number for number in numbers) for numbers in state.data))
        return Posterior(
            State(gp, state.candidates, state.rows, data, -state.mean, state.raw_variance)
        )

    def at(self, n: int) -> Posterior:
        """The posterior after its first n points: a prefix of the same rows."""
        if count(n, "n", minimum=0) > self.n:
            raise InputError(f"n of at most {self.n}", str(n), "at(n) only looks back")
        if n == self.n:
            return self
        state = self.state
        return Posterior(State(state.gp, state.candidates, state.rows, state.data.first(n)))

    def given(self, first: int, end: int) -> Posterior:
        """The posterior given only points number `first` to `end` - 1, conditioned on again."""
        own = Posterior.prior(self.gp, self.candidates)
        indices, y, noise = self.conditioned_indices, self.y, self.fixed_noise
        if min(indices[first:end], default=0) >= 0 and not np.isnan(y[first:end]).any():
            chosen = np.array(indices[first:end], dtype=np.intp)
            return own.observe(chosen, y[first:end], list(noise[first:end]))
        X = self.points
        for i in range(first, end):
            if np.isnan(y[i]):
                own = own.hallucinate_points(X[i : i + 1])
            else:
                own = own.observe_points(X[i : i + 1], y[i : i + 1], [noise[i]])
        return own

    def covariance(self, indices: ArrayLike) -> Floats:
        """Posterior covariances of the candidates `indices` (k,) with all candidates, (k, M).

        k(x_j, .) - V[:, j]'V for each: the entry of candidate j itself is its variance, as it was
        summed. Raises `InputError` for an unknown index.
        """
        state, chosen = self.state, checked_indices(indices, len(self.candidates))
        found = self.gp.kernel.evaluate(self.candidates[chosen], self.candidates)
        for row, factor in zip(found, state.rows.columns(chosen, self.n).T, strict=True):
            row -= state.rows.combine(factor)
        return read_only(found)

    def last_rows(self, k: int) -> Floats:
        """The rows of the last k points, shape (k, M): each is what that point took off the
        variance, as its square.
        """
        return frozen_copy([self.state.rows[i] for i in range(self.n - k, self.n)])

    def restricted(self, indices: ArrayLike) -> Posterior:
        """The same posterior over only the candidates `indices` (k,)."""
        return Posterior(restricted(self.state, indices))

    def conditioned(self) -> ConditionedProcess:
        """The same posterior as a process, which predicts and draws at any point, through L."""
        rows, n = self.state.rows, self.n
        w = np.array(self.state.data.residuals)
        return ConditionedProcess(self.gp, self.points, self.y, rows.factor(n), w, self.fixed_noise)


def searched(gp: GaussianProcess, candidates: ArrayLike) -> tuple[Floats, float]:
    """Candidates (M, d), read-only, and the largest prior variance; errors of `Posterior.prior`."""
    X = checked_points(candidates, "candidates")
    count(len(X), "the number of candidates")
    largest = float(gp.kernel.diagonal(X).max())
    if not largest < np.inf:
        raise out_of_range("a prior variance that overflows")
    return read_only(X), largest


def passed(posterior: Posterior, sizes: Iterable[int]) -> Iterator[Posterior]:
    """`posterior.at(n)` for each n of `sizes`, which do not fall, in one pass over the rows."""
    if not posterior.has_rows:
        yield from map(posterior.at, sizes)
        return
    state, done = posterior.at(0).state, 0
    rows, data = posterior.state.rows, posterior.state.data
    mean, variance = state.mean, state.raw_variance
    for n in sizes:
        for i in range(done, n):
            mean = mean + data.residuals[i] * rows[i]
            variance = variance - rows[i] ** 2
        done = n
        yield Posterior(State(state.gp, state.candidates, rows, data.first(n), mean, variance))
