"""Exports by kind: each is a named file, or a printed page, made from the run of a moment."""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ucbpe_app.files import lesson
from ucbpe_app.lessons import Change, find
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.pictures.regret import CUMULATIVE, SIMPLE
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.run.described import file_name, moment_name, run_line
from ucbpe_app.run.events import closest
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number
from ucbpe_app.tasks.job import Job
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.links import Moment
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
    text = frame.tell(*request.layers.words)
    status = text.status.partition(":")[0]
    write(status, height - 24, fontsize=9, va="top", color=_QUIET)
    last, size = (text.sentence, 8) if request.reason else (_settings(request), 7)
    lines = "\n".join(textwrap.wrap(last, _LINE[size]))
    write(lines, 7, fontsize=size, va="bottom", color=_QUIET, linespacing=1.35)


def _settings(request: FigureRequest) -> str:
    frame = request.frame
    band = f"√βₜ = {number(frame.sqrt_beta)} (βₜ = {number(frame.beta)})"
    return f"{run_line(request.replay)}; in this batch {band}"


_MEDIA = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "json": "application/json",
    "csv": "text/csv",
    "html": "text/html",
    "live": "text/html",
}
KINDS = tuple(_MEDIA)
ENDINGS = {"live": "html"}  # of names, where they are not the kind


@dataclass(frozen=True)
class Product:
    """A file: its name, its media type and its bytes."""

    name: str
    media: str
    data: bytes


@dataclass(frozen=True)
class Source:
    """What a product is made from.

    Attributes
    ----------
    moment, replay : what is on screen, and its run
    bounds : of Theorem 1, if they are shown
    lesson : the one on screen, which may come from a file; by default, the one that the moment
        names
    """

    moment: Moment
    replay: Replay
    bounds: Bounds | None = None
    lesson: Lesson | None = None

    @property
    def index(self) -> int:
        """The event."""
        return closest(self.replay.events, self.moment.event)

    @property
    def about(self) -> Lesson | None:
        """The lesson that was opened, if this is still its run."""
        lesson = self._opened
        ours = lesson is not None and lesson.leads(Change(), self.moment.settings)
        return lesson if ours else None

    @property
    def layers(self) -> Layers:
        """What views draw."""
        plain = self._opened is not None and self._opened.plain
        return Layers.of(self.moment.layers, plain=plain)

    @property
    def _opened(self) -> Lesson | None:
        return self.lesson or find(self.moment.preset)


def make(kind: str, source: Source, view: str = "", job: Job | None = None) -> Product:
    """Make a product; takes from milliseconds to a minute: call it off the event loop.

    Parameters
    ----------
    kind : one of `KINDS`
    view : of pictures, one of `sheet.offered(replay)`; the first unless given
    job : gets the progress, and can be stopped

    Raises
    ------
    InputError
        For an unknown kind or picture, or a run too long for a lesson.
    UCBPEError
        If the server cannot write anywhere, which the library of the pictures needs.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    if kind not in _MEDIA:
        raise InputError(f"one of {', '.join(KINDS)}", repr(kind), "choose one of these")
    views = offered(source.replay)
    view = view or views[0]
    if view not in views:
        raise InputError(f"one of {', '.join(views)}", repr(view), "choose one of these")
    try:
        data = _data(kind, source, view, (job or Job()).progress)
    except OSError as error:
        remedy = "ask the server's operator to set TMPDIR to a writable folder"
        raise UCBPEError("a folder for temporary files", str(error), remedy) from error
    event = moment_name(source.moment.event)
    of_what = {
        "png": (event, view),
        "svg": (event, view),
        "html": ("lesson",),
        "live": ("live-lesson",),
    }
    name = file_name(source.replay, ENDINGS.get(kind, kind), *of_what.get(kind, ()))
    return Product(name, _MEDIA[kind], data)


def _data(
    kind: str, source: Source, view: str, progress: Callable[[int, int], None]
) -> bytes:  # fmt: skip
    replay, layers, bounds = source.replay, source.layers, source.bounds
    match kind:
        case "png" | "svg":
            return picture(view, FigureRequest(replay, source.index, layers, bounds), kind)
        case "html" | "live":
            page = lesson(
                replay, start=source.index, about=source.about, layers=layers, bounds=bounds,
                progress=progress, live=kind == "live", hidden=source.moment.hidden,
                predict=source.moment.predict,
            )  # fmt: skip
            return page.encode()
    text = io.StringIO()
    (replay.trace.save if kind == "json" else replay.trace.to_csv)(text)
    return text.getvalue().encode()
