"""One input: the covariance matrix of the candidates, each with each, as a map."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.picture import (
    Axis,
    Colors,
    Label,
    Picture,
    Plot,
    PlotKind,
    RunKind,
    mark,
    shown,
)
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import number, pick_label, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene


def covariance(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event: of the posterior whose std is drawn, so picks count."""
    if scene.joint is None:
        empty = Plot(Axis(0.0, 1.0), Axis(0.0, 1.0), ())
        return Picture(COVARIANCE, MappingProxyType({"covariance": empty}), "", request.size)
    x, matrix = scene.joint.matrix(frame)
    half = (x[-1] - x[0]) / max(len(x) - 1, 1) / 2 or 0.5
    axis, side = Axis(float(x[0] - half), float(x[-1] + half)), float(x[-1] - x[0] + 2 * half)
    image = mark(
        "values", image=matrix[np.newaxis].astype(np.float32), x=[axis.low], y=[axis.low],
        dw=[side], dh=[side],
    )  # fmt: skip
    largest = float(np.diag(matrix).max()) or 1.0
    plot = Plot(
        axis,
        axis,
        shown([image, _measured(scene, frame), _pointed(scene, request)]),
        (
            Label(_title(frame), "", place="title"),
            Label(scene.axes[0], "", place="corner"),
        ),
        Colors("signed", -largest, largest),
    )
    text = (
        f"{_title(frame)}. The largest variance is {number(largest)}, the least covariance "
        f"{number(float(matrix.min()))}."
    )
    return Picture(COVARIANCE, MappingProxyType({"covariance": plot}), text, request.size)


COVARIANCE = RunKind(
    "covariance",
    MappingProxyType(
        {
            "covariance": PlotKind(
                name="Covariance matrix",
                roles=("values", "data", "pointed"),
                height=300,
                borders=(44, 72, 24, 24),
                x_ticks=3,
                y_ticks=4,
                grid=False,
                bar=True,
                ends=False,
            )
        }
    ),
    draw=covariance,
    position=lambda scene, frame: (scene.candidates[:, 0], None),
)


def _title(frame: Frame) -> str:
    if frame.std_before is None or frame.event.kind is not Event.PICK:
        return say("label.covariance")
    taken = ", ".join(pick_label(pick.number) for pick in frame.picks if not pick.current)
    return say("label.covariance.after", picks=taken)


def _measured(scene: Scene, frame: Frame) -> Mark:
    """The candidates measured, on the diagonal."""
    x = scene.candidates[frame.observed, 0]
    return mark("data", x=x, y=x, size=np.full(len(x), 7))


def _pointed(scene: Scene, request: Request) -> Mark | None:
    if request.pointed is None:
        return None
    x = float(scene.candidates[request.pointed, 0])
    return marks.pointed(x, x)
