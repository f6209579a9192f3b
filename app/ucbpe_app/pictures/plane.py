"""Any number of inputs: each candidate a dot at (std, mean), each choice a straight line."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.picture import (
    Label,
    Picture,
    Plot,
    PlotKind,
    RunKind,
)
from ucbpe_app.pictures.plane_marks import Dots, Version
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import pick_label, say
from ucbpe_core.errors import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pictures.picture import Request
    from ucbpe_app.run.frames import Frame, Scene

_REACH = 12.0  # px
_LIT = {"upper": "equal_upper", "y_dot": "equal_lower", "region_plus": "half_plane"}


def plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event beside that of the function."""
    return _Plane(_BESIDE, scene, frame, request).picture(PLANE)


def large_plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event of a run over more inputs than can be drawn."""
    return _Plane(_LARGE, scene, frame, request).picture(LARGE_PLANE)


def small_plane(scene: Scene, frame: Frame, request: Request) -> Picture:
    """A run after a batch, beside others on the same axes: dots and picks."""
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
    dots = ("plane_dots", "plane_dots_plus", "plane_image")
    picks = ("pinned_over", version.picks, "optimum") if version.alone else (version.picks,)
    plot = PlotKind(
        name="Decision plane",
        roles=(*area, *dots, *lines, *picks, "pointed"),
        height=height,
        borders=(56, 8, 24, 24),
        ends=False,
        rare=frozenset({"pinned_over", "compared_edge", "pointed"}),
    )
    return RunKind(
        "plane",
        MappingProxyType({version.plot: plot}),
        draw=draw,
        position=lambda _, frame: (frame.std_now, frame.mean),
        reach=_REACH,
    )


_BESIDE = Version("plane", GEOMETRY.plane_cells)
_LARGE = Version("large-plane", (400, 240), alone=True)
_SMALL = Version("small", (160, 120), many=500, alone=True, small=True)
PLANE = _kind(_BESIDE, 280, plane)
LARGE_PLANE = _kind(_LARGE, 380, large_plane)
SMALL_PLANE = _kind(_SMALL, 200, small_plane)


class _Plane(Dots):
    """The plot of an event, with its words."""

    def picture(self, kind: RunKind) -> Picture:
        """The plot as a picture."""
        labels = (*self._names, *([] if self.version.small else self._labels))
        return Picture(
            kind,
            MappingProxyType({self.version.plot: Plot(self.x, self.y, self.marks, labels)}),
            f"{self.scene.name}, decision plane. {self.frame.status}.",
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
            Label(say("label.mean"), "", x.low, y.low, "point"),
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
                name = pick_label(pick.number)
                if pick.current and pick.role == "pe" and self.frame.region_plus is not None:
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
        """Where the region is, beyond its rightmost dot, and the worst dot, which is outside: the
        name of a dot near the edge would stand on the other side.
        """
        inside = self.frame.inside
        if inside is None or not inside.any():
            return []
        high = GEOMETRY.plane_name if self.scene.sign > 0 else 1 - GEOMETRY.plane_name
        top = self.y.low + high * (self.y.high - self.y.low)
        edge = float(self.std[inside].max())
        which = self.frame.which
        labels = [Label(say(f"label.dots_inside{which}"), "region_plus", edge, top, "point")]
        outside = np.flatnonzero(self.seen & ~inside)
        if len(outside):
            (x,), (y,) = self.at([int(outside[(self.scene.sign * self.mean[outside]).argmin()])])
            labels.append(Label(say(f"label.dots_outside{which}"), "", x, y, "point"))
        return labels
