"""From a frame to the columns of the line view's sources. Pure functions."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app import theme
from ucbpe_app.figures.marks import mark_of
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.frames import Frame, PickMark
    from ucbpe_core.validation import Booleans, Floats

# The families of picks: each has a source and a mark.
FAMILIES = {"other": theme.OTHER_PICK, "pe": theme.PE_PICK, "ucb": theme.UCB_PICK}
_X_PAD, _Y_PAD, _STD_PAD = 0.02, 0.06, 0.12  # of a range, so that no mark at its end is cut
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


def input_range(edges: Floats) -> tuple[float, float]:
    """Return the range of x that shows every candidate's cell."""
    return padded(float(edges[0]), float(edges[-1]), _X_PAD)


def value_range(frames: Sequence[Frame], noise_variance: float) -> tuple[float, float]:
    """Return the range of f that holds these frames: it fits the batch, and stays still within it.

    `noise_variance` is that of the band of a measurement, 0 where it is not shown.
    """
    # sqrt(std^2 + noise) <= std + sqrt(noise).
    margin = frames[0].sqrt_beta * float(np.sqrt(noise_variance))
    lows, highs = zip(*(frame.values for frame in frames), strict=True)
    return padded(min(lows) - margin, max(highs) + margin, _Y_PAD)


def std_range(frames: Sequence[Frame]) -> tuple[float, float]:
    """Return the range of the standard deviation, which fits the batch."""
    largest = max(frame.largest_std for frame in frames) or 1.0
    return -_STD_PAD / 2 * largest, (1 + _STD_PAD) * largest


def is_updated(frame: Frame) -> bool:
    """Whether picks are counted in the standard deviation and not yet in the band."""
    return frame.std_before is not None and frame.event.kind is not Kind.OBSERVE


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
