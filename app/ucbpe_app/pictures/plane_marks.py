"""The decision plane: its dots, the lines along which choices are made, and picks, as marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.picture import Axis, axis_of, mark, shown
from ucbpe_app.pictures.plane_geometry import current, lines, window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Booleans, Floats

_DOT, _INSIDE = 1, 2  # values of the image


class Version(NamedTuple):
    """What differs between the planes of a page.

    Attributes
    ----------
    plot : name of the plot
    cells : of the image, across and up; a cell has 1 to 2 px
    many : more dots than these are an image: markers would delay a step, or hide each other
    alone : whether it is the only picture of a run, and so shows the optimum
    small : whether it stands among others under a heading, with nothing but dots and picks
    """

    plot: str
    cells: tuple[int, int]
    many: int = GEOMETRY.plane_many
    alone: bool = False
    small: bool = False

    @property
    def picks(self) -> str:
        """The role of its picks."""
        return "picks_small" if self.small else "picks_over"


class Dots:
    """The marks of an event."""

    def __init__(self, version: Version, scene: Scene, frame: Frame, request: Request) -> None:
        self.version, self.scene, self.frame, self.request = version, scene, frame, request
        self.std, self.mean, self.pick = frame.std_now, frame.mean, current(frame)
        x, y = self._window
        self.x = axis_of(request, version.plot, "x", x)
        self.y = axis_of(request, version.plot, "y", y)
        self.seen = _within(self.x, self.std) & _within(self.y, self.mean)
        self.lines = lines(scene, frame)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Dots, lines and picks."""
        picks = self.frame.picks
        at = np.array([pick.index for pick in picks], int)
        made = marks.picks(
            picks, self.std[at], self.mean[at], self.version.picks, color=self.request.color
        )
        around = [self._half_plane, *self._dots, *self.drawn, self._guide]
        return shown([*around, self.pinned, made, self._optimum, self._pointed])

    @property
    def _window(self) -> tuple[Axis, Axis]:
        """That of all runs on these axes."""
        behind = self.request.pinned if self.version.alone else None
        runs = [(self.scene, self.frame), *self.request.others]
        runs += [(self.scene, behind)] if behind else []
        xs, ys = zip(*(window(*run) for run in runs), strict=True)
        return _around(xs), _around(ys)

    def at(self, indices: Sequence[int]) -> tuple[list[float], list[float]]:
        """Where candidates are."""
        return self.std[indices].tolist(), self.mean[indices].tolist()

    @property
    def _dots(self) -> list[Mark]:
        """Every candidate in the window; those in the region lie on top."""
        inside = self.frame.inside
        if len(self.std) > self.version.many and self.request.size != "print":
            return [self._image(inside)]
        masks = {"plane_dots": self.seen}
        if inside is not None:
            masks = {"plane_dots": self.seen & ~inside, "plane_dots_plus": self.seen & inside}
        return [mark(role, x=self.std[mask], y=self.mean[mask]) for role, mask in masks.items()]

    def _image(self, inside: Booleans | None) -> Mark:
        """The same as cells, each of which can hold several."""
        (across, up), x, y = self.version.cells, self.x, self.y
        column = np.floor((self.std - x.low) * (across / (x.high - x.low)))
        row = np.floor((self.mean - y.low) * (up / (y.high - y.low)))
        # The last cells hold what is on the rim.
        cells = np.minimum(row, up - 1) * across + np.minimum(column, across - 1)
        image = np.zeros(up * across, dtype=np.uint8)
        image[cells[self.seen].astype(np.int64)] = _DOT
        if inside is not None:
            image[cells[self.seen & inside].astype(np.int64)] = _INSIDE
        place = {"x": [x.low], "y": [y.low], "dw": [x.high - x.low], "dh": [y.high - y.low]}
        return mark("plane_image", image=image.reshape(1, up, across), **place)

    @property
    def drawn(self) -> list[Mark]:
        """The part of each line in the window."""
        ends = {role: line.within(self.x, self.y) for role, line in self.lines.items()}
        return [mark(role, x=end[0], y=end[1]) for role, end in ends.items() if end is not None]

    @property
    def _guide(self) -> Mark | None:
        """The std of a PE pick: no dot of R+ is right of it."""
        if self.pick is None or self.pick.role != "pe":
            return None
        return mark("guide", x=[self.pick.std])

    @property
    def _half_plane(self) -> Mark | None:
        """R+ above its edge, or below where f is minimised."""
        if (edge := self.lines.get("plus_edge")) is None:
            return None
        x = edge.crossing(self.x, self.y)
        line = np.clip(edge.start + edge.slope * x, self.y.low, self.y.high)
        above = self.scene.sign > 0
        rim = np.full_like(line, self.y.high if above else self.y.low)
        lower, upper = (line, rim) if above else (rim, line)
        return mark("half_plane", x=x, lower=lower, upper=upper)

    @property
    def pinned(self) -> Mark | None:
        """What a run behind picked."""
        behind = self.request.pinned
        if behind is None or not self.version.alone:
            return None
        indices = [pick.index for pick in behind.picks]
        looks = np.array([marks.mark_of(pick.role).marker for pick in behind.picks], str)
        return mark("pinned_over", x=behind.std_now[indices], y=behind.mean[indices], marker=looks)

    @property
    def _optimum(self) -> Mark | None:
        return marks.optimum(*self.best) if self.best else None

    @property
    def best(self) -> tuple[float, float] | None:
        """Where the optimum of f is, if it is shown."""
        if not (self.version.alone and self.request.layers.truth):
            return None
        best = self.scene.optimum_index
        return float(self.std[best]), float(self.mean[best])

    @property
    def _pointed(self) -> Mark | None:
        index = self.request.pointed
        return None if index is None else marks.pointed(self.std[index], self.mean[index])


def _within(axis: Axis, values: Floats) -> Booleans:
    return (axis.low <= values) & (values <= axis.high)


def _around(axes: Sequence[Axis]) -> Axis:
    """The range that holds these."""
    return Axis(min(axis.low for axis in axes), max(axis.high for axis in axes))
