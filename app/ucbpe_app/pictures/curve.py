"""One input: the posterior with what is chosen on it, R and R+ as strips, and the std."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import joint, marks, on_request
from ucbpe_app.pictures.along import Candidates, counted, lines, names, pick_heights, roles
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
    padded,
    ragged,
    shown,
)
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import at_least, number, percentage, pick_label, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Booleans, Floats


_LOWER, _UPPER = GEOMETRY.lower_strip, GEOMETRY.upper_strip
_ROWS = MappingProxyType({"region": ("R", _UPPER), "region_plus": ("R⁺", _LOWER)})
_ALONE = MappingProxyType({"region": ("R", (0.62, 1.38))})
_OWN = MappingProxyType({"compared": ("R⁺", _UPPER), "region_plus": ("own", _LOWER)})


def strips(
    scene: Scene, frame: Frame, request: Request, along: Candidates, x: Axis, guide: Mark | None
) -> Plot:
    """The strips of an event, empty where its regions are not known yet, over the axis `x`."""
    plain, (rows, masks) = request.layers.plain, _regions(scene, frame)
    drawn = [along.intervals(role, mask, *rows[role][1]) for role, mask in masks.items()]
    low, high = zip(_LOWER, _UPPER, strict=True)
    ends = {"left": [along.edges[0]] * 2, "right": [along.edges[-1]] * 2}
    known = {role: mask for role, mask in masks.items() if mask is not None}
    ground = mark("strip", **ends, bottom=low, top=high) if known else None
    labels = (
        Label(say(f"label.{role}", plain=plain, share=percentage(mask)), role, 0,
              sum(rows[role][1]) / 2)
        for role, mask in known.items()
    )  # fmt: skip
    # The names only once a lesson has explained them.
    ticks = ((sum(place) / 2, "" if plain else name) for name, place in rows.values())
    axis = Axis(0.0, 2.0, tuple(sorted(ticks)))
    return Plot(x, axis, shown([ground, *drawn, guide]), tuple(labels))


def _regions(
    scene: Scene, frame: Frame
) -> tuple[Mapping[str, tuple[str, tuple[float, float]]], Mapping[str, Booleans | None]]:
    """The rows of strips, and what is in each: R and R+, R alone where no policy picks inside R+.

    Of a policy with a region of its own, that one, where picks are made, and for comparison R+.
    """
    if scene.own_region:
        plus = None if frame.compared is None else frame.compared[1]
        return _OWN, {"compared": plus, "region_plus": frame.inside}
    if not scene.uses_region:
        return _ALONE, {"region": frame.region}
    return _ROWS, {"region": frame.region, "region_plus": frame.region_plus}


def deviation(
    scene: Scene, frame: Frame, request: Request, along: Candidates, x: Axis, guide: Mark | None
) -> Plot:
    """The std of an event: strong where a pick can be made, and before this pick.

    Its axis is that of the run, so that the std is seen to fall, and one of square roots: that of a
    region, later a small part of that elsewhere, still has a shape.
    """
    shifts, shift_labels = joint.shifts(scene, frame, request)
    at, waiting = ([pick.index for pick in some] for some in (frame.picks, frame.pending))
    y, pointed = axis_of(request, "std", "y", _axis(scene)), request.pointed
    drawn = [
        guide,
        shifts,
        *lines(scene, frame, request.layers, along, "std"),
        marks.pending(frame, scene.candidates[waiting, 0], frame.std_now[waiting]),
        marks.picks(frame.picks, np.array([pick.x[0] for pick in frame.picks], float),
                    frame.std_now[at]),
        None if pointed is None else marks.pointed(
            float(scene.candidates[pointed, 0]), float(frame.std_now[pointed])
        ),
    ]  # fmt: skip
    labels = (
        Label(_title(frame, plain=request.layers.plain), "", place="title"),
        Label(scene.axes[0], "", place="corner"),
        *_names(frame, plain=request.layers.plain),
        *shift_labels,
    )
    rooted = tuple(replace(label, y=float(np.sqrt(label.y))) for label in labels)
    return Plot(x, y, tuple(map(_rooted, shown(drawn))), rooted)


def _rooted(one: Mark) -> Mark:
    columns = dict(one.columns)
    if "y" in columns:
        columns["y"] = np.sqrt(columns["y"])
    if "ys" in columns:  # of a kernel, which can be below 0
        columns["ys"] = ragged([np.sqrt(np.maximum(ys, 0.0)) for ys in columns["ys"]])
    return mark(one.role, **columns)


def _axis(scene: Scene) -> Axis:
    largest = scene.largest_std or 1.0
    top, highest = math.sqrt(largest), _round_below(largest)
    named = (0.0, _round_below(highest / 4), highest)
    ticks = tuple((math.sqrt(tick), number(tick)) for tick in named)
    return Axis(-GEOMETRY.std_pad / 2 * top, (1 + GEOMETRY.std_pad) * top, ticks)


def _round_below(most: float) -> float:
    """The largest of 1, 2, 5, 10, 20, .. and their fractions that is not above it."""
    decade = math.floor(math.log10(most))
    steps = (float(f"{first}e{decade + i}") for i in (-1, 0, 1) for first in (1, 2, 5))
    return max(step for step in steps if step <= most)


def _title(frame: Frame, *, plain: bool) -> str:
    parts = []
    if frame.std_before is not None and (taken := counted(frame)):
        parts.append(say("label.before", plain=plain, pick=pick_label(taken[-1].number)))
    if frame.inside is not None and not frame.inside.all():
        parts.append(say(f"label.outside{frame.which}", plain=plain))
    return say("label.std", plain=plain) + (f" ({'; '.join(parts)})" if parts else "")


def _names(frame: Frame, *, plain: bool) -> list[Label]:
    """The std of the pick that the event makes; of one by the std, that it is the largest."""
    return [
        Label(
            say(f"label.std_of{'.pe' if pick.role == 'pe' else ''}", plain=plain,
                pick=marks.name_of(pick), std=number(pick.std)),
            look_of(pick.role), float(pick.x[0]), pick.std, "point", strong=True,
        )
        for pick in frame.picks
        if pick.current
    ]  # fmt: skip


def curve(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event of a run over one input."""
    plots = _Curve(scene, frame, request)
    has_region = scene.uses_region or scene.own_region or frame.region is not None
    regions = {"region": plots.regions} if has_region else {}
    return Picture(
        CURVE,
        MappingProxyType({"function": plots.function, **regions, "std": plots.deviation}),
        f"{scene.name}, over {scene.axes[0]}. {frame.tell(*request.layers.words).status}.",
        request.size,
        "band" if request.highlight == "upper" else request.highlight,
    )


