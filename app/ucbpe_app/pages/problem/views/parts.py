"""Scripts and style sheets of this folder, and files that a browser sends in parts."""

from __future__ import annotations

import base64
import reprlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import param

from ucbpe_app.private.panel import Component
from ucbpe_app.run.errors import sentences
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.problem.drawing import Point

_FOLDER = Path(__file__).parent


def source(*names: str) -> str:
    """Scripts or style sheets of this folder, one after the other, as one."""
    return "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


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


class Parts:
    """Puts files together again; at most `limit` bytes of one."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._id = ""
        self._received = bytearray()
        self._next = 0

    def add(self, message: dict[str, Any]) -> bytes | None:
        """The file, once its last part is here; None before. A new file ends an unfinished one.

        Raises
        ------
        InputError
            For a file over the limit, which is then not decoded, or a damaged part.
        """
        match message:
            case {"id": str(name), "part": int(part), "parts": int(parts), "data": str(data)}:
                pass
            case _:
                raise self._damaged()
        if part == 0:
            self._id, self._received, self._next = name, bytearray(), 0
        if name != self._id or part != self._next:
            return None  # the rest of a file that was refused or overtaken
        if len(self._received) + 3 * len(data) // 4 - 2 > self.limit:  # two may be padding
            self._forget()
            raise InputError(
                f"at most {self.limit / 1e6:g} MB", "more", "leave out rows or columns"
            )
        try:
            self._received += base64.b64decode(data, validate=True)
        except ValueError:  # binascii's, or text that is not ASCII
            raise self._damaged() from None
        self._next += 1
        if self._next < parts:
            return None
        content = bytes(self._received)
        self._forget()
        return content

    def _damaged(self) -> InputError:
        self._forget()
        return InputError("a whole file", "a damaged part", "choose it again")

    def _forget(self) -> None:
        self._id, self._received = "", bytearray()


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

    def _handle_msg(self, data: Any) -> None:
        """Take a part of a file."""
        try:
            content = self._parts.add(data)
        except InputError as error:
            self.fault = sentences(error)
            return
        if content is not None:
            self.fault = ""
            self._on_file(str(data.get("name", "")), content)
