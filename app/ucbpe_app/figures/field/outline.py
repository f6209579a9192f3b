"""Closed outlines of a set of grid points, drawn where a smooth function crosses zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from contourpy import LineType, contour_generator

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats

_TINY = 1e-12  # relative to the largest margin: far below a pixel, far above rounding


def outline(
    mask: Booleans, margin: Floats, columns: Floats, rows: Floats
) -> tuple[list[Floats], list[Floats]]:
    """A line around the points of `mask`: its x and its y coordinates, each in a list of one.

    It consists of closed loops with NaN between two: however many they are, the browser gets and
    draws them as one. They follow the zero of `margin` between neighbouring points, so they are
    smooth, and run along the edge of the picture where the set reaches it, so that inside and
    outside are never in doubt. Of a set that is empty or everything, both lists are empty.

    Parameters
    ----------
    mask : the set, shape (nx * ny,) in C order
    margin : a function that is >= 0 exactly on the set, same shape
    columns, rows : coordinates of the grid, shapes (nx,) and (ny,)
    """
    if mask.all() or not mask.any():
        return [], []
    shape = len(columns), len(rows)
    tiny = _TINY * max(float(np.abs(margin).max()), np.finfo(float).tiny / _TINY)
    # A point that lies on the boundary belongs to the set, whatever its margin was rounded to.
    exact = np.where(mask, np.maximum(margin, tiny), np.minimum(margin, -tiny)).reshape(shape)
    # The rim outside the set by a hair's breadth moves the crossing onto the rim itself.
    field = np.pad(exact, 1, constant_values=-tiny * 1e-3)
    ((line,),) = contour_generator(
        _rimmed(columns), _rimmed(rows), field.T, line_type=LineType.ChunkCombinedNan
    ).lines(0.0)
    return [line[:, 0]], [line[:, 1]]


def edges(coordinates: Floats) -> tuple[float, float]:
    """Where a row of cells centred on regular coordinates begins and ends."""
    half = (coordinates[-1] - coordinates[0]) / max(len(coordinates) - 1, 1) / 2
    half = half or 0.5  # a single cell is as wide as anything
    return float(coordinates[0] - half), float(coordinates[-1] + half)


def _rimmed(coordinates: Floats) -> Floats:
    low, high = edges(coordinates)
    return np.concatenate([[low], coordinates, [high]])
