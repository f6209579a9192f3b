"""A grid of two inputs: its images, and closed outlines where a smooth function crosses zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from contourpy import LineType, contour_generator

from ucbpe_app.pictures.picture import mark

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Booleans, Floats

_TINY = 1e-12  # relative to the largest margin: far below a pixel, far above rounding


class Grid(NamedTuple):
    """The regular grid of two inputs, in C order.

    Attributes
    ----------
    columns, rows : coordinates along each, shapes (nx,) and (ny,)
    """

    columns: Floats
    rows: Floats

    @classmethod
    def of(cls, scene: Scene) -> Grid:
        """That of a run which has one."""
        ny = scene.grid[1]
        return cls(scene.candidates[::ny, 0], scene.candidates[:ny, 1])

    def image(self, role: str, values: Floats | Booleans, kind: type[np.generic]) -> Mark:
        """Values (nx * ny,) as an image, whose rows are those of y."""
        (left, right), (bottom, top) = edges(self.columns), edges(self.rows)
        shape = len(self.columns), len(self.rows)
        image = np.ascontiguousarray(values.reshape(shape).T, dtype=kind)[np.newaxis]
        width, height = [right - left], [top - bottom]
        return mark(role, image=image, x=[left], y=[bottom], dw=width, dh=height)

    def around_plus(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """The outline of R+, if there is a region: where its own bound crosses y•."""
        return self._around(role, scene, frame, frame.region_plus, 2 * np.sqrt(frame.beta_next))

    def around_region(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """The outline of R."""
        return self._around(role, scene, frame, frame.region, frame.sqrt_beta)

    def _around(
        self, role: str, scene: Scene, frame: Frame, mask: Booleans | None, multiplier: float
    ) -> Mark | None:
        if mask is None or frame.y_dot is None:
            return None
        # Both are by the std at batch start.
        margin = scene.sign * (frame.mean - frame.y_dot) + multiplier * frame.std
        x, y = outline(mask, margin, *self)
        return mark(role, x=x, y=y)


def outline(mask: Booleans, margin: Floats, columns: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """A line around the points of `mask`: its x and its y coordinates.

    It consists of closed loops with NaN between two: however many they are, the browser gets and
    draws them as one. They follow the zero of `margin` between neighbouring points, so they are
    smooth, and run along the edge of the picture where the set reaches it, so that inside and
    outside are never in doubt. Of a set that is empty or everything, there is no line.

    Parameters
    ----------
    mask : the set, shape (nx * ny,) in C order
    margin : a function that is >= 0 exactly on the set, same shape
    columns, rows : coordinates of the grid, shapes (nx,) and (ny,)
    """
    if mask.all() or not mask.any():
        return np.empty(0), np.empty(0)
    shape = len(columns), len(rows)
    tiny = _TINY * max(float(np.abs(margin).max()), np.finfo(float).tiny / _TINY)
    # A point that lies on the boundary belongs to the set, whatever its margin was rounded to.
    exact = np.where(mask, np.maximum(margin, tiny), np.minimum(margin, -tiny)).reshape(shape)
    # The rim outside the set by a hair's breadth moves the crossing onto the rim itself.
    field = np.pad(exact, 1, constant_values=-tiny * 1e-3)
    ((line,),) = contour_generator(
        _rimmed(columns), _rimmed(rows), field.T, line_type=LineType.ChunkCombinedNan
    ).lines(0.0)
    return np.ascontiguousarray(line[:, 0]), np.ascontiguousarray(line[:, 1])


def edges(coordinates: Floats) -> tuple[float, float]:
    """Where a row of cells centred on regular coordinates begins and ends."""
    half = (coordinates[-1] - coordinates[0]) / max(len(coordinates) - 1, 1) / 2
    half = half or 0.5  # a single cell is as wide as anything
    return float(coordinates[0] - half), float(coordinates[-1] + half)


def _rimmed(coordinates: Floats) -> Floats:
    low, high = edges(coordinates)
    return np.concatenate([[low], coordinates, [high]])
