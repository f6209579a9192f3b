"""Exports by kind: each is a named file, made from the run of a moment."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.export.lesson import lesson
from ucbpe_app.export.sheet import FigureRequest, offered, picture
from ucbpe_app.export.words import file_name, moment_name
from ucbpe_app.lessons import Change, find
from ucbpe_app.run.events import closest
from ucbpe_app.run.screen import Layers
from ucbpe_app.tasks.job import Job
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.links import Moment
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.replay import Replay

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
        return Layers.of(self.moment.layers, plain=plain).shown

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
            )  # fmt: skip
            return page.encode()
    text = io.StringIO()
    (replay.trace.save if kind == "json" else replay.trace.to_csv)(text)
    return text.getvalue().encode()