CURVE = RunKind(
    "curve",
    MappingProxyType(
        {
            "function": PlotKind(
                name="Function",
                roles=(
                    "pinned", "pinned_picks", "band_outside", "band", "draws", *roles("function"),
                    "y_dot", "bracket", "guide", "as_measured", "data", "fresh", "pending",
                    "picks", "found", "handle", "pointed",
                ),
                x_ticks=0,
                y_ticks=6,
                borders=(56, 8, 24, 4),
                rare=frozenset(
                    {"draws", "noisy", "pinned", "pinned_picks", "bracket", "pending", "pointed"}
                ),
            ),
            "region": PlotKind(
                name="Relevant region",
                roles=("strip", "region", "compared", "region_plus", "guide"),
                height=44,
                x_ticks=0,
                grid=False,
                rows=True,
                borders=(56, 8, 2, 2),
            ),
            "std": PlotKind(
                name="Standard deviation",
                roles=("guide", "told", *roles("std"), "pending", "picks", "pointed"),
                height=168,
                y_ticks=3,
                borders=(56, 8, 22, 24),
                rare=frozenset({"told", "pending", "pointed"}),
            ),
        }
    ),
    frozenset({"x"}),
    draw=curve,
    position=lambda scene, frame: (scene.candidates[:, 0], None),
)  # fmt: skip


def bands(frame: Frame, along: Candidates, region: Booleans | None = None) -> list[Mark]:
    """The band; outside a region it is fainter."""
    order, edges = along.order, {"lower": frame.lower, "upper": frame.upper}
    inside = np.ones(len(along.x), bool) if region is None else region
    # Where a part of the band is not, it has no height.
    parts = {"band": inside} if region is None else {"band": inside, "band_outside": ~inside}
    return [
        mark(
            role,
            x=along.x,
            **{n: np.where(mask, y, frame.mean)[order] for n, y in edges.items()},
        )
        for role, mask in parts.items()
    ]


def data_marks(scene: Scene, frame: Frame) -> list[Mark]:
    """What is measured; what this event measured is larger, in a ring."""
    x, y = marks.places_measured(scene, frame)[:, 0], frame.observed_y
    n, old = len(x), len(x) - frame.fresh
    size = np.repeat(GEOMETRY.crosses, [old, n - old])
    return [mark("data", x=x, y=y, size=size), mark("fresh", x=x[old:], y=y[old:])]


