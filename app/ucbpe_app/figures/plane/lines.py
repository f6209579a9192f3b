"""The lines of the decision plane at an event: where they are, and how strong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark

_STRONG, _FADED = 1.0, 0.6
SHADE = 0.12  # opacity of the half-plane of R+, times that of its line


class Slanted(NamedTuple):
    """mean = intercept + gradient std."""

    gradient: float
    intercept: float
    alpha: float


class PlaneLines(NamedTuple):
    """Through the UCB pick, y• and the edge of R+, each from the event that finds it."""

    ucb: Slanted | None
    y_dot: Slanted | None
    plus: Slanted | None


def lines(frame: Frame, sign: float) -> PlaneLines:
    """The lines of a frame; they fade once the dots have moved on.

    Where f is minimised every slope is the opposite, and R+ lies below its line.
    """
    alpha = _FADED if frame.std_now is not frame.std else _STRONG
    slope, pick = sign * frame.sqrt_beta, _ucb_pick(frame)
    ucb = y_dot = plus = None
    if pick is not None:
        touched = float(frame.mean[pick.index]) + slope * pick.std
        ucb = Slanted(-slope, touched, _STRONG if pick.current else alpha)
    if frame.y_dot is not None:
        wide = -2 * sign * float(np.sqrt(frame.beta_next))
        y_dot = Slanted(slope, frame.y_dot, alpha)
        plus = Slanted(wide, frame.y_dot, alpha)
    return PlaneLines(ucb, y_dot, plus)


def guide(frame: Frame) -> float | None:
    """Where the PE pick being made is: nothing in R+ lies right of it."""
    return next((pick.std for pick in frame.picks if pick.current and pick.role == "pe"), None)


def positions(frame: Frame) -> list[tuple[float, float]]:
    """(std, mean) of each pick when it was made; what is measured has a place of its own again."""
    observed = frame.event.kind is Kind.OBSERVE
    return [
        (
            float(frame.std_now[pick.index]) if observed else pick.std,
            float(frame.mean[pick.index]),
        )
        for pick in frame.picks
    ]


def _ucb_pick(frame: Frame) -> PickMark | None:
    """The latest pick by upper bound, while the mean is still the one that it was picked by."""
    picks = [pick for pick in frame.picks if pick.role == "ucb"]
    return picks[-1] if picks and frame.event.kind is not Kind.OBSERVE else None
