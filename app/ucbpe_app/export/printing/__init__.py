"""Pictures at print size, by Matplotlib, from the very figures that the dashboard shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.export.printing.layouts import PICTURES
from ucbpe_app.export.printing.sheet import FigureRequest
from ucbpe_app.export.printing.style import DPI, Format, drawing, saved

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay

__all__ = ["PICTURES", "FigureRequest", "offered", "picture"]


def offered(replay: Replay) -> tuple[str, ...]:
    """Names of the pictures that a run can have, the one of its function first."""
    d = replay.scene.dimension
    return tuple(name for name, one in PICTURES.items() if d in one.inputs)


def picture(name: str, shot: FigureRequest, kind: Format, dpi: float = DPI) -> bytes:
    """A picture of an event as a file, 17 cm wide: PNG, or SVG whose text is text.

    Takes about half a second, under a lock, as Matplotlib serves one thread at a time: call it off
    the event loop.

    Parameters
    ----------
    name : one of `offered(shot.replay)`
    shot : the run, the event and what is shown of it
    kind : "png" or "svg"
    dpi : pixels per inch of a PNG, and of what is an image in an SVG

    Raises
    ------
    KeyError
        For an unknown name.
    """
    kind_of_picture = PICTURES[name]
    view = kind_of_picture.prepared(shot)
    view.update(shot.frame)
    with drawing():
        return saved(kind_of_picture.draw(view, shot).figure, kind, dpi)
