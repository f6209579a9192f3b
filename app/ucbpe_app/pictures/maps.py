"""What all maps of two inputs share: axes, colours, values as images or dots, and outlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Axis, Colors, Label, axis_of, mark, padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark, Palette, Request
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Booleans, Floats

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
        """R+, if it has an outline: where its own bound crosses y•. Without R+ it is that of R.

        Of a policy with a region of its own, that one: where its bound crosses its level.
        """
        own = frame.explored
        if own is None and frame.region_plus is None:
            return self.region(role, scene, frame)
        if own is None:
            return self._plus(role, scene, frame, frame.y_dot, frame.region_plus)
        margin = scene.sign * frame.mean + own.coefficient * frame.std - own.level
        # Without a level the outline runs halfway between points.
        return self.around(role, own.mask, margin if np.isfinite(own.level) else np.ones(1))

    def compared(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """The R+ of GP-UCB-PE, where the policy has a region of its own."""
        return self._plus(role, scene, frame, *(frame.compared or (None, None)))

    def region(self, role: str, scene: Scene, frame: Frame) -> Mark | None:
        """R."""
        if frame.region is None or frame.y_dot is None:
            return None
        margin = self._margin(scene, frame, frame.y_dot, frame.sqrt_beta)
        return self.around(role, frame.region, margin)

    def _plus(
        self, role: str, scene: Scene, frame: Frame, y_dot: float | None, mask: Booleans | None
    ) -> Mark | None:
        if mask is None or y_dot is None:
            return None
        margin = self._margin(scene, frame, y_dot, 2 * float(np.sqrt(frame.beta_next)))
        return self.around(role, mask, margin)

    @staticmethod
    def _margin(scene: Scene, frame: Frame, y_dot: float, multiplier: float) -> Floats:
        """By how much a bound reaches y•, by the std at batch start."""
        margin: Floats = scene.sign * (frame.mean - y_dot) + multiplier * frame.std
        return margin

    def around(self, role: str, mask: Booleans, margin: Floats) -> Mark | None:
        """A set of points, for its outline to be drawn; none of a set that is empty or everything.

        Its numbers have the sign of `margin`, shape (nx * ny,) or (1,), which is >= 0 exactly on
        the set, and go as the root of it up to 127: it is crossed where it is small, and a number
        is a byte.
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


def position(scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
    """Where the candidates are, shape (M,) each."""
    x, y = scene.candidates.T
    return x, y


class Maps:
    """An event over two inputs."""

    def __init__(self, scene: Scene, frame: Frame, request: Request) -> None:
        self.scene, self.frame, self.request = scene, frame, request
        self.grid = Grid.of(scene) if scene.grid else None
        self.x, self.y = self._axis("x", 0), self._axis("y", 1)
        self.places = places_of(frame.picks)

    @property
    def scenes(self) -> list[Scene]:
        """The run and the others."""
        return [self.scene, *(scene for scene, _ in self.request.others)]

    @property
    def text(self) -> str:
        """All of it, for who cannot see it."""
        scene, status = self.scene, self.frame.tell(*self.request.layers.words).status
        return f"{scene.name}, over {scene.axes[0]} and {scene.axes[1]}. {status}."

    def values(self, values: Floats, fraction: float = 1.0) -> Mark:
        """Values over the candidates: an image of a grid, or else dots."""
        if self.grid is not None:
            return self.grid.image("values", values, np.float32)
        x, y = self.scene.candidates.T
        size = np.full(len(x), fraction * self.dot)
        return mark("dots", x=x, y=y, value=values, size=size)

    def veiled(self, inside: Booleans | None, fraction: float = 1.0) -> Mark | None:
        """Rings over the dots outside a region; a grid has an outline in their place."""
        if inside is None or self.grid is not None:
            return None
        x, y = self.scene.candidates[~inside].T
        return mark("veiled", x=x, y=y, size=np.full(len(x), fraction * self.dot + 1))

    def region(self, role: str) -> Mark | None:
        """The outline of R+; off a grid there is none."""
        if self.grid is None:
            return None
        return self.grid.region_plus(role, self.scene, self.request.decision or self.frame)

    @property
    def optimum(self) -> Mark:
        """Where f is best."""
        return marks.optimum(*map(float, self.scene.candidates[self.scene.optimum_index]))

    @property
    def axis_names(self) -> tuple[Label, ...]:
        """The names of both inputs."""
        across, upwards = self.scene.axes[:2]
        return Label(upwards, "", place="axis"), Label(across, "", place="corner")

    def colors(self, palette: Palette, low: float, high: float) -> Colors:
        """Colours from low to high, or those of the same palette in a locked picture."""
        if self.request.locked is not None:
            locked = (plot.colors for plot in self.request.locked.plots.values())
            for colors in locked:
                if colors is not None and colors.palette == palette:
                    return colors
        return Colors(palette, low, high if high > low else low + 1)

    @property
    def dot(self) -> float:
        """Px of a candidate off a grid: together they fill much of the map."""
        size = GEOMETRY.row_of_dots / np.sqrt(len(self.scene.candidates))
        return float(np.clip(size, *GEOMETRY.dot))

    def _axis(self, name: Literal["x", "y"], i: int) -> Axis:
        first = next(iter(self.request.locked.plots), "") if self.request.locked else ""
        ends = edges(np.unique(self.scene.candidates[:, i]))
        return axis_of(self.request, first, name, padded(*ends, GEOMETRY.map_pad))


def places_of(picks: Sequence[PickMark]) -> tuple[Floats, Floats]:
    """Where picks are, shape (K,) each."""
    x, y = np.array([pick.x for pick in picks], float).reshape(-1, 2).T
    return x, y
