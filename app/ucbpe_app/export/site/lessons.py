"""A lesson of a site: its file, its picture, and what the index says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ucbpe_app.export.lesson import lesson as lesson_html
from ucbpe_app.export.sheet import FigureRequest, offered
from ucbpe_app.html import EMPTY, Html, escape
from ucbpe_app.plots.prints import file_of
from ucbpe_app.render.printed import card, drawing
from ucbpe_app.run.cache import bounds, load
from ucbpe_app.run.events import closest
from ucbpe_app.run.screen import Layers
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.lessons import Caption, Lesson
    from ucbpe_app.run.replay import Replay

_PICTURE_HEIGHT = 320  # px: twice that of a card, as screens may have two pixels for one
_END = re.compile(r"[.?!](?=\s|$)")


@dataclass(frozen=True)
class LessonPage:
    """A lesson as files.

    Attributes
    ----------
    html : the lesson
    picture : a PNG of its moment; `words` is its text alternative
    """

    html: bytes = field(repr=False)
    picture: bytes = field(repr=False)
    words: str


def lesson_page(lesson: Lesson, progress: Callable[[int, int], None] | None = None) -> LessonPage:
    """Make the files of a lesson; takes some seconds.

    Parameters
    ----------
    progress : called as progress(done, total); raising in it cancels

    Raises
    ------
    UCBPEError
        If the run cannot be made, or has too many events for a file.
    """
    try:
        replay = load(lesson.spec())
        start = closest(replay.events, lesson.event)
        layers = Layers.of(lesson.layers, plain=lesson.plain).shown
        html = lesson_html(
            replay,
            start=start,
            about=lesson,
            layers=layers,
            bounds=bounds(replay) if layers.bounds else None,
            progress=progress,
            live=True,
            hidden=lesson.hidden,
        )
    except UCBPEError as error:
        wanted = f"a lesson {lesson.slug} that fits a file: {error.expected}"
        raise InputError(wanted, error.got, error.remedy) from error
    picture, status = _picture(replay, start, layers), replay.frame(start).status
    words = f"{replay.scene.name}. {status}"
    return LessonPage(html.encode(), picture, words)


def summary(caption: Caption) -> Html:
    """The first sentence of a caption, as HTML."""
    text = EMPTY
    for span in caption[0] if caption else ():
        end = None if span.mathml else _END.search(span.words)
        text += span.mathml or escape(span.words[: end.end()] if end else span.words)
        if end:
            break
    return text


def _picture(replay: Replay, index: int, layers: Layers) -> bytes:
    """The function at an event, or what stands for it, as it is printed but without its words."""
    request = FigureRequest(replay, index, layers)
    with drawing():
        name = offered(replay)[0]
        figure = card(request.pictures(name)[0])
        return file_of(
            figure, "png", _PICTURE_HEIGHT / figure.get_size_inches()[1], request.words(name)
        )
