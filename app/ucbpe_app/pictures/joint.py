"""What the posterior says of several points together, as marks: draws, and what a point tells.

A draw moves as center + cos(θ) cosine + sin(θ) sine; at θ = 0, where it starts, sine does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.outline import Grid, outline
from ucbpe_app.pictures.picture import Label, mark, ragged
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import pick_label, place, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.joint import Draws
    from ucbpe_core.validation import Floats, Integers

_CORRELATED = 0.5
# Of the draws of each kind: colour, width in px, opacity.
_LOOKS = {
    "prior": (theme.INK, 1.1, 0.6),
    "draws": (theme.MEAN.color, 1.2, 0.8),
    "paths": (theme.OTHER_PICK.color, 1.2, 0.7),
    "current": (theme.OTHER_PICK.color, 2.5, 1.0),
}
_LABELS = {"prior": "label.draws.prior", "draws": "label.draws", "paths": "label.paths"}


def drawn(scene: Scene, frame: Frame, request: Request) -> dict[str, Draws]:
    """The draws of the layers that are on, by layer."""
    if scene.joint is None:
        return {}
    found = {
        name: scene.joint.draws(frame, prior=name == "prior")
        for name in ("prior", "draws")
        if getattr(request.layers, name) and not (name == "draws" and paths(scene, frame, request))
    }
    return {name: draws for name, draws in found.items() if draws is not None}


def paths(scene: Scene, frame: Frame, request: Request) -> list[tuple[Integers, Floats]]:
    """Thompson's draws of the picks made so far, each with its candidates, in the layer of draws.

    The last one is that of the current pick, where the event makes one.
    """
    if scene.joint is None or not request.layers.draws or frame.event.kind is Event.OBSERVE:
        return []
    found = scene.joint.paths(frame) if frame.picks else None
    return [] if found is None else [(found[0], found[1][pick.number]) for pick in frame.picks]


def tops(scene: Scene, frame: Frame, request: Request) -> list[float]:
    """How high each pick is on the draw that it is the best point of, where these are shown."""
    made = zip(frame.picks, paths(scene, frame, request), strict=False)
    return [float(f[at == pick.index][0]) for pick, (at, f) in made]


def reach(scene: Scene, frame: Frame, request: Request) -> list[tuple[float, float]]:
    """The ranges of all that is drawn, however it moves."""
    ends = [one.reach for one in drawn(scene, frame, request).values()]
    return ends + [(float(f.min()), float(f.max())) for _, f in paths(scene, frame, request)]


def lines(scene: Scene, frame: Frame, request: Request) -> Mark | None:
    """The draws over one input."""
    rows = [*_moving(scene, frame, request), *_still(scene, frame, request)]
    if not rows:
        return None
    names = ("color", "width", "alpha", "xs", "ys", "center", "cosine", "sine")
    columns: dict[str, Any] = {
        name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    for name in names[3:]:
        columns[name] = ragged(columns[name])
    return mark("draws", dash=["solid"] * len(rows), **columns)


def labels(scene: Scene, frame: Frame, request: Request) -> list[Label]:
    """The names of the draws, at the end of the first of each kind."""
    ends = {name: one.center[-1] + one.cosine[0, -1] for name, one in drawn(scene, frame, request).items()}
    if made := paths(scene, frame, request):
        at, f = made[-1]
        ends["paths"] = f[np.argmax(scene.candidates[at, 0])]
    return [
        Label(say(_LABELS[name]), "draws", y=float(y), color=_LOOKS[name][0])
        for name, y in ends.items()
    ]


def _moving(scene: Scene, frame: Frame, request: Request) -> Iterator[tuple[Any, ...]]:
    for name, draws in drawn(scene, frame, request).items():
        x = draws.points[:, 0]
        for cosine, sine in zip(draws.cosine, draws.sine, strict=True):
            yield (*_LOOKS[name], x, draws.center + cosine, draws.center, cosine, sine)


def _still(scene: Scene, frame: Frame, request: Request) -> Iterator[tuple[Any, ...]]:
    """Thompson's draws, which broke off where f is known too well for a pick."""
    for pick, (at, f) in zip(frame.picks, paths(scene, frame, request), strict=False):
        values = np.full(len(scene.candidates), np.nan)
        values[at] = f
        order = np.argsort(scene.candidates[:, 0], kind="stable")
        name = "current" if pick.current else "paths"
        none = np.empty(0)
        yield (*_LOOKS[name], scene.candidates[order, 0], values[order], none, none, none)


