"""Scripts of this folder, and files that a browser sends in parts, put together again."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from ucbpe_core.errors import InputError

_FOLDER = Path(__file__).parent


def script(*names: str, folder: Path = _FOLDER) -> str:
    """Scripts or style sheets of a folder, or else of this one, one after the other, as one."""
    places = (path if (path := folder / name).exists() else _FOLDER / name for name in names)
    return "\n".join(place.read_text(encoding="utf-8") for place in places)


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
