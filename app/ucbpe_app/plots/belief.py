"""Prior or posterior over one input, as the parts of a chart: band, mean, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.line_styles import LineStyle
from ucbpe_app.plots.elements import Band, Line, Part
from ucbpe_app.plots.markers import Points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.region import MeanAndStd

TRUTH, MEAN, BAND, DATA = (
    LineStyle.of(mark) for mark in (theme.TRUTH, theme.MEAN, theme.BAND, theme.DATA)
)


def belief_parts(
    x: ArrayLike,
    belief: MeanAndStd,
    multiplier: float = 2.0,
    *,
    truth: ArrayLike | None = None,
    data: tuple[ArrayLike, ArrayLike] | None = None,
    of: str = "",
) -> list[Part]:
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
    parts: list[Part] = [
        Band(along, belief.mean - reach, belief.mean + reach, label=what, pen=BAND),
        Line(along, belief.mean, label="mean", pen=MEAN),
    ]
    if truth is not None:
        parts.append(Line(along, truth, label="f", pen=TRUTH))
    if data is not None:
        parts.append(Points(np.ravel(data[0]), data[1], label="data", pen=DATA))
    return parts
