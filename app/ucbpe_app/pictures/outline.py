"""A grid of two inputs: its images, and sets of its points whose outlines are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures.picture import mark

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Booleans, Floats

_MOST = 127


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

    def region_plus(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """R+, if it has an outline: where its own bound crosses y•."""
        return self._region(role, scene, frame, frame.region_plus, 2 * np.sqrt(frame.beta_next))

    def region(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """R."""
        return self._region(role, scene, frame, frame.region, frame.sqrt_beta)

    def _region(
        self, role: str, scene: Scene, frame: Frame, mask: Booleans | None, multiplier: float
    ) -> Mark | None:
        if mask is None or frame.y_dot is None:
            return None
        # Both are by the std at batch start.
        margin = scene.sign * (frame.mean - frame.y_dot) + multiplier * frame.std
        return self.around(role, mask, margin)

    def around(self, role: str, mask: Booleans, margin: Floats) -> Mark | None:
        """A set of points, for its outline to be drawn; none of a set that is empty or everything.

        Its numbers have the sign of `margin`, shape (nx * ny,), which is >= 0 exactly on the set,
        and go as the root of it up to 127: it is crossed where it is small, and a number is a byte.
        """
        if mask.all() or not mask.any():
            return None
        # A point on the boundary belongs to the set, whatever its margin was rounded to.
        size = np.maximum(np.rint(_MOST * np.sqrt(np.abs(margin) / np.abs(margin).max())), 1)
        return self.image(role, np.where(mask, size, -size), np.int8)


def edges(coordinates: Floats) -> tuple[float, float]:
    """Where a row of cells centred on regular coordinates begins and ends."""
    half = (coordinates[-1] - coordinates[0]) / max(len(coordinates) - 1, 1) / 2
    half = half or 0.5  # a single cell is as wide as anything
    return float(coordinates[0] - half), float(coordinates[-1] + half)
