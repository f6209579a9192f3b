"""What a browser saves of experiments: a copy of the one on screen, and those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.sheets.limits import MOST_FILE_BYTES
from ucbpe_app.pages.problem.views.parts import FileSource, source
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable


class AutosaveBar(Component):
    """Says what is not saved, saves it, and asks before the page is left.

    The file is made in the browser from these parameters, so that it can be saved when the server
    is gone. `on_csv` is asked for a CSV text, `on_zone` gets the browser's time zone.
    """

    identity = param.String("", doc="Of the experiment; nothing is shown without.")
    title = param.String("", doc="What the experiment is called.")
    head = param.String("", doc="Its file up to the steps.")
    journal = param.String("", doc="The rest.")
    entries = param.Integer(0, doc="Of the journal.")
    summary = param.String("", doc="Where it stands, in a few words.")
    safe = param.Boolean(True, doc="Whether a file or the browser has all of it.")
    opened = param.Integer(0, doc="Counts the files opened: what came from one is saved.")
    download = param.Dict({}, doc="A CSV file to save: name, text, and a number of its own.")

    _esm = source("database.js", "store.js", "autosave.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "autosave.css")]

    def __init__(self, on_csv: Callable[[], None], on_zone: Callable[[str], None]) -> None:
        super().__init__()
        self._on_csv, self._on_zone = on_csv, on_zone

    def offer(self, name: str, text: str) -> None:
        """Have the browser save a CSV file."""
        number = self.download.get("number", 0) + 1
        self.download = {"name": name, "text": text, "number": number}

    def receive(self, data: Any) -> None:
        """Take a request."""
        if "csv" in data:
            self._on_csv()
        elif "zone" in data:
            self._on_zone(str(data["zone"]))


class SavedExperiments(FileSource):
    """The experiments that this browser has saved; the one to resume is handed on like a file."""

    limit = param.Integer(MOST_FILE_BYTES, doc="Bytes of a file.")
    count = param.Integer(0, doc="A change has the list drawn again.")

    _esm = source("dom.js", "parts.js", "database.js", "store.js", "saved.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "saved.css")]
