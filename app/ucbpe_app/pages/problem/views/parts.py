"""Files that a browser sends in parts."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from ucbpe_core.errors import InputError

_FOLDER = Path(__file__).parent


def source(*names: str) -> str:
    """Scripts or style sheets of this folder, one after the other, as one."""
    return "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


class Parts:
    """Puts files together again; at most `limit` bytes of one."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._id = ""
        self._received = bytearray()
        self._next = 0

    def take(self, message: dict[str, Any]) -> bytes | None:
        """The file, once its last part is here; None before. A new file ends an unfinished one.

        Raises
        ------
        InputError
            For a file over the limit, or parts out of order.
        """
        part, parts = int(message["part"]), int(message["parts"])
        if part == 0:
            self._id, self._received, self._next = str(message["id"]), bytearray(), 0
        if message["id"] != self._id or part != self._next:
            return None  # the rest of a file that was refused or overtaken
        try:
            self._received += base64.b64decode(message["data"], validate=True)
        except (binascii.Error, ValueError):
            self._id = ""
            raise InputError("a whole file", "a damaged part", "choose it again") from None
        self._next += 1
        if len(self._received) > self.limit:
            self._id, self._received = "", bytearray()
            raise InputError(
                f"at most {self.limit / 1e6:g} MB", "more", "leave out rows or columns"
            )
        if self._next < parts:
            return None
        content, self._received, self._id = bytes(self._received), bytearray(), ""
        return content
