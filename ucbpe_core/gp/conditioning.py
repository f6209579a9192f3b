"""The state of a posterior over candidates: how more points change it, and parts of it.

A row is v = (k(x, .) - L_x'V) / pivot: over some candidates it needs nothing of the others but the
pivot and the point's own part of L, and each of its numbers comes from its own column. So a state
can be restricted to some candidates and conditioned on more points there, and its factor can be
used for rows over others; and several points need one pass over the rows instead of one each. The
numbers are the same, bit for bit, as from adding one full row after another.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.gp.linalg import (
    NOISE_FLOOR,
    not_positive_definite,
    out_of_range,
    rounding,
    solve_lower,
    warn_if_rounded,
)
from ucbpe_core.gp.rows import NOTHING, Key, Rows
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import count, read_only
from ucbpe_core.support.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats


class Data(NamedTuple):
    """Whitened residuals (y - mean) / pivot and their y; 0 and NaN for a hallucinated point."""

    residuals: tuple[float, ...] = ()
    y: tuple[float, ...] = ()

    def plus(self, residual: float, y: float) -> Data:
        return Data((*self.residuals, residual), (*self.y, y))

    def first(self, n: int) -> Data:
        return Data(self.residuals[:n], self.y[:n])


class State(Frozen):
    """All that a posterior over M candidates after n points is.

    Attributes
    ----------
    gp, candidates : the prior, and points (M, d)
    rows : its first n rows are V = L^-1 k(X_n, X); others are of posteriors that share them
    data : the n whitened residuals w, and the n values
    mean : m + V'w, shape (M,)
    raw_variance : k(x, x) - sum V^2 as it was summed, shape (M,): rounding can take it below 0
    """

    gp: GaussianProcess
    candidates: Floats
    rows: Rows
    data: Data
    n: int
    last: Key  # of the last of the n rows, which also holds what all n amount to

    def __init__(
        self,
        gp: GaussianProcess,
        candidates: Floats,
        rows: Rows,
        data: Data,
        mean: Floats | None = None,
        raw_variance: Floats | None = None,
    ) -> None:
        n = len(data.y)
        vars(self).update(gp=gp, candidates=candidates, rows=rows, data=data, n=n)
        vars(self)["last"] = rows.keys[n - 1] if n else NOTHING
        # Known arrays are stored where they would be kept after the first use.
        if mean is not None:
            vars(self)["mean"] = read_only(mean)
        if raw_variance is not None:
            vars(self)["raw_variance"] = read_only(raw_variance)

    @property
    def keys(self) -> list[Key]:
        """What each of the n rows conditions on."""
        return self.rows.keys[: self.n]

    @cached_property
    def mean(self) -> Floats:
        mean = np.full(len(self.candidates), self.gp.mean)
        for i, residual in enumerate(self.data.residuals):
            mean += residual * self.rows[i]
        return read_only(mean)

    @cached_property
    def raw_variance(self) -> Floats:
        variance = self.gp.kernel.diagonal(self.candidates)
        for i in range(self.n):
            variance -= self.rows[i] ** 2
        return read_only(variance)

    @property
    def rounding(self) -> float:
        """How far rounding moves the mean, in standard deviations: see `linalg.rounding`."""
        ratio, v = self.last.noise_ratio, self.rows.prior_variance
        offset = self.gp.mean * math.sqrt(ratio / v) if v else 0.0
        return rounding(self.data.residuals, ratio, offset, self.gp.kernel.rounding_units)

    def covariance(self, x: Floats, factor: Floats) -> Floats:
        """k(x, .) - factor'V: the posterior covariance of a point x (d,) with the candidates.

        `factor` (n,) are the entries of x in the rows: V[:, j] for candidate j.
        """
        return self.gp.kernel.evaluate(x[None], self.candidates)[0] - self.rows.combine(factor)


def observed(
    state: State,
    indices: Sequence[int],
    X: Floats,
    y: Floats,
    noise: Sequence[float | None],
) -> State:
    """The state after values y (k,) at points X (k, d), candidates `indices` unless -1."""
    given = [own for own in noise if own is not None]
    if given:  # `Posterior.prior` has warned of the noise variance of the process
        state.gp.warn_if_raised(X, given)
    for j, x, value, own in zip(indices, X, y, noise, strict=True):
        state = extended(state, j, x, own, float(value))
    warn_if_rounded(state.rounding)
    return state


def extended(
    state: State, j: int, x: Floats, noise: float | None = None, y: float | None = None
) -> State:
    """The state after y, or else its own mean, at the point x (d,), candidate j unless -1.

    `noise` is the noise variance of the measurement, or None for that of the process.

    Raises
    ------
    IllConditionedError
        For a posterior variance at x further below 0 than rounding explains, or a mean or
        covariance that overflows.
    """
    if j < 0:
        state = _with_floor_for(state, x, noise)
    n = state.n
    # States that share rows may be extended from several threads.
    with state.rows.lock:
        rows, shared = state.rows.continued(n, [(j, x.tobytes(), noise)])
        if not shared:
            key = _key(state, j, x, noise)
            rows.append(key, state.covariance(x, key.factor) / key.pivot)
    key, row, residual = rows.keys[n], rows[n], 0.0
    if y is not None:
        expected = state.mean[j] if j >= 0 else state.gp.mean + key.factor @ state.data.residuals
        residual = float(y - expected) / key.pivot
    # A hallucination does not change the mean, so both states share the array.
    mean = state.mean + residual * row if residual else state.mean
    if residual and not np.isfinite(mean).all():
        raise out_of_range(f"a mean that overflows after a value of {y:.3g}")
    data = state.data.plus(residual, np.nan if y is None else y)
    return State(state.gp, state.candidates, rows, data, mean, state.raw_variance - row**2)


def _with_floor_for(state: State, x: Floats, noise: float | None) -> State:
    """The same state, with a noise floor that is also enough for the point x (d,).

    The floor is one for all points (`GaussianProcess.effective_noise`): where a point that is not a
    candidate has a larger prior variance than all of these, the earlier points are added again.
    """
    gp, largest = state.gp, float(state.gp.kernel.diagonal(x[None])[0])
    least = min(gp.noise_of([noise, *(key.noise for key in state.keys)]))
    if largest <= state.rows.prior_variance or least >= NOISE_FLOOR * largest:
        return state
    again = State(gp, state.candidates, Rows(len(state.candidates), largest), Data())
    for key, y in zip(state.keys, state.data.y, strict=True):
        value = None if math.isnan(y) else y
        again = extended(again, key.candidate, np.frombuffer(key.point), key.noise, value)
    return again


def _key(state: State, j: int, x: Floats, fixed_noise: float | None) -> Key:
    """The key of the row of one more point, with pivot sqrt(variance + effective noise)."""
    rows, n, kernel, last = state.rows, state.n, state.gp.kernel, state.last
    prior = kernel.diagonal(x[None])
    if j >= 0:
        factor, variance = rows.column(j, n), float(state.raw_variance[j])
    else:
        cross = kernel.evaluate(rows.points(n, len(x)), x[None])[:, 0]
        factor = solve_lower(rows.factor(n), cross)
        variance = float(prior[0] - factor @ factor)
    # Written so that NaN is refused as well.
    if not -0.5 * NOISE_FLOOR * prior[0] <= variance < np.inf:
        raise not_positive_definite(f"a posterior variance of {variance:.3g} at {x.tolist()}")
    given = () if fixed_noise is None else (fixed_noise,)
    noise = float(state.gp.effective_noise(prior, given, rows.prior_variance)[0])
    pivot = math.sqrt(max(variance, 0.0) + noise)
    if not pivot < np.inf:
        raise out_of_range("a variance that overflows")
    ratio = max(last.noise_ratio, float(prior[0]) / noise)
    conditioning = max(last.conditioning, float(prior[0]) / pivot**2)
    gain = last.gain + max(math.log(pivot**2 / noise), 0.0) / 2
    return Key(j, x.tobytes(), fixed_noise, pivot, read_only(factor), ratio, conditioning, gain)


def restricted(state: State, indices: ArrayLike) -> State:
    """The same state over only the candidates `indices` (k,), with rows of its own.

    It stays conditioned on the same n points, and treats all of them as points outside its set.
    """
    chosen = checked_indices(indices, len(state.candidates))
    count(len(chosen), "the number of candidates")
    return State(
        state.gp,
        read_only(state.candidates[chosen]),
        state.rows.restricted(chosen, _outside(state)),
        state.data,
        state.mean[chosen],
        state.raw_variance[chosen],
    )


def conditioned_like(state: State, source: State) -> State:
    """The state after all points of `source`, which began with the same n points.

    The points after these are hallucinated: the mean stays. The source may be over other
    candidates: its factor L determines the rows over these, for which the new points are outside
    the set.
    """
    n = state.n
    keys = _outside(source)[n:]
    with state.rows.lock:
        rows, shared = state.rows.continued(n, [key[:3] for key in keys])
        _append(state, rows, keys[shared:])
    variance = state.raw_variance.copy()
    for i in range(n, source.n):
        variance -= rows[i] ** 2
    return State(state.gp, state.candidates, rows, source.data, state.mean, variance)


def with_rows_of(
    state: State,
    indices: Sequence[int],
    noise: Sequence[float | None],
    progress: Callable[[int, int], None] | None = None,
) -> State:
    """The same state, its rows extended by those of the candidates `indices` (k,) with that noise.

    Missing rows are computed together: each needs only the values of the others at `indices`, which
    the state over these few candidates gives.
    """
    if len(indices) < 2:
        return state
    n = state.n
    with state.rows.lock:
        asked = [(j, b"", own) for j, own in zip(indices, noise, strict=True)]
        rows, shared = state.rows.continued(n, asked)
        if len(indices) - shared < 2:
            return state
        few = restricted(state, indices)
        for i, own in enumerate(noise):
            few = extended(few, i, few.candidates[i], own)
        new = zip(few.keys[n + shared :], indices[shared:], strict=True)
        _append(state, rows, [key._replace(candidate=j) for key, j in new], progress)
    return State(state.gp, state.candidates, rows, state.data, state.mean, state.raw_variance)


def _outside(state: State) -> list[Key]:
    """The keys of the n rows, as for points that are not candidates."""
    return [key if key.candidate < 0 else key._replace(candidate=-1) for key in state.keys]


def _append(
    state: State,
    rows: Rows,
    keys: Sequence[Key],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Append the rows of `keys`, over the candidates of the state."""
    X = np.array([np.frombuffer(key.point) for key in keys])
    cross, Z = state.gp.kernel.evaluate, state.candidates
    rows.append_all(keys, lambda i, j: cross(X[i], Z[j]), progress)
