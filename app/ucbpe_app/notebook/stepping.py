"""The stepper: every event of a run, forward and back, in a cell with a live kernel."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.export.lesson import MOST_EVENTS, lesson
from ucbpe_app.notebook import hosts
from ucbpe_app.notebook.cell import cell
from ucbpe_app.notebook.pictures import event_picture, index_of
from ucbpe_app.private.panel import Component, NotebookViewer
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run_view import RunView
from ucbpe_core.records import atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Trace

_STYLE = Path(__file__).with_name("stepper.css")
_NOTE = (
    "<p>Shown without the kernel, which this notebook reaches by jupyter_bokeh only: "
    f"<code>{escape(hosts.MISSING)}</code>, then restart the kernel.</p>"
)


class Connected(Component):
    """Tells the cell, in the browser, that the kernel answers, and which event it has drawn."""

    _esm = Path(__file__).with_name("connected.js").read_text(encoding="utf-8")

    def __init__(self, event: Callable[[], str]) -> None:
        super().__init__(margin=0, width=0, height=0)
        self._event = event

    def receive(self, data: Any) -> None:
        self._send_msg({"event": self._event()})


class Stepper(NotebookViewer):
    """A run to step through, forward and back, with a live kernel.

    A cell also keeps the run as a live lesson, which takes the stepper's place where no kernel
    answers, as in a saved page, and once it no longer does, at the event drawn last; and a picture
    of the event, for where no script runs.

    Attributes
    ----------
    stage : the pictures, the timeline and the reasons
    """

    def __init__(self, trace: Trace, at: int | str = 0, layers: Layers | None = None) -> None:
        super().__init__()
        replay = Replay(trace)
        index = index_of(replay, at)
        self.connects = not hosts.lacks_widgets()
        if self.connects:
            hosts.load_extension()
        self._replay, self._layers = replay, layers or Layers()
        self.stage = RunView(everywhere=False)
        self.stage.load(replay, index, self._layers)
        self._panel = self._layout()
        for pane in self._panel.select(pn.pane.Bokeh):
            theme.neutral(pane.object)

    @property
    def frame(self) -> Frame:
        """The frame on screen: every array and number in the pictures."""
        assert self.stage.frame is not None
        return self.stage.frame

    def go(self, index: int) -> None:
        """Show another event; out of range means the nearest end."""
        self.stage.show(min(max(index, 0), self.frame.total - 1))

    def page(self) -> str:
        """The run as one HTML page, which steps it in any browser without a kernel.

        It opens with the event on screen.

        Raises
        ------
        InputError
            For a run that is too long for a page.
        """
        return lesson(self._replay, start=self.frame.index, layers=self._layers.shown, live=True)

    def save(self, path: str | Path) -> None:
        """Write `page` into a file.

        Raises
        ------
        InputError
            For a run that is too long for a file.
        OSError
            If the file cannot be written.
        """
        atomic.write_text(path, self.page())

    def __panel__(self) -> pn.Column:
        return self._panel

    def html_around(self, html: str) -> str:
        still = event_picture(self._replay, self.frame.index, layers=self._layers)
        page = self.page() if self.frame.total <= MOST_EVENTS else ""
        return cell(html, still, page, "" if self.connects else _NOTE)

    def _display_(self) -> Any:
        """What marimo shows: by its own way to the kernel, and in a page that it saves the run."""
        import marimo

        if hosts.in_marimo():
            pn.config.inline = True
            return marimo.ui.panel(self._panel)
        return marimo.iframe(self.page(), height="860px")

    def _layout(self) -> pn.Column:
        stage = self.stage
        parts = {"pictures": stage.pictures, "reasons": stage.reasons, "transport": stage.timeline}
        columns = [_styled(f"lab-{name}", part) for name, part in parts.items()]
        connected = Connected(lambda: self.frame.event.text)
        return _styled("lab-notebook", _styled("lab-stepper", *columns), connected)


def stepper(trace: Trace, at: int | str = 0, *, layers: Layers | None = None) -> Stepper:
    """Step through every decision of a run.

    Parameters
    ----------
    trace : of `simulate`, or read from a file
    at : the event to begin with, by its place from 0 or as links write it: "1.fit", "3.pick.2",
        "3.region", "3.observe"
    layers : what to show, as `Layers(truth=False)`; all but the measurement band by default

    Raises
    ------
    InputError
        If the run has no such event.
    """
    return Stepper(trace, at, layers)


def _styled(name: str, *parts: Any) -> pn.Column:
    return pn.Column(
        *parts,
        css_classes=[name],
        stylesheets=[_STYLE.read_text(encoding="utf-8")],
        sizing_mode="stretch_width",
        margin=0,
    )
