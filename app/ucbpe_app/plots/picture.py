"""A finished picture, as a notebook shows it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 200  # two pixels for one of the screen, nearly


Format = Literal["png", "svg"]
_UNDATED = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def file_of(figure: Figure, kind: Format, dpi: float = _DPI) -> bytes:
    """A figure of Matplotlib's as a file, undated: equal figures are equal files."""
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=dpi, metadata=_UNDATED[kind])
    return file.getvalue()


@dataclass(frozen=True)
class Picture:
    """A PNG and its text alternative; the last line of a cell shows it.

    Attributes
    ----------
    png : the file
    words : what it shows, in a sentence or two
    width : in CSS pixels, at most; it is never wider than its place
    """

    png: bytes = field(repr=False)
    words: str
    width: int = 780

    @classmethod
    def of(cls, figure: Figure, words: str) -> Picture:
        """The picture of a figure of Matplotlib's; equal figures are equal files."""
        return cls(file_of(figure, "png", _DPI), words)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        data, words = b64encode(self.png).decode("ascii"), escape(self.words, quote=True)
        look = f"width: {self.width}px; max-width: 100%; background: white"
        html = f'<img style="{look}" alt="{words}" src="data:image/png;base64,{data}">'
        return {"text/html": html, "text/plain": self.words}