def one_draw(
    scene: Scene, frame: Frame, request: Request, size: float
) -> tuple[Mark, str] | None:
    """One draw over two inputs and its name, if that is what a person chose to see large.

    Off a grid it is dots of this size. Thompson's draw is that of the latest pick.
    """
    name = request.featured
    if made := paths(scene, frame, request) if name == "draws" else []:
        at, f = made[-1]
        values = np.full(len(scene.candidates), np.nan)
        values[at] = f
        words = "highest" if scene.sign > 0 else "lowest"
        text = say("label.one_draw.path", pick=pick_label(frame.picks[-1].number), highest=words)
        return _over(scene, scene.candidates, values, (values[:0],) * 3, size), text
    draws = drawn(scene, frame, request).get(name)
    if draws is None:
        return None
    parts = draws.center, draws.cosine[0], draws.sine[0]
    text = say("label.one_draw" if name == "draws" else "label.one_draw.prior")
    return _over(scene, draws.points, parts[0] + parts[1], parts, size), text


def _over(
    scene: Scene, points: Floats, values: Floats, parts: tuple[Floats, ...], size: float
) -> Mark:
    names = "center", "cosine", "sine"
    if not scene.grid:
        moving = {name: part if len(part) else values for name, part in zip(names, parts, strict=True)}
        x, y = points.T
        return mark("draw_dots", x=x, y=y, size=np.full(len(x), size), value=values, **moving)
    grid = Grid.of(scene)
    image = grid.image("draw", values, np.float32).columns
    moving = {
        name: grid.image("draw", part, np.float32).columns["image"] if len(part) else np.zeros((1, 0))
        for name, part in zip(names, parts, strict=True)
    }
    return mark("draw", **image, **moving)


def correlated(scene: Scene, frame: Frame, request: Request, grid: Grid | None) -> list[Mark]:
    """Outlines of where |correlation| with the candidate pointed at is above a half."""
    if scene.joint is None or request.pointed is None or grid is None:
        return []
    both = scene.joint.correlations(frame, request.pointed)
    margins = [np.abs(one) - _CORRELATED for one in both]
    lines = [outline(one >= 0, one, *grid) for one in margins]
    roles = ("told_prior", "told_over")
    return [mark(role, x=x, y=y) for role, (x, y) in zip(roles, lines, strict=True)]


def told(scene: Scene, frame: Frame, request: Request) -> tuple[Mark | None, list[Label]]:
    """What a value at the candidate pointed at would tell of f elsewhere, over one input.

    cov(f(x), f(z)) / std(x) is how far f(z) moves with f(x), in units of f: at z = x it is std(x),
    and nowhere more than std(z), which without noise falls to sqrt(std(z)^2 - this^2). Where it is
    below 0 it is dotted, on the other side of 0. k(x, z) is drawn as high at x.
    """
    if scene.joint is None or request.pointed is None:
        return None, []
    index = request.pointed
    prior, now = scene.joint.covariances(frame, index)
    std = float(np.sqrt(max(now[index], 0.0)))
    if not std > 0 or not prior[index] > 0:
        return None, []
    order = np.argsort(scene.candidates[:, 0], kind="stable")
    x, share, kernel = scene.candidates[order, 0], now[order] / std, prior[order] * (std / prior[index])
    ys = [np.where(share >= 0, share, np.nan), np.where(share < 0, -share, np.nan), kernel]
    dashes, widths = ["solid", "dotted", "dashed"], [2.2, 2.2, 1.4]
    one = mark("told", xs=ragged([x] * 3), ys=ragged(ys), dash=dashes, width=widths)
    texts = (
        (say("label.told", x=place(scene.candidates, index, scene.extents)), abs(share[-1])),
        (say("label.told.prior"), kernel[-1]),
    )
    return one, [Label(text, "told", y=float(y), color=theme.GREEN) for text, y in texts]
