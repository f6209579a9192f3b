"""A few points that represent many: weighted k-medoids by backward greedy deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.ties import TIE

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats, Integers


def backward_greedy(X: Floats, weights: Floats, size: int) -> tuple[Integers, Floats]:
    """`size` of the m points X (m, d), chosen to make the sum over i of
    weights_i min over chosen j of |x_i - x_j|^2 small.

    From all points, delete the one whose loss raises the sum least, until `size` are left. Of equal
    losses the point of smaller weight is deleted, then the later one in X.

    Returns
    -------
    chosen : positions in X, by decreasing share; shape (min(size, m),)
    shares : weight of all points nearest to each of them, same shape

    References
    ----------
    Azimi, Fern and Fern, NIPS 2010, the greedy weighted k-medoid algorithm.
    """
    # A power of two, so that nothing is rounded: squares of the distances must not overflow.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(initial=1.0))[1])
    order = np.argsort(-weights, kind="stable")
    # A chosen point of weight 0 represents nothing: all of these are deleted first.
    weighty = order[: max(size, np.count_nonzero(weights))]
    cdist = scipy.spatial.distance.cdist
    kept = weighty[_survivors(cdist(X[weighty], X[weighty], "sqeuclidean"), weights[weighty], size)]
    apart = cdist(X, X[kept], "sqeuclidean")
    tie = TIE * apart.max(initial=0.0)
    nearest = (apart <= apart.min(axis=1, keepdims=True) + tie).argmax(axis=1)
    shares = np.zeros(len(kept))
    np.add.at(shares, nearest, weights)
    ranked = np.argsort(-shares.round(12), kind="stable")
    return kept[ranked], shares[ranked]


def _survivors(distance: Floats, weights: Floats, size: int) -> Integers:
    """Positions left by the deletions, ascending; `distance` (m, m) is squared; of ties the last is
    deleted.

    Deleting a point costs those that it is nearest to the extra distance to their second nearest:
    with both stored, a deletion takes O(m) and a new search for the few points affected.
    """
    tie = TIE * float(distance.max(initial=0.0) * weights.sum())
    distance, m = distance.copy(), len(distance)
    every = np.arange(m)
    deleted = np.zeros(m, dtype=bool)
    pairs = _two_nearest(distance) if m > size else np.empty((2, m), dtype=np.intp)
    for _ in range(m - size):
        nearest, second = pairs
        rise = weights * (distance[every, second] - distance[every, nearest])
        loss = np.bincount(nearest, rise, minlength=m)
        loss[deleted] = np.inf
        gone = int(np.flatnonzero(loss <= loss.min() + tie)[-1])
        deleted[gone] = True
        distance[:, gone] = np.inf
        touched = np.flatnonzero((pairs == gone).any(axis=0))
        pairs[:, touched] = _two_nearest(distance[touched])
    return np.flatnonzero(~deleted)


def _two_nearest(distance: Floats) -> Integers:
    """Columns of the smallest and second smallest entry of each row, shape (2, rows)."""
    nearest = distance.argmin(axis=1)
    others = distance.copy()
    others[np.arange(len(others)), nearest] = np.inf
    return np.stack([nearest, others.argmin(axis=1)])
