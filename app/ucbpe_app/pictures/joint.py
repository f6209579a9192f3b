"""What the posterior says of several points together, as marks: draws, and what a point tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.maps import Grid
from ucbpe_app.pictures.picture import Label, mark, ragged
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.joint import Draws
from ucbpe_app.run.sentences.texts import pick_label, place, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene


_CORRELATED = 0.5
# Of the draws of each kind: colour, width in px, opacity.
LOOKS = {
    "prior": (theme.INK, 1.1, 0.6),
    "draws": (theme.MEAN.color, 1.2, 0.8),
    "paths": (theme.OTHER_PICK.color, 1.2, 0.7),
    "current": (theme.OTHER_PICK.color, 2.5, 1.0),
}
_INKS = {"draws": "mean", "paths": "every"}  # the roles whose inks their names have


def drawn(scene: Scene, frame: Frame, request: Request) -> dict[str, Draws]:
    """The draws of the layers that are on: "prior", and "draws" or instead Thompson's "paths".

    Those are of the picks made so far.
    """
    if (joint := scene.joint) is None:
        return {}
    by_kind = {"prior": joint.draws(frame, prior=True) if request.layers.prior else None}
    if request.layers.draws:
        n = len(frame.picks) if frame.event.kind is not Event.OBSERVE else 0
        made = joint.paths(frame) if n else None
        if made is None and not (n and joint.waits(frame)):
            by_kind["draws"] = joint.draws(frame)
        elif made is not None:
            by_kind["paths"] = Draws(made.points, made.values[:n])
    return {name: draws for name, draws in by_kind.items() if draws is not None}


def tops(scene: Scene, frame: Frame, request: Request) -> list[float]:
    """How high each pick is on the draw that it is the best point of, where these are shown."""
    made = drawn(scene, frame, request).get("paths")
    if made is None:
        return []
    x = made.points[:, 0]
    return [float(f[x == pick.x[0]][0]) for f, pick in zip(made.values, frame.picks, strict=True)]


def reach(scene: Scene, frame: Frame, request: Request) -> list[tuple[float, float]]:
    """The ranges of all draws that are shown."""
    shown = (draws.values for draws in drawn(scene, frame, request).values())
    return [(float(np.nanmin(values)), float(np.nanmax(values))) for values in shown]


def lines(scene: Scene, frame: Frame, request: Request) -> tuple[Mark | None, list[Label]]:
    """The draws over one input, and their names at the end of the last of each kind."""
    rows, labels = list[tuple[Any, ...]](), list[Label]()
    for name, draws in drawn(scene, frame, request).items():
        columns = *LOOKS[name], draws.points[:, 0]
        own = [(*columns, f) for f in draws.values]
        if name == "paths" and frame.subject is not None and frame.subject.current:
            own[-1] = (*LOOKS["current"], *own[-1][3:])
        rows += own
        end = float(draws.values[-1, -1])
        if np.isfinite(end):
            labels.append(Label(say(f"label.{name}"), _INKS.get(name, ""), y=end))
    if not rows:
        return None, []
    names = ("color", "width", "alpha", "xs", "ys")
    made: dict[str, Any] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    made |= {name: ragged(made[name]) for name in names[3:]}
    return mark("draws", dash=["solid"] * len(rows), **made), labels


def one_draw(scene: Scene, frame: Frame, request: Request, size: float) -> tuple[Mark, str] | None:
    """One draw over two inputs and its name, if that is what a person chose to see large.

    Off a grid it is dots of this size. Thompson's draw is that of the latest pick.
    """
    by_kind, name = drawn(scene, frame, request), request.featured
    text = say("label.one_draw" if name == "draws" else "label.one_draw.prior")
    if name == "draws" and "paths" in by_kind:
        name, words = "paths", "highest" if scene.sign > 0 else "lowest"
        text = say("label.one_draw.path", pick=pick_label(frame.picks[-1].number), highest=words)
    if (draws := by_kind.get(name)) is None:
        return None
    f = draws.values[-1]
    if not scene.grid:
        (x, y), sizes = draws.points.T, np.full(len(draws.points), size)
        return mark("draw_dots", x=x, y=y, size=sizes, value=f), text
    return Grid.of(scene).image("draw", f, np.float32), text


def correlated(
    scene: Scene, frame: Frame, request: Request, grid: Grid | None
) -> list[Mark | None]:
    """Outlines of where |correlation| with the candidate pointed at is above a half."""
    if scene.joint is None or request.pointed is None or grid is None:
        return []
    both = scene.joint.correlations(frame, request.pointed)
    margins = [np.abs(values) - _CORRELATED for values in both]
    roles = ("told_prior", "told_over")
    return [grid.around(role, over >= 0, over) for role, over in zip(roles, margins, strict=True)]


def shifts(scene: Scene, frame: Frame, request: Request) -> tuple[Mark | None, list[Label]]:
    """What a value at the candidate pointed at would tell of f elsewhere, over one input.

    cov(f(x), f(z)) / std(x) is how far f(z) moves with f(x), in units of f: at z = x it is std(x),
    and nowhere more than std(z), which without noise falls to sqrt(std(z)^2 - this^2). Where it is
    below 0 it is dotted, on the other side of 0. k(x, z) is drawn as high at x. A lesson in plain
    words has no covariances, and no words for this.
    """
    if scene.joint is None or request.pointed is None or request.layers.plain:
        return None, []
    index = request.pointed
    prior, now = scene.joint.covariances(frame, index)
    std = float(np.sqrt(max(now[index], 0.0)))
    if not std > 0 or not prior[index] > 0:
        return None, []
    order = np.argsort(scene.candidates[:, 0], kind="stable")
    x, shift = scene.candidates[order, 0], now[order] / std
    kernel = prior[order] * (std / prior[index])
    ys = [np.where(shift >= 0, shift, np.nan), np.where(shift < 0, -shift, np.nan), kernel]
    dashes, widths = ["solid", "dotted", "dashed"], [2.2, 2.2, 1.4]
    curves = mark("told", xs=ragged([x] * 3), ys=ragged(ys), dash=dashes, width=widths)
    texts = (
        (say("label.told", x=place(scene.candidates, index, scene.extents)), abs(shift[-1])),
        (say("label.told.prior"), kernel[-1]),
    )
    return curves, [Label(text, "region", y=float(y)) for text, y in texts]
