"""A place for a file: chosen or dropped, and sent in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.component import Component
from ucbpe_app.pages.problem.views.parts import Parts, source
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


class Upload(Component):
    """Hands each file to `on_file`, as (name, content). One over `limit` bytes is not sent."""

    label = param.String("Choose a file", doc="What to click on.")
    hint = param.String("or drop it here", doc="What is expected, beside it.")
    accept = param.String("", doc="Endings that the browser offers, with commas.")
    limit = param.Integer(1_000_000, doc="Bytes of a file.")
    fault = param.String("", doc="Why the last file was not taken.")

    _esm = source("dom.js", "parts.js", "upload.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "upload.css")]

    def __init__(self, on_file: Callable[[str, bytes], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_file, self._parts = on_file, Parts(self.limit)

    def _handle_msg(self, data: Any) -> None:
        """Take a part of a file."""
        try:
            content = self._parts.take(data)
        except InputError as error:
            self.fault = f"Expected {error.expected}; got {error.got}."
            return
        if content is not None:
            self.fault = ""
            self._on_file(str(data["name"]), content)


class Paste(Upload):
    """A place to paste a text into, which is handed on like a file."""

    _esm = source("dom.js", "parts.js", "paste.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "paste.css")]
