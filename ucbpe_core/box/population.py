"""Many points of the unit cube at once: local maxima, random moves, samples of a region.

Every step evaluates all points in one call, so that it costs little compared with improving one
point by gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.validation import Booleans, Floats, Integers

# Standard deviation of a random step, as powers of ten of the side of the cube: from the scale that
# gradient steps resolve to a third of the side.
_FINEST, _COARSEST = -3.5, -0.5
# Moves tried per point in one round of `evolve`, by kind: see `_moves`.
_NEAR, _ALONG, _TO_FACE, _DIFFERENCE = 4, 2, 1, 1
# After this many misses of the region a point stays where it is.
_SHRINKS = 8


def maxima_first(U: Floats, values: Floats) -> Integers:
    """Order of the points U (m, d): first those higher than their 2 d nearest neighbours, by
    falling value, then the others likewise.

    No fixed radius excludes lower points: the local density of the points decides how close two
    maxima may be.
    """
    m, d = U.shape
    if not m:
        return np.empty(0, dtype=np.intp)
    near = scipy.spatial.cKDTree(U).query(U, k=np.arange(1, min(m, 2 * d + 1) + 1))[1]
    return np.lexsort([-values, values < values[near].max(axis=1)])


def clouds(centres: Floats, count: int, rng: np.random.Generator) -> Floats:
    """`count` points around `centres` (n, d), in turn, at distances of all orders of magnitude.

    Maxima near measured points can be far narrower than the distance between samples.
    """
    if not len(centres):
        return centres
    return _steps(centres[np.arange(count) % len(centres)], rng)


def evolve(
    points: Floats,
    values: Floats,
    acquisition: Callable[[Floats], Floats],
    holds: Callable[[Floats], Booleans],
    rounds: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Points (p, d) and values (p,) of an acquisition after `rounds` of random moves.

    In a round each point tries eight moves, and takes the best if that is higher and the condition
    `holds` there: near it, along one axis, onto a face of the cube, and by the difference of two
    other points. Points do not compete with each other, so those on lower peaks, or in small
    components of a region, are kept.
    """
    p, d = points.shape
    if not p:
        return points, values
    for _ in range(rounds):
        tried = _moves(points, rng)
        reached = acquisition(tried.reshape(-1, d)).reshape(p, -1)
        rows, moves = np.nonzero(reached > values[:, None])
        if len(rows):
            held = holds(tried[rows, moves])
            rows, moves = rows[held], moves[held]
        higher = np.full(reached.shape, -np.inf)
        higher[rows, moves] = reached[rows, moves]
        best, most = higher.argmax(axis=1), higher.max(axis=1)
        better = most > values
        points = np.where(better[:, None], tried[np.arange(p), best], points)
        values = np.where(better, most, values)
    return points, values


def hit_and_run(
    points: Floats, holds: Callable[[Floats], Booleans], rounds: int, rng: np.random.Generator
) -> Floats:
    """Points of a region, from points (p, d) in it, by hit-and-run: up to p * rounds of them.

    Each moves, in a random direction, to a uniformly drawn point of the line through the cube;
    while that is outside the region, the line is shortened to it (slice sampling, Neal 2003,
    section 4).
    """
    found = [points]
    for i in range(rounds):
        along = _directions(points.shape, rng, one_axis=i % 2 == 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([-points / along, (1 - points) / along])
        ends = np.where(along == 0, [[[-np.inf]], [[np.inf]]], ends)
        back, forth = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        left = np.ones(len(points), dtype=bool)
        for _ in range(_SHRINKS):
            step = back + (forth - back) * rng.random(len(points))
            place = np.clip(points + step[:, None] * along, 0, 1)
            reached = np.zeros_like(left)
            reached[left] = holds(place[left])
            points = np.where(reached[:, None], place, points)
            left &= ~reached
            if not left.any():
                break
            back, forth = np.where(step < 0, step, back), np.where(step < 0, forth, step)
        found.append(points)
    return np.unique(np.concatenate(found), axis=0)


def _directions(shape: tuple[int, ...], rng: np.random.Generator, *, one_axis: bool) -> Floats:
    """Of the unit sphere, or along one axis."""
    if one_axis:
        return np.eye(shape[1])[rng.integers(shape[1], size=shape[0])]
    direction = rng.standard_normal(shape)
    return direction / np.linalg.norm(direction, axis=1, keepdims=True)


def _steps(points: Floats, rng: np.random.Generator) -> Floats:
    """Gaussian steps of all orders of magnitude from points (..., d), inside the cube."""
    size = 10 ** rng.uniform(_FINEST, _COARSEST, (*points.shape[:-1], 1))
    return np.clip(points + size * rng.standard_normal(points.shape), 0, 1)


def _moves(points: Floats, rng: np.random.Generator) -> Floats:
    """Eight moves of each of the points (p, d), shape (p, 8, d)."""
    p, d = points.shape
    near = _steps(np.repeat(points[:, None], _NEAR, axis=1), rng)
    along = np.repeat(points[:, None], _ALONG + _TO_FACE, axis=1)
    place = rng.random((p, _ALONG + _TO_FACE))
    place[:, _ALONG:] = np.round(place[:, _ALONG:])
    axis = rng.integers(d, size=place.shape)
    np.put_along_axis(along, axis[..., None], place[..., None], axis=2)
    first, second = rng.integers(p, size=(2, p, _DIFFERENCE))
    apart = rng.random((p, _DIFFERENCE, 1)) * (points[first] - points[second])
    return np.concatenate([near, along, np.clip(points[:, None] + apart, 0, 1)], axis=1)
