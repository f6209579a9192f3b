"""Posteriors over a part of the candidates, and the rows of several points at once.

A row is v = (k(x, .) - L_x'V) / pivot: over some candidates it needs nothing of the others but the
pivot and the point's own part of L, and each of its numbers comes from its own column. So a
posterior can be restricted to some candidates and conditioned on more points there, and its factor
can be used for rows over others; and several points need one pass over the rows instead of one
each. The numbers are the same, bit for bit, as from adding one full row after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.conditioning import extended
from ucbpe_core.validation import count
from ucbpe_core.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.rows import Key, Rows
    from ucbpe_core.validation import Integers


def restrict(posterior: Posterior, indices: ArrayLike) -> Posterior:
    """The same posterior over only the candidates `indices` (k,), with its own rows.

    It stays conditioned on the same n points, and treats all of them as points outside its set.
    """
    chosen = checked_indices(indices, len(posterior.candidates))
    count(len(chosen), "the number of candidates")
    return posterior._derived(
        posterior._rows.restricted(chosen, posterior._keys_outside),
        posterior._data,
        posterior.mean[chosen],
        posterior._unclipped_variance[chosen],
        posterior.candidates[chosen],
    )


def join(one: Posterior, other: Posterior, order: Integers) -> Posterior:
    """One posterior over the candidates of `one`, then of `other`, reordered by `order` (k,).

    Both are conditioned on the same n points, all of which then count as outside the set.
    """
    return one._derived(
        one._rows.joined(other._rows, order, one._keys_outside),
        one._data,
        np.concatenate([one.mean, other.mean])[order],
        np.concatenate([one._unclipped_variance, other._unclipped_variance])[order],
        np.concatenate([one.candidates, other.candidates])[order],
    )


def condition_like(
    posterior: Posterior, source: Posterior, indices: Sequence[int] = ()
) -> Posterior:
    """The posterior after all points of `source`, which began with the same n points.

    The source may be over other candidates: its factor L determines the rows over these.
    `indices` are the candidates here that the new points are; default: none of them.
    """
    rows, n = posterior._rows, posterior.n
    keys = source._keys_outside[n:]
    if indices:
        keys = [key._replace(candidate=j) for key, j in zip(keys, indices, strict=True)]
    with rows.lock:
        known = rows.agreement(n, [key[:3] for key in keys])
        if len(rows.keys) > n + known:
            rows = rows.branch(n + known)
        _append(posterior, rows, keys[known:])
    mean, variance = posterior.mean.copy(), posterior._unclipped_variance.copy()
    for i in range(n, source.n):
        if source._data.residuals[i]:
            mean += source._data.residuals[i] * rows[i]
        variance -= rows[i] ** 2
    return posterior._derived(rows, source._data, mean, variance)


def with_rows_of(
    posterior: Posterior,
    indices: list[int],
    noise: Sequence[float | None],
    progress: Callable[[int, int], None] | None = None,
) -> Posterior:
    """The same posterior, its rows extended by those of `indices` (k,) with that noise.

    Missing rows are computed together: each needs only the values of the others at `indices`, which
    the posterior over these few candidates gives.
    """
    if len(indices) < 2:
        return posterior
    rows, n = posterior._rows, posterior.n
    with rows.lock:
        known = rows.agreement(n, [(j, b"", s) for j, s in zip(indices, noise, strict=True)])
        if len(indices) - known < 2:
            return posterior
        if len(rows.keys) > n + known:
            rows = rows.branch(n + known)
        auxiliary = restrict(posterior, indices)
        for i, s in enumerate(noise):
            auxiliary = extended(auxiliary, i, auxiliary.candidates[i], s)
        made = auxiliary._rows.keys[n + known :]
        keys = [key._replace(candidate=j) for j, key in zip(indices[known:], made, strict=True)]
        _append(posterior, rows, keys, progress)
    mean, variance = posterior.mean, posterior._unclipped_variance
    return posterior._derived(rows, posterior._data, mean, variance)


def _append(
    posterior: Posterior,
    rows: Rows,
    keys: list[Key],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Append the rows of `keys`, over the posterior's candidates."""
    points = np.array([np.frombuffer(key.point) for key in keys])
    cross, X = posterior.gp.kernel.evaluate, posterior.candidates
    rows.append_all(keys, lambda i, j: cross(points[i], X[j]), progress)
