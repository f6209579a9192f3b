"""One input: the standard deviation, on an axis that fits what a pick can be made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import joint, marks
from ucbpe_app.pictures.along import counted
from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.lines import lines
from ucbpe_app.pictures.picture import Axis, Label, Plot, axis_of, shown
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import number, pick_label, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.along import Candidates
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene


def deviation(
    scene: Scene, frame: Frame, request: Request, along: Candidates, x: Axis, guide: Mark | None
) -> Plot:
    """The std of an event: strong where a pick can be made, and before this pick."""
    shifts, shift_labels = joint.shifts(scene, frame, request)
    at, waiting = ([pick.index for pick in some] for some in (frame.picks, frame.pending))
    y, pointed = axis_of(request, "std", "y", _axis(frame)), request.pointed
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
        *_beyond(scene, frame, x, y, plain=request.layers.plain),
        *shift_labels,
    )
    return Plot(x, y, shown(drawn), labels)


def _axis(frame: Frame) -> Axis:
    """It fits the batch."""
    largest = frame.largest_std or 1.0
    return Axis(-GEOMETRY.std_pad / 2 * largest, (1 + GEOMETRY.std_pad) * largest)


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
                pick=pick_label(pick.number), std=number(pick.std)),
            look_of(pick.role), float(pick.x[0]), pick.std, "point", strong=True,
        )
        for pick in frame.picks
        if pick.current
    ]  # fmt: skip


def _beyond(scene: Scene, frame: Frame, x: Axis, y: Axis, *, plain: bool) -> list[Label]:
    """How far the std reaches beyond its axis, near where it does."""
    index = int(frame.std_now.argmax())
    if frame.std_now[index] <= y.high:
        return []
    name = "label.beyond" if frame.region_plus is None else "label.beyond_outside"
    low, high = (x.low + fraction * (x.high - x.low) for fraction in GEOMETRY.beyond_x)
    text = say(name, plain=plain, std=number(frame.std_now[index]))
    at = min(max(float(scene.candidates[index, 0]), low), high)
    height = y.low + GEOMETRY.beyond_y * (y.high - y.low)
    return [Label(text, x=at, y=height, place="inside")]
