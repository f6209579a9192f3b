"""Any number of inputs: each candidate a dot at (std, mean), each choice a straight line."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import (
    Axis,
    Label,
    Picture,
    Plot,
    PlotKind,
    RunKind,
    axis_of,
    mark,
    shown,
)
from ucbpe_app.pictures.plane_geometry import current, lines, window
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import say
from ucbpe_core.errors import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Booleans, Floats, Integers


class Version(NamedTuple):
    """What differs between the planes of a page.

    Attributes
    ----------
    plot : name of the plot
    cells : across and up, in which one dot is enough: a cell is smaller than a dot
    many : of more dots, one for each cell is drawn: all would delay a step
    alone : whether it is the only picture of a run, and so shows the optimum
    small : whether it is one of several under a heading, with nothing but dots and picks
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
        """The candidates in the window; those in the region lie on top."""
        inside = self.frame.inside
        masks = {"plane_dots": self.seen}
        if inside is not None:
            masks = {"plane_dots": self.seen & ~inside, "plane_dots_plus": self.seen & inside}
        dots = {role: self._apart(np.flatnonzero(mask)) for role, mask in masks.items()}
        return [mark(role, x=self.std[at], y=self.mean[at]) for role, at in dots.items()]

    def _apart(self, indices: Integers) -> Integers:
        """Of many candidates the first in each cell: others there would be drawn over it."""
        if len(self.std) <= self.version.many or self.request.size == "print":
            return indices
        (across, up), x, y = self.version.cells, self.x, self.y
        column = np.floor((self.std[indices] - x.low) * (across / (x.high - x.low)))
        row = np.floor((self.mean[indices] - y.low) * (up / (y.high - y.low)))
        _, first = np.unique(row * (across + 1) + column, return_index=True)
        return indices[np.sort(first)]

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


_REACH = 12.0  # px
_LIT = {"upper": "equal_upper", "y_dot": "equal_lower", "region_plus": "half_plane"}


def plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event, to go with that of the function."""
    return _Plane(_BESIDE, scene, frame, request).picture(PLANE)


def large_plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event of a run over more inputs than can be drawn."""
    return _Plane(_LARGE, scene, frame, request).picture(LARGE_PLANE)


def small_plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """A run after a batch, on the same axes as the other runs: dots and picks."""
    return _Plane(_SMALL, scene, frame, request).picture(SMALL_PLANE)


def _kind(
    version: Version, height: int, draw: Callable[[Scene, Frame, Request], Picture]
) -> RunKind:
    """The kind of its pictures."""
    lines: tuple[str, ...] = ()
    area: tuple[str, ...] = ()
    if not version.small:
        lines = ("guide", "compared_edge", "plus_edge", "equal_lower", "equal_upper")
        area = ("half_plane",)
    dots = ("plane_dots", "plane_dots_plus")
    picks = ("pinned_over", version.picks, "optimum") if version.alone else (version.picks,)
    plot = PlotKind(
        name="Decision plane",
        roles=(*area, *dots, *lines, *picks, "pointed"),
        height=height,
        borders=(56, 8, 24, 24),
        ends=False,
        rare=frozenset({"pinned_over", "pointed"}),
    )
    return RunKind(
        "plane",
        MappingProxyType({version.plot: plot}),
        draw=draw,
        position=lambda _, frame: (frame.std_now, frame.mean),
        reach=_REACH,
    )


_BESIDE = Version("plane", GEOMETRY.plane_cells)
_LARGE = Version("large-plane", (200, 120), alone=True)
_SMALL = Version("small", (80, 60), many=500, alone=True, small=True)
PLANE = _kind(_BESIDE, 280, plane)
LARGE_PLANE = _kind(_LARGE, 380, large_plane)
SMALL_PLANE = _kind(_SMALL, 200, small_plane)


class _Plane(Dots):
    """The plot of an event, with its words."""

    def picture(self, kind: RunKind) -> Picture:
        """The plot as a picture."""
        labels = (*self._names, *([] if self.version.small else self._labels))
        status = self.frame.tell(*self.request.layers.words).status
        return Picture(
            kind,
            MappingProxyType({self.version.plot: Plot(self.x, self.y, self.marks, labels)}),
            f"{self.scene.name}, decision plane. {status}.",
            self.request.size,
            _LIT.get(self.request.highlight, ""),
        )

    @property
    def _names(self) -> list[Label]:
        """Of the plot and its axes, and in a corner how many dots are not shown."""
        x, y = self.x, self.y
        title = (
            [] if self.version.small else [Label(say("label.plane"), place="title", strong=True)]
        )
        hidden = int(np.count_nonzero(~self.seen))
        corner = Label(say("label.hidden", hidden=grouped(hidden)), "", x.high, y.high, "point")
        return [
            *title,
            Label(say("label.mean"), place="axis"),
            Label(say("label.std"), "", x.high, y.low, "point"),
            *([corner] if hidden else []),
        ]

    @property
    def _labels(self) -> list[Label]:
        """The names of picks, lines and dots."""
        return [*self._pick_labels, *self._line_labels, *self._dot_labels]

    @property
    def _pick_labels(self) -> list[Label]:
        """Of the pick being made, and where there is room of the others, and of the optimum."""
        labels = []
        # Once measured, picks are close to each other at small std.
        measured = self.frame.event.kind is Event.OBSERVE
        for pick in reversed(self.frame.picks if not measured else ()):
            if pick.current or self.version.alone:
                name = marks.name_of(pick)
                inside = self.frame.region_plus is not None and self.frame.group is None
                if pick.current and pick.role == "pe" and inside:
                    name = say("label.rightmost", pick=name)
                (x,), (y,) = self.at([pick.index])
                labels.append(Label(name, look_of(pick.role), x, y, "point", pick.current))
        if self.best:
            name = "label.optimum" if self.scene.sign > 0 else "label.optimum.minimize"
            labels.append(Label(say(name), "truth", *self.best, "point"))
        if (behind := self.pinned) is not None and len(behind.columns["x"]):
            x, y = (float(behind.columns[name][0]) for name in "xy")
            labels.append(Label(self.request.pinned_label, "pinned", x, y, "point"))
        return labels

    @property
    def _line_labels(self) -> list[Label]:
        bounds = ["label.equal_upper", "label.equal_lower"][:: 1 if self.scene.sign > 0 else -1]
        names = {
            "equal_upper": (say(bounds[0]), "ucb"),
            "equal_lower": (say("label.through_y_dot", line=say(bounds[1])), "y_dot"),
            "compared_edge": (say("label.compared_edge"), "region_plus"),
            "plus_edge": (say(f"label.edge{self.frame.which}"), "region_plus"),
        }
        labels = []
        for line in self.drawn:
            (text, ink), along = names[line.role], GEOMETRY.plane_along[line.role]
            x, y = (along * ends[1] + (1 - along) * ends[0] for ends in line.columns.values())
            labels.append(Label(text, ink, float(x), float(y), "point"))
        return labels

    @property
    def _dot_labels(self) -> list[Label]:
        """What the dots in colour are, above all dots."""
        if self.frame.inside is None or not self.frame.inside.any():
            return []
        return [Label(say(f"label.dots_inside{self.frame.which}"), "region_plus", place="note")]
