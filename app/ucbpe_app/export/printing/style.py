"""How printed figures look, and the one place in which Matplotlib is used at a time."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

Format = Literal["png", "svg"]

CM = 1 / 2.54  # inches
WIDTH = 17.0  # cm: a page of A4 or letter between its margins
DPI = 300
PT = 0.62  # points per pixel of the dashboard, whose pictures are wider than a page
INK, QUIET, LINE = "#222222", "#555555", "#444444"

_FONT = "DejaVu Sans"  # comes with Matplotlib; Verdana is its like on other machines
_STYLE: dict[Any, Any] = {
    "font.family": _FONT,
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "axes.labelsize": 8.5,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.edgecolor": LINE,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "lines.dash_capstyle": "butt",
    "text.color": INK,
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # text stays text: it can be searched, read out and changed
    "svg.hashsalt": "ucbpe",
}
# Its settings belong to the process, and its caches of fonts and formulas are not thread-safe.
_LOCK = threading.RLock()


@contextmanager
def drawing() -> Iterator[None]:
    """Build and save figures within: one thread at a time, with these settings and no others."""
    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()  # a style sheet of the user's, or of another plot, has no say
        mpl.rcParams.update(_STYLE)
        yield


def literal(words: str) -> str:
    """Words whose dollar signs begin no formula."""
    return words.replace("$", r"\$")


def page(height: float) -> Figure:
    """An empty page of this height in cm; it belongs to no window and to no other thread."""
    return Figure(figsize=(WIDTH * CM, height * CM), facecolor="white")


def saved(figure: Figure, kind: Format, dpi: float = DPI) -> bytes:
    """The file, with neither date nor version in it: equal pictures are equal files."""
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}[kind]
    buffer = BytesIO()
    figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata)
    if kind == "png":
        return buffer.getvalue()
    return buffer.getvalue().replace(
        f"'{_FONT}'".encode(), f"'{_FONT}', Verdana, sans-serif".encode()
    )
