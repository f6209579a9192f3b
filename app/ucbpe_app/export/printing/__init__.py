"""Pictures at print size, by HoloViews with Matplotlib, from the frames that the dashboard shows.

Importing this loads neither library: `draw` does, in a worker thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ucbpe_app.plots.picture import Format
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay


@dataclass(frozen=True)
class FigureRequest:
    """What to picture.

    Attributes
    ----------
    replay, index : the run and the event
    layers : what is shown of it
    bounds : of Theorem 1, for the layer that shows them
    reason : whether the page ends with why this point, or with what was run
    """

    replay: Replay
    index: int
    layers: Layers = field(default_factory=Layers)
    bounds: Bounds | None = None
    reason: bool = False

    @cached_property
    def frame(self) -> Frame:
        """All that is shown of the event."""
        return self.replay.frame(self.index)


@dataclass(frozen=True)
class PrintedFigure:
    """One kind of picture: its name for people, and the numbers of inputs that it can show."""

    label: str
    inputs: range


_ANY = range(1, 1000)
# Each is drawn by the function of its name, in the module of its name.
PICTURES = {
    "curve": PrintedFigure("Posterior", range(1, 2)),
    "field": PrintedFigure("Fields", range(2, 3)),
    "plane": PrintedFigure("Decision plane", _ANY),
    "regret": PrintedFigure("Regret", _ANY),
}


def offered(replay: Replay) -> tuple[str, ...]:
    """Names of the pictures that a run can have, the one of its function first."""
    d = replay.scene.dimension
    return tuple(name for name, one in PICTURES.items() if d in one.inputs)


def draw(name: str, request: FigureRequest) -> Figure:
    """The page, as a figure of Matplotlib's; within `style.drawing`, as is what is done with it.

    Raises
    ------
    KeyError
        For an unknown name.
    """
    if name not in PICTURES:
        raise KeyError(name)
    drawn: Figure = getattr(import_module(f"{__name__}.{name}"), name)(request).figure
    return drawn


def picture(name: str, request: FigureRequest, kind: Format, dpi: float = 300) -> bytes:
    """A picture of an event as a file, 17 cm wide: PNG, or SVG whose text is text.

    Takes about half a second, under a lock, as Matplotlib serves one thread at a time: call it off
    the event loop.

    Parameters
    ----------
    name : one of `offered(request.replay)`
    request : the run, the event and what is shown of it
    kind : "png" or "svg"
    dpi : pixels per inch of a PNG, and of what is an image in an SVG

    Raises
    ------
    KeyError
        For an unknown name.
    """
    from ucbpe_app.export.printing.style import drawing, saved

    with drawing():
        return saved(draw(name, request), kind, dpi)
