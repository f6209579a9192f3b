"""The bar of the page, places for a file, and what a browser keeps of experiments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.components.parts import Parts, script
from ucbpe_app.pages.problem.sheets.limits import MOST_FILE_BYTES
from ucbpe_app.private.panel import Component
from ucbpe_app.run.notation import sentences
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


_FOLDER = Path(__file__).parent


def source(*names: str) -> str:
    """Scripts or style sheets of this folder, or else of the components, as one."""
    return script(*names, folder=_FOLDER)


class FileSource(Component):
    """Hands each file that the browser sends to `on_file`, as (name, content).

    Not panel-material-ui's FileInput (0.16): that checks sizes in the browser alone, its server
    puts parts together without a limit, and why a file is refused stands in a tooltip, for five
    seconds.
    """

    __abstract = True

    limit = param.Integer(1_000_000, doc="Bytes of a file.")
    fault = param.String("", doc="Why the last file was not taken.")

    _stylesheets: ClassVar[list[str]] = [source("controls.css", "files.css")]

    def __init__(self, on_file: Callable[[str, bytes], None], **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", **params)
        self._on_file, self._parts = on_file, Parts(self.limit)

    def receive(self, data: Any) -> None:
        """Take a part of a file."""
        try:
            content = self._parts.add(data)
        except InputError as error:
            self.fault = sentences(error)
            return
        if content is not None:
            self.fault = ""
            self._on_file(str(data.get("name", "")), content)


class Upload(FileSource):
    """A place for a file, or a text that is pasted. One over `limit` bytes is not sent."""

    label = param.String("Choose a file", doc="What to click on.")
    hint = param.String("or drop it here", doc="What is expected, beside it.")
    accept = param.String("", doc="Endings that the browser offers, with commas.")
    paste = param.String("", doc="What a field to paste a text is called; there is none without.")
    example = param.String("", doc="Of such a text.")

    _esm = source("dom.js", "parts.js", "upload.js")


class Steps(Component):
    """Named steps, one of which is on screen."""

    labels = param.Dict({}, doc="Their labels, by name.")
    active = param.String("", doc="Name of the step on screen.")

    _esm = source("dom.js", "steps.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "steps.css")]


class AutosaveBar(Component):
    """Says what is not saved, saves it, and asks before the page is left.

    The file is made in the browser from these parameters, so that it can be saved when the server
    is gone; panel-material-ui's FileDownload (0.16) has to ask the server. `on_csv` is asked for a
    CSV text, `on_zone` gets the browser's time zone.
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

    _esm = source("dom.js", "database.js", "store.js", "autosave.js")
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
