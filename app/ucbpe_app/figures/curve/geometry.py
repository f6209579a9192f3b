"""From a frame to the columns of the line view's sources. Pure functions."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.figures.marks import mark_of
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark
    from ucbpe_core.validation import Booleans, Floats

# The families of picks: each has a source and a mark.
FAMILIES = {"other": theme.OTHER_PICK, "pe": theme.PE_PICK, "ucb": theme.UCB_PICK}
_SIZES = {"ucb": (15, 21), "pe": (13, 18), "other": (11, 15)}  # earlier, current


def cell_edges(x: Floats) -> Floats:
    """Where each sorted candidate (M,) ends and the next begins: halfway, shape (M + 1,)."""
    if len(x) == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    middle = (x[:-1] + x[1:]) / 2
    return np.concatenate(([2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]))


def intervals(edges: Floats, mask: Booleans) -> dict[str, list[float]]:
    """Return the runs of a mask over sorted candidates (M,) as intervals between `edges`."""
    steps = np.diff(mask.astype(np.int8), prepend=0, append=0)
    return {"left": edges[:-1][steps[:-1] == 1].tolist(), "right": edges[steps == -1].tolist()}


def padded(low: float, high: float, share: float) -> tuple[float, float]:
    """Return the range widened at both ends; one of no width becomes 2 wide."""
    pad = share * (high - low) or 1.0
    return low - pad, high + pad


def family(pick: PickMark) -> str:
    """Return the source that draws a pick: a star at its bound, the others at the mean."""
    mark = mark_of(pick.role)
    return next(name for name, one in FAMILIES.items() if one == mark)


def height(frame: Frame, pick: PickMark) -> float:
    """Where a pick is in the main figure: nowhere once its measurement is there instead."""
    if frame.event.kind is Kind.OBSERVE:
        return nan
    mean = float(frame.mean[pick.index])
    # Its std is that of its own moment: for later UCB picks of a batch, not the band's.
    return mean + frame.sqrt_beta * pick.std if family(pick) == "ucb" else mean


def picks(frame: Frame, name: str) -> dict[str, list[float]]:
    """Return the marks of one family; the current one is larger and filled."""
    chosen = [pick for pick in frame.picks if family(pick) == name]
    return {
        "x": [float(pick.x[0]) for pick in chosen],
        "y": [height(frame, pick) for pick in chosen],
        "std": [pick.std for pick in chosen],
        "size": [_SIZES[name][pick.current] for pick in chosen],
        "alpha": [float(pick.current) for pick in chosen],
    }
