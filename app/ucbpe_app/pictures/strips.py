"""One input: R and R+ as strips, or a region of the policy's own below the R+ of GP-UCB-PE."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.picture import Axis, Label, Plot, mark, shown
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences.texts import percentage, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.along import Candidates
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Booleans

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
    ground = mark("strip", **ends, bottom=low, top=high)
    # Once the results are in, there is none to wait for in this batch.
    named = {} if frame.event.kind is Kind.OBSERVE else masks
    labels = (_label(role, mask, sum(rows[role][1]) / 2, plain=plain)
              for role, mask in named.items())  # fmt: skip
    # The names only once a lesson has explained them.
    ticks = ((sum(place) / 2, "" if plain else name) for name, place in rows.values())
    axis = Axis(0.0, 2.0, tuple(sorted(ticks)))
    return Plot(
        x, axis, shown([ground, *drawn, guide]), tuple(label for label in labels if label.text)
    )


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


def _label(role: str, mask: Booleans | None, y: float, *, plain: bool) -> Label:
    name = f"label.{role}" if mask is not None else f"label.{role}.unknown"
    text = say(name, plain=plain, share="" if mask is None else percentage(mask))
    return Label(text, "" if mask is None else role, 0, y)