class _Curve:
    """The three plots of an event."""

    def __init__(self, scene: Scene, frame: Frame, request: Request) -> None:
        self.scene, self.frame, self.request = scene, frame, request
        self.along = Candidates.of(scene)
        self.pick_x = np.array([pick.x[0] for pick in frame.picks], float)
        tops = joint.tops(scene, frame, request)
        self.heights = np.array(tops or pick_heights(scene, frame), float)
        self.x = axis_of(request, "function", "x", self.along.axis)

    def _say(self, name: str, **facts: object) -> str:
        """A text in the words of the request."""
        return say(name, plain=self.request.layers.plain, **facts)

    @property
    def function(self) -> Plot:
        """The posterior, and what is chosen and measured on it."""
        scene, frame, request = self.scene, self.frame, self.request
        drawn, drawn_names = joint.lines(scene, frame, request)
        y_dot = None if frame.y_dot is None else mark("y_dot", y=[frame.y_dot])
        y = axis_of(request, "function", "y", self._values)
        return Plot(
            self.x,
            y,
            shown(
                [
                    *bands(frame, self.along, frame.inside),
                    drawn,
                    *self._lines,
                    y_dot,
                    self._guide,
                    *on_request.marks_of(scene, frame, request, self.along),
                    *data_marks(scene, frame)[: 1 if request.found else None],
                    marks.pending(frame, *self._pending),
                    marks.picks(frame.picks, self.pick_x, self._unmeasured),
                    *on_request.found_marks(scene, frame, request, y),
                    self._pointed(frame.mean),
                ]
            ),
            (
                *self._labels,
                *drawn_names,
                *marks.pending_labels(frame, *self._pending),
                *marks.pick_labels(
                    scene, () if request.found else frame.picks, self.pick_x, self.heights
                ),
                *on_request.found_labels(scene, frame, request, y),
            ),
        )  # fmt: skip

    @property
    def regions(self) -> Plot:
        """The regions as strips."""
        return strips(self.scene, self.frame, self.request, self.along, self.x, self._guide)

    @property
    def deviation(self) -> Plot:
        """The std below."""
        return deviation(self.scene, self.frame, self.request, self.along, self.x, self._guide)

    @property
    def _values(self) -> Axis:
        """The range of f: it fits the batch, and stays still within it."""
        pinned = self.request.pinned
        frames = [self.frame, *([pinned] if pinned else [])]
        noise = self.scene.noise_variance if self.request.layers.noisy else 0.0
        # sqrt(std^2 + noise) <= std + sqrt(noise).
        margin = self.frame.sqrt_beta * float(np.sqrt(noise))
        drawn = joint.reach(self.scene, self.frame, self.request)
        lows, highs = zip(*(run_frame.values for run_frame in frames), *drawn, strict=True)
        return padded(min(lows) - margin, max(highs) + margin, GEOMETRY.y_pad)

    @cached_property
    def _lines(self) -> list[Mark]:
        return lines(self.scene, self.frame, self.request.layers, self.along)

    @cached_property
    def _guide(self) -> Mark:
        """Where the pick is that this event makes."""
        return mark("guide", x=[float(pick.x[0]) for pick in self.frame.picks if pick.current])

    @property
    def _pending(self) -> tuple[Floats, Floats]:
        """Where picks without a result are drawn: at the mean, which they do not move."""
        at = [pick.index for pick in self.frame.pending]
        return self.scene.candidates[at, 0], self.frame.mean[at]

    @property
    def _unmeasured(self) -> Floats:
        """Heights of the picks: none once their measurements are there instead."""
        observed = self.frame.event.kind is Event.OBSERVE
        return np.full_like(self.heights, np.nan) if observed else self.heights

    def _pointed(self, heights: Floats) -> Mark | None:
        index = self.request.pointed
        if index is None:
            return None
        return marks.pointed(float(self.scene.candidates[index, 0]), float(heights[index]))

    @property
    def _labels(self) -> list[Label]:
        """The names of the band and of the lines, at their ends, and of the axis."""
        scene, frame = self.scene, self.frame
        last, multiplier = self.along.order[-1], number(frame.sqrt_beta)
        middle = float(frame.mean[last] + frame.upper[last]) / 2
        labels = [
            Label(scene.output, "", place="title"),
            Label(self._say("label.band", multiplier=multiplier), "band", y=middle),
            *names(self._lines, frame, self.request.layers),
        ]
        if frame.y_dot is not None:
            name = "label.y_dot" if scene.sign > 0 else "label.y_dot.minimize"
            text = self._say(name, y_dot=at_least(frame.y_dot, scene.sign))
            labels.append(Label(text, "y_dot", y=frame.y_dot))
        return [*labels, *on_request.labels_of(frame, self.request, last)]
