"""States over a part of the candidates, and the rows of several points at once.

A row is v = (k(x, .) - L_x'V) / pivot: over some candidates it needs nothing of the others but the
pivot and the point's own part of L, and each of its numbers comes from its own column. So a state
can be restricted to some candidates and conditioned on more points there, and its factor can be
used for rows over others; and several points need one pass over the rows instead of one each. The
numbers are the same, bit for bit, as from adding one full row after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.conditioning import State, extended
from ucbpe_core.validation import count, read_only
from ucbpe_core.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.rows import Key, Rows
    from ucbpe_core.validation import Integers


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


def joined(state: State, other: State, order: Integers) -> State:
    """One state over the candidates of `state`, then of `other`, reordered by `order` (k,).

    Both are conditioned on the same n points, all of which then count as outside the set.
    """
    return State(
        state.gp,
        read_only(np.concatenate([state.candidates, other.candidates])[order]),
        state.rows.joined(other.rows, order, _outside(state)),
        state.data,
        np.concatenate([state.mean, other.mean])[order],
        np.concatenate([state.raw_variance, other.raw_variance])[order],
    )


def conditioned_like(state: State, source: State, indices: Sequence[int] = ()) -> State:
    """The state after all points of `source`, which began with the same n points.

    The source may be over other candidates: its factor L determines the rows over these.
    `indices` are the candidates here that the new points are; default: none of them.
    """
    n, candidates = state.n, indices or (-1,) * (source.n - state.n)
    new = zip(source.keys[n:], candidates, strict=True)
    keys = [key._replace(candidate=j) for key, j in new]
    with state.rows.lock:
        rows, shared = state.rows.continued(n, [key[:3] for key in keys])
        _append(state, rows, keys[shared:])
    mean, variance = state.mean.copy(), state.raw_variance.copy()
    for i in range(n, source.n):
        if source.data.residuals[i]:
            mean += source.data.residuals[i] * rows[i]
        variance -= rows[i] ** 2
    return State(state.gp, state.candidates, rows, source.data, mean, variance)


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
