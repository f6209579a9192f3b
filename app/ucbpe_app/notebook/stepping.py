"""The stepper: every event of a run, forward and back, in a cell with a live kernel."""

from __future__ import annotations

import sys
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.export.lesson import lesson
from ucbpe_app.notebook.pictures import event_picture, index_of
from ucbpe_app.private.panel import NotebookViewer, is_loaded
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run_view import RunView
from ucbpe_core.records import atomic

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Trace

_STYLE = Path(__file__).with_name("stepper.css")
# The first box is what Panel writes: empty in a saved notebook until a script has filled it.
_STILL = """
<style>div:has(> [data-root-id] > *) ~ .ucbpe-still {{ display: none; }}</style>
<img class="ucbpe-still" style="max-width: 100%" alt="{words}" src="data:image/png;base64,{data}">
"""


class Stepper(NotebookViewer):
    """A run to step through, forward and back, with a live kernel.

    A saved notebook keeps the event that was on screen when the cell ran, as a picture: it is seen
    where no script runs, and gives way to the stepper where one does.

    Attributes
    ----------
    stage : the pictures, the timeline and the reasons
    """

    def __init__(self, trace: Trace, at: int | str = 0, layers: Layers | None = None) -> None:
        super().__init__()
        replay = Replay(trace)
        index = index_of(replay, at)
        load_extension()
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

    def save(self, path: str | Path) -> None:
        """Write the run as one HTML file, which steps it in any browser without a kernel.

        It opens with the event on screen.

        Raises
        ------
        InputError
            For a run that is too long for a file.
        OSError
            If the file cannot be written.
        """
        start = self.frame.index
        layers = self._layers.shown
        page = lesson(self._replay, start=start, layers=layers, live=True)
        atomic.write_text(path, page)

    def __panel__(self) -> pn.Column:
        return self._panel

    def html_below(self) -> str:
        still = event_picture(self._replay, self.frame.index, layers=self._layers)
        data = b64encode(still.png).decode("ascii")
        return _STILL.format(words=escape(still.words), data=data)

    def _layout(self) -> pn.Column:
        stage = self.stage
        parts = {"pictures": stage.pictures, "reasons": stage.reasons, "transport": stage.timeline}
        columns = [_styled(f"lab-{name}", part) for name, part in parts.items()]
        return _styled("lab-notebook", _styled("lab-stepper", *columns))


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


def load_extension() -> None:
    """Load what the stepper needs in this notebook, unless `pn.extension` has been called.

    Inline, so that nothing is fetched from a network. Without a kernel there is nothing to load.
    """
    if _in_notebook() and not is_loaded():
        pn.extension(inline=True)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _styled(name: str, *parts: Any) -> pn.Column:
    return pn.Column(
        *parts,
        css_classes=[name],
        stylesheets=[_STYLE.read_text(encoding="utf-8")],
        sizing_mode="stretch_width",
        margin=0,
    )
