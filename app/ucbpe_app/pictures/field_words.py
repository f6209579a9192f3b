"""The words around a map of two inputs: what it is, and what its lines and marks are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pictures import on_request
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences.texts import earlier_picks, number, percentage, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Request
    from ucbpe_app.run.frames import Frame, Scene


def map_title(scene: Scene, frame: Frame, name: str) -> str:
    """The name of a large map, with how it is made."""
    if name == "std" and frame.event.kind is Kind.PICK and frame.event.k:
        return say("label.std_after", **earlier_picks(frame.event.k))
    if name == "upper":
        which = "upper" if scene.sign > 0 else "lower"
        return say(f"label.{which}_bound.made", multiplier=number(frame.sqrt_beta))
    return short_title(scene, name)


def short_title(scene: Scene, name: str) -> str:
    """The name of a small map."""
    if name == "upper":
        return say("label.upper_bound" if scene.sign > 0 else "label.lower_bound")
    return say(f"label.{name}")


def outline_note(request: Request, *, outlined: bool) -> str:
    """What the outlines around a candidate are that a person points at."""
    if _has_tabs(request):
        return ""
    return say("label.told.outline" if outlined else "label.told.no_grid")


def map_note(
    scene: Scene, frame: Frame, request: Request, *, outlined: bool, compared: bool
) -> str:
    """What the lines are and the crosses, and the name of a run behind.

    Parameters
    ----------
    outlined : whether the region has a line; else dots outside it are veiled
    compared : whether there is another one, of R+ for comparison
    """
    inside, parts, which = frame.inside, list[str](), frame.which
    if _has_tabs(request):
        return ""
    if interval := on_request.map_note(scene, frame, request):
        return interval  # both have no room
    if inside is not None and inside.all():
        parts.append(say(f"label.all{which}"))
    elif inside is not None:
        name = "label.inside" if outlined else "label.unveiled"
        parts.append(say(f"{name}{which}", share=percentage(inside)))
    if request.pinned is not None:
        parts.append(say("label.dotted", run=request.pinned_label))
    elif compared:
        parts.append(say("label.dotted_plus"))
    elif len(frame.observed) and request.size != "present":
        parts.append(say("label.measured"))
    return "; ".join(parts)


def _has_tabs(request: Request) -> bool:
    """Whether the choice of a draw stands where a note would be."""
    return request.size != "print" and (request.layers.draws or request.layers.prior)
