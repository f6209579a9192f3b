"""What joins a lesson in a cell with the run in Python: which event is on screen."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable

_LESSON, _WIDGET = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("lesson.js", "link.js")
)


class Link:
    """A name of a run, by which its lessons and Python find each other.

    Without anywidget, or a kernel, nobody in Python listens; the lessons go on by themselves.

    Parameters
    ----------
    on_event : called with the event that somebody has gone to in the browser, as links write it
    """

    def __init__(self, on_event: Callable[[str], None]) -> None:
        self.run = uuid4().hex
        self._on_event = on_event
        self._widget: Any = None

    @property
    def script(self) -> str:
        """An element for the page of a lesson, which makes it one of this run."""
        return f"<script>\nconst RUN = {self.run!r}\n{_LESSON}</script>\n"

    def widget(self, event: str) -> Any:
        """The widget, which shows nothing; None without anywidget. It begins at this event."""
        if self._widget is None and find_spec("anywidget"):
            self._widget = _made(self.run, event)
            self._widget.observe(lambda change: self._on_event(change["new"]), "event")
        return self._widget

    def tell(self, event: str) -> None:
        """Have the lessons go to an event."""
        if self._widget is not None:
            self._widget.event = event


def _made(run: str, event: str) -> Any:
    import anywidget
    import traitlets

    class Joined(anywidget.AnyWidget):
        """The event on screen, in Python and in the browser."""

        _esm = _WIDGET
        run = traitlets.Unicode().tag(sync=True)
        event = traitlets.Unicode().tag(sync=True)

    return Joined(run=run, event=event)


def has_kernel() -> bool:
    """Whether a notebook runs this process."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def loads_what_is_seen() -> bool:
    """Whether VS Code or Colab runs this kernel: they load a widget once a cell shows it."""
    names = ("VSCODE_PID", "VSCODE_CWD")
    return "google.colab" in sys.modules or any(name in os.environ for name in names)
