"""A finished picture, as a notebook shows it, and the style in which it is drawn.

Here alone HoloViews draws by Matplotlib: in the project's style, whatever is set.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import holoviews as hv
import matplotlib as mpl

from ucbpe_app.html import Html
from ucbpe_app.pictures.looks import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.figure import Figure


_DPI = 200  # two pixels for one of the screen, nearly
Format = Literal["png", "svg"]
_UNDATED = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def file_of(figure: Figure, kind: Format, dpi: float = _DPI, words: str = "") -> bytes:
    """A figure of Matplotlib's as a file, undated: equal figures are equal files.

    Parameters
    ----------
    words : text alternative, which the file keeps as its description
    """
    file = BytesIO()
    description = {"Description": words} if words else {}
    figure.savefig(file, format=kind, dpi=dpi, metadata={**_UNDATED[kind], **description})
    if kind == "png":
        return file.getvalue()
    # The font comes with Matplotlib; Verdana is the closest on other machines.
    font = f"'{STYLE['font.family']}'"
    return file.getvalue().replace(font.encode(), f"{font}, Verdana, sans-serif".encode())


@dataclass(frozen=True)
class Print:
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
    def of(cls, figure: Figure, words: str) -> Print:
        """The picture of a figure of Matplotlib's; equal figures are equal files."""
        return cls(file_of(figure, "png", words=words), words)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        data = b64encode(self.png).decode("ascii")
        look = f"width: {self.width}px; max-width: 100%; background: white"
        html = Html('<img style="{}" alt="{}" src="data:image/png;base64,{}">')
        return {"text/html": html.format(look, self.words, data), "text/plain": self.words}


# What is set below belongs to the process, and Matplotlib's caches of fonts are not thread-safe.
_LOCK = threading.RLock()


@contextmanager
def style(settings: Mapping[Any, Any] = MappingProxyType({})) -> Iterator[None]:
    """Draw and save within: the settings of both libraries are the report's, and restored after.

    Only one thread at a time.

    A session may have another backend of HoloViews for its own plots. While that is the current
    one, plots by Matplotlib come out different, even where their options name their backend.

    Parameters
    ----------
    settings : of Matplotlib, added to the report's or in their place
    """
    with _LOCK:
        hv.renderer("matplotlib")  # loads it
        backend = hv.Store.current_backend
        hv.Store.set_current_backend("matplotlib")
        try:
            with mpl.rc_context():
                mpl.rcdefaults()  # a style sheet of the user's, or of another plot, is not applied
                mpl.rcParams.update({**STYLE, **settings})
                yield
        finally:
            hv.Store.set_current_backend(backend)


def literal(words: str) -> str:
    """Words whose dollar signs begin no formula."""
    return words.replace("$", r"\$")
