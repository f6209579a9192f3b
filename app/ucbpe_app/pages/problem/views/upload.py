"""Places for a file: chosen, dropped or pasted."""

from __future__ import annotations

from typing import ClassVar

import param

from ucbpe_app.pages.problem.views.parts import FileSource, source


class Upload(FileSource):
    """A place for a file. One over `limit` bytes is not sent."""

    label = param.String("Choose a file", doc="What to click on.")
    hint = param.String("or drop it here", doc="What is expected, beside it.")
    accept = param.String("", doc="Endings that the browser offers, with commas.")

    _esm = source("dom.js", "parts.js", "upload.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "upload.css")]


class Paste(Upload):
    """A place to paste a text into, which is handed on like a file."""

    _esm = source("dom.js", "parts.js", "paste.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "paste.css")]
