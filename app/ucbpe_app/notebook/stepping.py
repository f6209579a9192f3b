"""The stepper: every event of a run, forward and back, in a cell with a live kernel.

A cell keeps a picture, and the run as a live lesson, for where no kernel answers.
"""

from __future__ import annotations

import os
import sys
import zlib
from base64 import b64encode
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.export.lesson import MOST_EVENTS, lesson
from ucbpe_app.notebook.pictures import event_picture, index_of
from ucbpe_app.private.panel import Component, NotebookViewer, is_loaded
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run_view import RunView
from ucbpe_core.extras import install
from ucbpe_core.records import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.plots import Print
    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Trace


# What is asked is what Panel asks before it uses widgets.
_WIDGETS, _VSCODE, _COLAB = "jupyter_bokeh", ("VSCODE_PID", "VSCODE_CWD"), "google.colab"


def lacks_widgets() -> bool:
    """Whether VS Code or Colab runs this kernel, and what they need to reach it is missing."""
    here = _COLAB in sys.modules or any(name in os.environ for name in _VSCODE)
    return here and find_spec(_WIDGETS) is None


def in_marimo() -> bool:
    """Whether this is a cell of a marimo notebook that is open in a browser."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and marimo.app_meta().request is not None


def load_extension() -> None:
    """Load what the stepper needs in this notebook, unless `pn.extension` has been called.

    Inline, so that nothing is fetched from a network. Without a kernel there is nothing to load.
    """
    if _in_jupyter() and not is_loaded():
        pn.extension(inline=True)


def _in_jupyter() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


_STYLE, _SCRIPT = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("cell.css", "cell.js")
)
# Where no script runs, the picture is what is seen of it.
_CELL = """<div class="ucbpe-cell">{stepper}
<div class="ucbpe-kept">
<style>{style}</style>
{picture}{note}{lost}{run}<script>{script}</script>
</div>
</div>"""
_PICTURE = '<img class="ucbpe-still" style="max-width: 100%" alt="{}" {}>\n'
# Of a kernel that had answered. A page that keeps the run can go on without it.
_LOST = '<p class="ucbpe-lost" role="status" hidden>{}</p>\n'
_SILENT = "The kernel no longer answers: it was restarted or shut down, or is busy. "
_GOES_ON = "Here the same run goes on without it. Run the cell again to connect it with the kernel."
_STAYS = "The pictures stay as they are until you run the cell again."
_RUN = '<script type="text/plain" class="ucbpe-run">{}</script>\n'


def cell(stepper: str, still: Print, page: str, note: str = "") -> str:
    """The HTML of a cell.

    Parameters
    ----------
    stepper : HTML that the kernel answers, or nothing
    page : the run as an HTML page, or nothing
    note : HTML below the picture
    """
    run = _RUN.format(_base64(zlib.compress(page.encode(), 9))) if page else ""
    picture = _PICTURE.format(
        escape(still.words), f'src="data:image/png;base64,{_base64(still.png)}"'
    )
    lost = _LOST.format(_SILENT + (_GOES_ON if page else _STAYS))
    parts = {"stepper": stepper, "picture": picture, "note": note, "lost": lost, "run": run}
    return _CELL.format(style=_STYLE, script=_SCRIPT, **parts)


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


_STEPPER_STYLE = Path(__file__).with_name("stepper.css")
_NOTE = (
    "<p>Shown without the kernel, which this notebook reaches by jupyter_bokeh only: "
    "<code>{}</code>, then restart the kernel.</p>"
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
        self.connects = not lacks_widgets()
        if self.connects:
            load_extension()
        self._replay, self._layers = replay, layers or Layers(plane=True)
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
        files.write_text(path, self.page())

    def __panel__(self) -> pn.Column:
        return self._panel

    def html_around(self, html: str) -> str:
        still = event_picture(self._replay, self.frame.index, layers=self._layers)
        page = self.page() if self.frame.total <= MOST_EVENTS else ""
        note = "" if self.connects else _NOTE.format(escape(install("widgets")))
        return cell(html, still, page, note)

    def _display_(self) -> Any:
        """What marimo shows: by its own way to the kernel, and in a page that it saves the run."""
        import marimo

        if in_marimo():
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
    at : the event to begin with, by its place from 0 or as links write it: "1.posterior",
        "3.pick.2", "3.region", "3.observe"
    layers : what to show, as `Layers(truth=False)`; the truth and the decision plane by default

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
        stylesheets=[_STEPPER_STYLE.read_text(encoding="utf-8")],
        sizing_mode="stretch_width",
        margin=0,
    )
