"""Scripts and style sheets of this folder, and files that a browser sends."""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import param

from ucbpe_app.components.parts import Parts, script
from ucbpe_app.private.panel import Component
from ucbpe_app.run.notation import sentences
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.problem.drawing import Point

_FOLDER = Path(__file__).parent


def source(*names: str) -> str:
    """Scripts or style sheets of this folder, or else of the components, as one."""
    return script(*names, folder=_FOLDER)


def points_of(message: Any) -> list[Point]:
    """The points of a curve in what a browser sent.

    Raises
    ------
    InputError
        For anything else.
    """
    try:
        return [(x, y) for x, y in message["points"]]
    except (KeyError, TypeError, ValueError):
        got = reprlib.repr(message)
        raise InputError("points [x, y] of a curve", got, "draw it again") from None


class FileSource(Component):
    """Hands each file that the browser sends to `on_file`, as (name, content).

    Not panel-material-ui's FileInput: that checks sizes in the browser alone, and says why a file
    is refused in a tooltip, for five seconds.
    """

    __abstract = True

    limit = param.Integer(1_000_000, doc="Bytes of a file.")
    fault = param.String("", doc="Why the last file was not taken.")

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
