"""A run after a batch as a small picture, one of several: over one input, or over two."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.along import Candidates, lines, pick_heights, roles
from ucbpe_app.pictures.curve import bands, data_marks
from ucbpe_app.pictures.maps import Maps, position
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import (
    Label,
    Picture,
    Plot,
    PlotKind,
    RunKind,
    axis_of,
    padded,
    shown,
)

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Axis, Request
    from ucbpe_app.run.frames import Frame, Scene

_WIDEST = 2.0  # times the multiplier of the narrowest band
_ALIKE = 5.0  # between the multipliers of bands that share an axis
_SIDE = 0.06  # of the width, kept free on each side: half a mark of a pick at the end
_LOWER_EDGE = 0.045  # of the height: the strip of R+


def small_curve(scene: Scene, frame: Frame, request: Request) -> Picture:
    """A run after a batch, on the same axes as the others: no std, and R+ along the lower edge.

    Without R+ it is R.
    """
    along = Candidates.of(scene)
    y = axis_of(request, "small", "y", _common_values(scene, frame, request))
    decision = request.decision or frame
    inside = decision.region if decision.region_plus is None else decision.region_plus
    picks = marks.picks(
        [replace(pick, current=True) for pick in frame.picks],
        np.array([pick.x[0] for pick in frame.picks], float),
        np.array(pick_heights(scene, frame), float),
        color=request.color,
    )
    strip = along.intervals("allowed", inside, y.low, y.low + _LOWER_EDGE * (y.high - y.low))
    plot = Plot(
        padded(along.axis.low, along.axis.high, _SIDE),
        y,
        shown(
            [
                *bands(frame, along),
                *lines(scene, frame, request.layers, along, small=True),
                data_marks(scene, replace(frame, fresh=0))[0],
                strip,
                picks,
            ]
        ),
        (
            Label(scene.output, "", place="title"),
            Label(scene.axes[0], "", place="corner"),
        ),
    )
    text = f"{scene.name}, over {scene.axes[0]}. {frame.tell(request.layers.plain).status}."
    return Picture(SMALL_CURVE, MappingProxyType({"small": plot}), text, request.size)


def share_axis(frame: Frame, other: Frame) -> bool:
    """Whether the bands of two runs can be seen on the same axis."""
    narrow, wide = sorted((frame.sqrt_beta, other.sqrt_beta))
    return wide <= _ALIKE * narrow


def _common_values(scene: Scene, frame: Frame, request: Request) -> Axis:
    """The range of f that holds all runs whose bands are alike.

    Of a band more than twice as many stds wide as the narrowest, only so much. One that is much
    wider, as GP-BUCB's, has an axis of its own: it would press the others flat.
    """
    frames = [frame, *(other for _, other in request.others if share_axis(frame, other))]
    widest = _WIDEST * min(run_frame.sqrt_beta for run_frame in frames)
    low, high = float(scene.truth.min()), float(scene.truth.max())
    for run_frame in frames:
        half = min(run_frame.sqrt_beta, widest) * run_frame.std
        low = min(low, float((run_frame.mean - half).min()), *run_frame.observed_y)
        high = max(high, float((run_frame.mean + half).max()), *run_frame.observed_y)
    return padded(low, high, GEOMETRY.y_pad)


SMALL_CURVE = RunKind(
    "small-curve",
    MappingProxyType(
        {
            "small": PlotKind(
                name="Function",
                roles=("band", *roles("function", small=True), "data", "allowed", "picks"),
                borders=(44, 8, 22, 24),
            )
        }
    ),
    draw=small_curve,
    position=lambda scene, frame: (scene.candidates[:, 0], None),
)


def small_field(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The mean, in colours that hold those of all other runs."""
    maps = Maps(scene, frame, request)
    lows, highs = zip(*(other.means for other in maps.scenes), strict=True)
    colors = maps.colors("viridis", min(lows), max(highs))
    plot = Plot(
        maps.x,
        maps.y,
        shown(
            [
                maps.values(frame.mean),
                maps.veiled((request.decision or frame).inside),
                maps.region("outline_small"),
                maps.optimum if request.layers.truth else None,
                marks.data_over(scene, frame),
                marks.picks(frame.picks, *maps.places, "picks_small", color=request.color),
            ]
        ),
        colors=colors,
    )
    return Picture(SMALL_FIELD, MappingProxyType({"small": plot}), maps.text, request.size)


SMALL_FIELD = RunKind(
    "small-field",
    MappingProxyType(
        {
            "small": PlotKind(
                name="Mean",
                roles=(
                    "values",
                    "dots",
                    "veiled",
                    "outline_small",
                    "data_over",
                    "optimum",
                    "picks_small",
                ),
                height=220,
                borders=(30, 4, 4, 22),
                x_ticks=3,
                y_ticks=3,
                grid=False,
                zoom=True,
                rare=frozenset({"dots", "veiled"}),
            )
        }
    ),
    draw=small_field,
    position=position,
)
