"""What a person or a lesson adds to a picture: another run, and a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import marks
from ucbpe_app.pictures.along import joined, pick_heights
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Label, mark
from ucbpe_app.run.sentences.texts import at_least, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.along import Candidates
    from ucbpe_app.pictures.picture import Axis, Mark, Request
    from ucbpe_app.run.frames import Frame, Scene


def marks_of(scene: Scene, frame: Frame, request: Request, along: Candidates) -> list[Mark | None]:
    """What of it there is."""
    return [
        *_pinned(scene, request, along),
        _bracket(frame, along) if request.layers.stop else None,
        _as_measured(scene, frame),
    ]


def labels_of(frame: Frame, request: Request, last: int) -> list[Label]:
    """Its names, at the height of the `last` candidate."""
    labels, certificate = [], frame.certificate
    if certificate is not None and request.layers.stop:
        text = say("label.bracket", bound=at_least(certificate.regret, -1.0))
        labels.append(Label(text, "bracket", y=(certificate.bound + certificate.extreme) / 2))
    if (behind := request.pinned) is not None:
        labels.append(Label(request.pinned_label, "pinned", y=float(behind.mean[last])))
    return labels


def map_marks(scene: Scene, frame: Frame, request: Request, across: Axis) -> list[Mark]:
    """In a map, the point with the greatest lower bound, and what can still be gained."""
    if (certificate := frame.certificate) is None or not request.layers.stop:
        return []
    x, y = ([float(value)] for value in scene.candidates[certificate.index])
    gap = GEOMETRY.bracket_gap
    offset = gap if across.fraction(x[0]) < 1 / 2 else -gap  # where there is more room
    name = mark(
        "bracket_name", x=x, y=y,
        text=[say("label.bracket", bound=at_least(certificate.regret, -1.0))],
        align=["left" if offset > 0 else "right"], offset=[offset],
    )  # fmt: skip
    return [mark("bracket_over", x=x, y=y), name]


def map_note(scene: Scene, frame: Frame, request: Request) -> str:
    """The interval that the bracket of one input shows: f there, and f anywhere."""
    if (certificate := frame.certificate) is None or not request.layers.stop:
        return ""
    name = "label.bracket.map" if scene.sign > 0 else "label.bracket.map.minimize"
    bound = at_least(certificate.bound, scene.sign)
    extreme = at_least(certificate.extreme, -scene.sign)
    return say(name, bound=bound, extreme=extreme)


def _pinned(scene: Scene, request: Request, along: Candidates) -> list[Mark]:
    """Mean, edges of the band, and picks of a run behind."""
    if (behind := request.pinned) is None:
        return []
    curves = [values[along.order] for values in (behind.mean, behind.lower, behind.upper)]
    picks = mark(
        "pinned_picks",
        x=np.array([float(pick.x[0]) for pick in behind.picks]),
        y=np.array(pick_heights(scene, behind)),
        marker=[marks.mark_of(pick.role).marker for pick in behind.picks],
    )
    return [mark("pinned", **joined(along.x, *curves)), picks]


def _bracket(frame: Frame, along: Candidates) -> Mark | None:
    """From y. to the greatest upper bound, right of the last candidate."""
    if (certificate := frame.certificate) is None:
        return None
    last, end = float(along.edges[-1]), along.axis.high
    left, right = (last + fraction * (end - last) for fraction in GEOMETRY.bracket)
    ends = [certificate.bound] * 2 + [certificate.extreme] * 2
    return mark("bracket", x=[left, right, right, left], y=ends)


def _as_measured(scene: Scene, frame: Frame) -> Mark | None:
    """The values of measurements that were moved or left out."""
    if not frame.changed:
        return None
    x = scene.candidates[list(frame.changed), 0]
    return mark("as_measured", x=x, y=frame.changed_y)
