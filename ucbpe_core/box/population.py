"""Many points of a box at once: local maxima among them, random moves, samples of a region.

Every step evaluates all points in one call, so that it costs little beside improving one point by
gradient. Steps are relative to the sides of the box; nothing depends on the units of x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Booleans, Floats, Integers

# Standard deviation of a random step, as powers of ten of the side: from what a gradient step
# finishes to a third of the box.
_FINEST, _COARSEST = -3.5, -0.5
# Moves tried per point in one round of `evolved`, by kind: see `_moved`.
_NEAR, _ALONG, _TO_FACE, _DIFFERENCE = 4, 2, 1, 1
# A slice that misses the region this often is left where it was.
_SHRINKS = 8


def maxima_first(U: Floats, values: Floats) -> Integers:
    """Order of the points U (m, d) of the unit cube: those higher than their 2 d nearest, the
    highest first, and then the others likewise.

    There is no radius within which a lower point is left out: how near two maxima may be follows
    from how dense the points are there.
    """
    m, d = U.shape
    if not m:
        return np.empty(0, dtype=np.intp)
    near = scipy.spatial.cKDTree(U).query(U, k=np.arange(1, min(m, 2 * d + 1) + 1))[1]
    return np.lexsort([-values, values < values[near].max(axis=1)])


def clouds(centres: Floats, box: Floats, count: int, rng: np.random.Generator) -> Floats:
    """`count` points around `centres` (n, d), in turn, at distances of all orders of magnitude.

    Maxima near measured points can be far narrower than the distance between samples of the box.
    """
    if not len(centres):
        return centres
    chosen = centres[np.arange(count) % len(centres)]
    return _stepped(chosen, box, rng)


def evolved(
    points: Floats,
    values: Floats,
    box: Floats,
    surface: Callable[[Floats], Floats],
    holds: Callable[[Floats], Booleans] | None,
    rounds: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Points (p, d) and values (p,) of a surface after `rounds` of random moves.

    In a round each point tries eight moves, and takes the best if that is higher, and where the
    condition `holds`, if any: near it, along one axis, onto a face of the box, and by the
    difference of two other points. Points do not compete with each other, so that those on lower
    hills, or in small components of a region, stay.
    """
    p, d = points.shape
    if not p:
        return points, values
    for _ in range(rounds):
        tried = _moved(points, box, rng)
        reached = surface(tried.reshape(-1, d)).reshape(p, -1)
        rows, moves = np.nonzero(reached > values[:, None])
        if holds is not None and len(rows):
            held = holds(tried[rows, moves])
            rows, moves = rows[held], moves[held]
        higher = np.full(reached.shape, -np.inf)
        higher[rows, moves] = reached[rows, moves]
        best, most = higher.argmax(axis=1), higher.max(axis=1)
        better = most > values
        points = np.where(better[:, None], tried[np.arange(p), best], points)
        values = np.where(better, most, values)
    return points, values


def sampled_inside(
    points: Floats,
    box: Floats,
    holds: Callable[[Floats], Booleans],
    rounds: int,
    rng: np.random.Generator,
) -> Floats:
    """Points of a region, from points (p, d) in it, by hit-and-run: up to p * rounds of them.

    Each goes, in a random direction, to a uniform place of the line through the box; as long as
    that is outside the region the line is cut there (slice sampling, Neal 2003, section 4).
    """
    low, high = box.T
    found = [points]
    for i in range(rounds):
        along = (high - low) * _directions(points.shape, rng, one_axis=i % 2 == 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([(low - points) / along, (high - points) / along])
        ends = np.where(along == 0, [[[-np.inf]], [[np.inf]]], ends)
        back, forth = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        left = np.ones(len(points), dtype=bool)
        for _ in range(_SHRINKS):
            step = back + (forth - back) * rng.random(len(points))
            place = np.clip(points + step[:, None] * along, low, high)
            reached = np.zeros_like(left)
            reached[left] = holds(place[left])
            points = np.where(reached[:, None], place, points)
            left &= ~reached
            if not left.any():
                break
            back = np.where(step < 0, step, back)
            forth = np.where(step < 0, forth, step)
        found.append(points)
    return np.unique(np.concatenate(found), axis=0)


def _directions(shape: tuple[int, ...], rng: np.random.Generator, *, one_axis: bool) -> Floats:
    """Of the unit sphere, or along one axis."""
    if one_axis:
        return np.eye(shape[1])[rng.integers(shape[1], size=shape[0])]
    direction = rng.standard_normal(shape)
    return direction / np.linalg.norm(direction, axis=1, keepdims=True)


def _stepped(points: Floats, box: Floats, rng: np.random.Generator) -> Floats:
    """Gaussian steps of all orders of magnitude from points (..., d), inside the box."""
    low, high = box.T
    size = 10 ** rng.uniform(_FINEST, _COARSEST, (*points.shape[:-1], 1))
    step = size * rng.standard_normal(points.shape)
    return np.clip(points + (high - low) * step, low, high)


def _moved(points: Floats, box: Floats, rng: np.random.Generator) -> Floats:
    """Eight moves of each of the points (p, d), shape (p, 8, d)."""
    low, high = box.T
    p, d = points.shape
    near = _stepped(np.repeat(points[:, None], _NEAR, axis=1), box, rng)
    along = np.repeat(points[:, None], _ALONG + _TO_FACE, axis=1)
    place = rng.random((p, _ALONG + _TO_FACE))
    place[:, _ALONG:] = np.round(place[:, _ALONG:])
    axis = rng.integers(d, size=place.shape)
    value = np.clip(low[axis] + (high - low)[axis] * place, low[axis], high[axis])
    np.put_along_axis(along, axis[..., None], value[..., None], axis=2)
    one, other = rng.integers(p, size=(2, p, _DIFFERENCE))
    apart = rng.random((p, _DIFFERENCE, 1)) * (points[one] - points[other])
    difference = np.clip(points[:, None] + apart, low, high)
    return np.concatenate([near, along, difference], axis=1)
