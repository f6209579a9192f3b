"""A finished picture, as a notebook shows it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from typing import Any


@dataclass(frozen=True)
class Picture:
    """A PNG and the words for whoever cannot see it; the last line of a cell shows it.

    Attributes
    ----------
    png : the file
    words : what it shows, in a sentence or two
    width : in CSS pixels, at most; it is never wider than its place
    """

    png: bytes = field(repr=False)
    words: str
    width: int = 780

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        data, words = b64encode(self.png).decode("ascii"), escape(self.words, quote=True)
        look = f"width: {self.width}px; max-width: 100%; background: white"
        html = f'<img style="{look}" alt="{words}" src="data:image/png;base64,{data}">'
        return {"text/html": html, "text/plain": self.words}
