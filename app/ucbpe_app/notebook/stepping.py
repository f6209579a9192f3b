"""The stepper: every event of a run, forward and back, as a live lesson in a cell.

The browser steps it, with a kernel or without; where a kernel answers, Python follows.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_app.files import MOST_EVENTS, lesson
from ucbpe_app.html import Html
from ucbpe_app.notebook.link import Link, has_kernel, loads_what_is_seen
from ucbpe_app.notebook.pictures import event_picture, index_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core.errors import InputError
from ucbpe_core.files import text as files

if TYPE_CHECKING:
    from ucbpe_app.plots import Print
    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Trace

_STYLE, _SCRIPT = (
    Html(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for name in ("cell.css", "cell.js")
)
# Where no script runs, the picture is what is seen of it.
_CELL = Html('<div class="ucbpe-cell">\n<style>{}</style>\n{}{}</div>')
_PICTURE = Html('<img class="ucbpe-still" style="max-width: 100%" alt="{}" src="{}">\n')
_RUN = Html('<script type="text/plain" class="ucbpe-run">{}</script>\n<script>{}</script>\n')
# As high as it is: `marimo.iframe` would follow the page, which follows its frame.
_FRAME = Html(
    '<iframe srcdoc="{}" title="Every event of the run, to step through" '
    'style="width: 100%; height: 860px; border: 1px solid #bbb"></iframe>'
)
_LONG = Html(
    "<p>A cell steps through at most {} events, and this run has {}: show another event by "
    "<code>stepper(trace, event)</code>, or simulate fewer batches.</p>\n"
)


def cell(still: Print, page: str, events: int) -> Html:
    """The HTML of a cell: a run as an HTML page, or if there is none, why; and a picture."""
    data = f"data:image/png;base64,{_base64(still.png)}"
    packed = _base64(zlib.compress(page.encode(), 9))
    after = _RUN.format(packed, _SCRIPT) if page else _LONG.format(MOST_EVENTS, events)
    return _CELL.format(_STYLE, _PICTURE.format(still.words, data), after)


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


class Stepper:
    """A run to step through, forward and back, in a cell.

    The cell has the run as a live lesson, which needs no kernel, and a picture of the event, for
    where no script runs.
    """

    def __init__(self, trace: Trace, at: int | str = 0, layers: Layers | None = None) -> None:
        self._replay, self._layers = Replay(trace), layers or Layers(plane=True)
        self._index = index_of(self._replay, at)
        self._link = Link(self._follow)

    @property
    def frame(self) -> Frame:
        """The frame on screen: every array and number in the pictures."""
        return self._replay.frame(self._index)

    def go(self, index: int) -> None:
        """Show another event; out of range means the nearest end."""
        self._index = min(max(index, 0), len(self._replay.events) - 1)
        self._link.tell(self._event)

    def page(self) -> str:
        """The run as one HTML page, which steps it in any browser without a kernel.

        It opens with the event on screen.

        Raises
        ------
        InputError
            For a run that is too long for a page.
        """
        return self._page()

    def save(self, path: str | Path) -> None:
        """Write `page` into a file.

        Raises
        ------
        InputError
            For a run that is too long for a file.
        OSError
            If the file cannot be written.
        """
        files.write_text(path, self.page())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        widget = self._link.widget(self._event) if has_kernel() else None
        if widget is not None and loads_what_is_seen():
            from IPython.display import display

            display(widget)
        return {"text/html": self.html(), "text/plain": repr(self)}

    def html(self) -> Html:
        """What a cell shows."""
        events = len(self._replay.events)
        still = event_picture(self._replay, self._index, layers=self._layers)
        return cell(still, self._page(self._link.script) if events <= MOST_EVENTS else "", events)

    def _display_(self) -> Any:
        """What marimo shows, which runs no script of an output."""
        import marimo

        frame = marimo.Html(_FRAME.format(self._page(self._link.script)))
        widget = self._link.widget(self._event) if marimo.app_meta().request else None
        return frame if widget is None else marimo.vstack([frame, widget])

    @property
    def _event(self) -> str:
        return self._replay.events[self._index].text

    def _page(self, beside: str = "") -> str:
        layers = self._layers
        return lesson(self._replay, start=self._index, layers=layers, beside=beside, live=True)

    def _follow(self, event: str) -> None:
        with suppress(InputError):  # of a message that is none of the lesson's
            self._index = index_of(self._replay, event)


def stepper(trace: Trace, at: int | str = 0, *, layers: Layers | None = None) -> Stepper:
    """Step through every decision of a run.

    Parameters
    ----------
    trace : of `simulate`, or read from a file
    at : the event to begin with, by its place from 0 or as links write it: "1.posterior",
        "3.pick.2", "3.region", "3.observe"
    layers : what to show, as `Layers(truth=False)`; the truth and the decision plane by default

    Raises
    ------
    InputError
        If the run has no such event.
    """
    return Stepper(trace, at, layers)
