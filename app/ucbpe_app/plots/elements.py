"""What a chart is made of: elements of HoloViews with the pens of this project, for Matplotlib.

They compose as all elements do: ``a * b`` lies in one chart, b above a, and ``chart + chart`` are
charts side by side. One with a `label` is in the legend. ``pen=None`` is black, or for a line with
a label the pen that `draw` has for this label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from ucbpe_app import theme
from ucbpe_app.pictures.looks import LineStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.region import MeanAndStd

BAND_ALPHA = 0.16  # four bands on top of each other still show their edges
_BLACK = LineStyle()
# Roles of the dashboard, as it draws them.
TRUTH, MEAN, BAND, DATA, UCB_PICK, PE_PICK, Y_DOT, REGION, REGION_PLUS = (
    LineStyle.of(mark)
    for mark in (
        theme.TRUTH, theme.MEAN, theme.BAND, theme.DATA, theme.UCB_PICK, theme.PE_PICK, theme.Y_DOT,
        theme.REGION, theme.REGION_PLUS,
    )
)  # fmt: skip


def options(element: Any, **look: Any) -> Any:
    """An element that Matplotlib draws so, whatever a session's own backend of HoloViews is."""
    hv.renderer("matplotlib")  # loads it
    return element.opts(backend="matplotlib", **look)


def Line(
    x: ArrayLike,
    y: ArrayLike,
    *,
    label: str = "",
    pen: LineStyle | None = None,
    alpha: float = 1.0,
    step: bool = False,
    dots: float = 0.0,
) -> hv.Curve:
    """A line through (x, y), shape (n,) each, broken at NaN.

    Parameters
    ----------
    step : whether each y stays to the next x
    dots : the size of the pen's markers on it, in typographic points; 0 for none
    """
    look: dict[str, Any] = {} if pen is None else dict(pen.line)
    if dots:
        look |= {"marker": (pen or _BLACK).marker, "ms": dots}
    curve = hv.Curve((np.asarray(x), np.asarray(y)), "x", "y", label=label)
    return options(
        curve, **look, alpha=alpha, interpolation="steps-post" if step else "linear"
    )  # fmt: skip


def Band(
    x: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    label: str = "",
    pen: LineStyle = _BLACK,
    alpha: float = BAND_ALPHA,
) -> hv.Area:
    """The area between low and high over x, shape (n,) each."""
    area = hv.Area(
        (np.asarray(x), np.asarray(low), np.asarray(high)), "x", ["y", "high"], label=label
    )
    return options(area, facecolor=pen.color, edgecolor="none", linewidth=0, alpha=alpha)


def Points(
    x: ArrayLike,
    y: ArrayLike,
    *,
    label: str = "",
    pen: LineStyle = _BLACK,
    size: float = 5.0,
    fill: Any = "",
    edge: float = 1.4,
) -> hv.Scatter:
    """Markers at (x, y), shape (n,) each.

    Parameters
    ----------
    size : typographic points across
    fill : a colour, or "none"; the pen's unless given
    edge : width of the outline, in the pen's colour
    """
    scatter = hv.Scatter((np.atleast_1d(x), np.atleast_1d(y)), "x", "y", label=label)
    return options(
        scatter, marker=pen.marker, facecolors=fill or pen.color, edgecolors=pen.color,
        s=size**2, linewidth=edge,
    )  # fmt: skip


def Bars(
    left: ArrayLike,
    right: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    label: str = "",
    pen: LineStyle = _BLACK,
    alpha: float = 1.0,
    outline: bool = False,
    hatch: str = "",
) -> hv.Rectangles:
    """Bars from `left` to `right` between two heights; shape (n,) each, or one for all.

    Parameters
    ----------
    hatch : a hatch pattern of Matplotlib, in the pen's colour
    """
    columns = np.broadcast_arrays(*map(np.atleast_1d, (left, low, right, high)))
    return options(
        hv.Rectangles(columns, label=label), facecolor=(pen.color, alpha), edgecolor=pen.color,
        linewidth=pen.width if outline else 0, hatch=hatch or None,
    )  # fmt: skip


def Field(
    values: ArrayLike,
    bounds: tuple[float, float, float, float],
    colors: Sequence[str],
    low: float,
    high: float,
) -> hv.Image:
    """Values over a grid, shape (rows, columns) from the bottom up, as an image.

    Parameters
    ----------
    bounds : left, bottom, right and top edge of the outer cells
    colors : of the values from `low` to `high`
    """
    image = hv.Image(np.asarray(values)[::-1], bounds=bounds)
    return options(image, cmap=list(colors), clim=(low, high))


def Level(
    y: ArrayLike, *, label: str = "", pen: LineStyle = _BLACK, alpha: float = 1.0
) -> hv.HLines:
    """Horizontal lines at y, a number or shape (n,)."""
    return options(hv.HLines(np.atleast_1d(y), label=label), **pen.line, alpha=alpha)


def Moment(
    x: ArrayLike, *, label: str = "", pen: LineStyle = _BLACK, alpha: float = 1.0
) -> hv.VLines:
    """Vertical lines at x, a number or shape (n,)."""
    return options(hv.VLines(np.atleast_1d(x), label=label), **pen.line, alpha=alpha)


def belief_parts(
    x: ArrayLike,
    belief: MeanAndStd,
    multiplier: float = 2.0,
    *,
    truth: ArrayLike | None = None,
    data: tuple[ArrayLike, ArrayLike] | None = None,
    of: str = "",
) -> hv.Overlay:
    """Mean and band mean ± multiplier std over x; then f itself and the data, if given.

    Parameters
    ----------
    x : candidates, shape (M,) or (M, 1)
    belief : prior or posterior: anything with `mean` and `std`, shape (M,) each
    truth : f, shape (M,)
    data : places (n,) or (n, 1), and what was measured there (n,)
    of : what the band is of, for the legend, e.g. "a measurement"
    """
    along = np.ravel(x)
    reach = multiplier * belief.std
    what = f"mean ± {multiplier:.3g} std" + (f" of {of}" if of else "")
    parts = [
        Band(along, belief.mean - reach, belief.mean + reach, label=what, pen=BAND),
        Line(along, belief.mean, label="mean", pen=MEAN),
    ]
    if truth is not None:
        parts.append(Line(along, truth, label="f", pen=TRUTH))
    if data is not None:
        parts.append(Points(np.ravel(data[0]), data[1], label="data", pen=DATA))
    return hv.Overlay(parts)
