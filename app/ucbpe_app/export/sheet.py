"""Pictures at print size, on a page that says what was run, from the frames that are on screen.

Importing this loads neither HoloViews nor Matplotlib: `draw` does, in a worker thread.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ucbpe_app.export.words import run_line
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.pictures.regret import CUMULATIVE, SIMPLE
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ucbpe_app.pictures.picture import Picture, RunKind
    from ucbpe_app.plots.prints import Format
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

    def pictures(self, name: str) -> list[Picture]:
        """The pictures of the event that a page of this name has."""
        limits, joint = self.bounds, self.replay.scene.joint
        if self.layers.draws and joint is not None:
            joint.make_paths(self.frame)
        bounds = (limits.printed, limits.proved) if limits else None
        asked = Request(layers=self.layers, size="print", bounds=bounds, featured=self.layers.draw)
        return [kind.draw(self.replay.scene, self.frame, asked) for kind in PICTURES[name].kinds]

    def words(self, name: str) -> str:
        """What a page of this name shows, for who cannot see it."""
        return " ".join(view.text for view in self.pictures(name))


@dataclass(frozen=True)
class PrintedFigure:
    """What a page can show: its name for people, and the numbers of inputs that it is for.

    Attributes
    ----------
    kinds : of its pictures, from the top down
    """

    label: str
    inputs: range
    kinds: tuple[RunKind, ...]


_ANY = range(1, 1000)
PICTURES = {
    "curve": PrintedFigure("Posterior", range(1, 2), (CURVE,)),
    "field": PrintedFigure("Fields", range(2, 3), (FIELD,)),
    "plane": PrintedFigure("Decision plane", _ANY, (LARGE_PLANE,)),
    "slices": PrintedFigure("Slices", range(3, 1000), (SLICES,)),
    "regret": PrintedFigure("Regret", _ANY, (SIMPLE, CUMULATIVE)),
}
_SIDE, _ABOVE, _BELOW = 11.0, 36.0, 44.0  # points: left of the words, and above and below the plots
_LINE = {7: 128, 8: 106}  # characters of a text of this size that fit across
_QUIET = "#555555"


def offered(replay: Replay) -> tuple[str, ...]:
    """Names of the pictures that a run can have, the one of its function first."""
    d = replay.scene.dimension
    return tuple(name for name, page in PICTURES.items() if d in page.inputs)


def draw(name: str, request: FigureRequest) -> Figure:
    """The page, as a figure of Matplotlib's; within `printed.drawing`, as is what is done with it.

    Raises
    ------
    KeyError
        For an unknown name.
    """
    from ucbpe_app.render.printed import printed

    figure = printed(request.pictures(name), _ABOVE, _BELOW)
    _write(figure, request)
    return figure


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
    from ucbpe_app.plots.prints import file_of
    from ucbpe_app.render.printed import drawing

    with drawing():
        return file_of(draw(name, request), kind, dpi, request.words(name))


def _write(figure: Figure, request: FigureRequest) -> None:
    """The title, what the event is, and the last lines."""
    from ucbpe_app.plots.prints import literal

    trace, frame = request.replay.trace, request.frame
    width, height = figure.get_size_inches() * 72

    def write(words: str, y: float, **look: Any) -> None:
        figure.text(_SIDE / width, y / height, literal(words), **look)

    title = f"{trace.problem.name}: {trace.policy.name}"
    write(title, height - 10, fontsize=10.5, fontweight="bold", va="top")
    text = frame.tell(request.layers.plain)
    status = text.status.partition(":")[0]
    write(status, height - 24, fontsize=9, va="top", color=_QUIET)
    last, size = (text.sentence, 8) if request.reason else (_settings(request), 7)
    lines = "\n".join(textwrap.wrap(last, _LINE[size]))
    write(lines, 7, fontsize=size, va="bottom", color=_QUIET, linespacing=1.35)


def _settings(request: FigureRequest) -> str:
    frame = request.frame
    band = f"√βₜ = {number(frame.sqrt_beta)} (βₜ = {number(frame.beta)})"
    return f"{run_line(request.replay)}; in this batch {band}"
