"""What only print needs: the size of a page, text that stays text, and the files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ucbpe_app.line_styles import STYLE
from ucbpe_app.plots.picture import file_of, style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from ucbpe_app.plots.picture import Format

CM = 1 / 2.54  # inches
WIDTH = 17.0  # cm: a page of A4 or letter between its margins
PT = 0.62  # points per pixel of the dashboard, whose pictures are wider than a page
QUIET = "#555555"

_SETTINGS: dict[Any, Any] = {
    "axes.titlesize": 9,
    "axes.titlepad": 4,
    "font.size": 8.5,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.formatter.use_mathtext": False,  # numbers are text too
    "axes.formatter.limits": (-5, 6),
    "text.color": "#222222",
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # text stays text: it can be searched, read out and changed
}


@contextmanager
def drawing() -> Iterator[None]:
    """Build and save figures within: one thread at a time, in the style of all charts."""
    with style(_SETTINGS):
        yield


def saved(figure: Figure, kind: Format, dpi: float) -> bytes:
    """The file; equal pictures are equal files."""
    if kind == "png":
        return file_of(figure, kind, dpi)
    # The font comes with Matplotlib; Verdana is the closest on other machines.
    font = STYLE["font.family"]
    return file_of(figure, kind, dpi).replace(
        f"'{font}'".encode(), f"'{font}', Verdana, sans-serif".encode()
    )
