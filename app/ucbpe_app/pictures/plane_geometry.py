"""The decision plane: what part of it is shown, and the lines along which choices are made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Axis
from ucbpe_app.run.events import Kind
from ucbpe_core.gp.region import relevant_region

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Floats

_STEP, _MOST_STEPS = 2**0.5, 30


def stepped(limit: float, needed: float) -> float:
    """`limit`, divided by sqrt(2) as often as `needed` still fits.

    Over a run the std can shrink by a factor of 100. With a scale fixed for the run, there would be
    one colour; a scale fitted to each batch would hide the shrinking. This scale changes rarely,
    and never within a batch.
    """
    for _ in range(_MOST_STEPS):
        if limit / _STEP < needed:
            break
        limit /= _STEP
    return limit


def window(scene: Scene, frame: Frame) -> tuple[Axis, Axis]:
    """The ranges of std and mean that hold R+ and the picks, in rare steps from the run's whole.

    They stay the same inside a batch, unless a policy picks outside R+. Far outside R+ are corners
    that never mattered: with them in view, the decisions of late batches would be in a tiny spot.
    """
    maximised = frame if scene.sign > 0 else replace(frame, mean=-frame.mean)
    relevant = relevant_region(maximised, frame.beta, frame.beta_next).region_plus
    at = np.array([pick.index for pick in frame.picks], int)
    # A dot moves left once it is picked: until then the window keeps it where it was.
    observed = frame.event.kind is Kind.OBSERVE
    stds = frame.std_now[at] if observed else [pick.std for pick in frame.picks]
    means = np.concatenate((frame.mean[relevant], frame.mean[at]))
    widest = stepped(scene.largest_std, max(frame.std[relevant].max(), *stds, 0.0)) or 1.0
    bottom, top = _bracket(scene.means, float(means.min()), float(means.max()))
    fraction = GEOMETRY.plane_pad
    pad = fraction * (top - bottom)
    # A little room left of 0, or marks at std 0 would be cut in half.
    return Axis(-fraction / 2 * widest, (1 + fraction) * widest), Axis(bottom - pad, top + pad)


def _bracket(whole: tuple[float, float], lowest: float, highest: float) -> tuple[float, float]:
    """A part of `whole` that holds both values, of a stepped length and in a stepped place."""
    low, high = whole
    if highest == lowest < high:  # means of a prior, which would be shown at the smallest step
        return low, high
    places = GEOMETRY.plane_places
    span = stepped(high - low, (highest - lowest) / (1 - 1 / places)) or 1.0
    bottom = low + np.floor((lowest - low) / span * places) * span / places
    return float(bottom), float(bottom + span)


class Line(NamedTuple):
    """mean = start + slope std, for std >= 0."""

    slope: float
    start: float

    def crossing(self, x: Axis, y: Axis) -> Floats:
        """Where the range of std begins and ends, and between them where the line meets that of
        the mean: its corners in the window.
        """
        low, high = max(x.low, 0.0), x.high
        met = [(mean - self.start) / self.slope for mean in (y.low, y.high)] if self.slope else []
        return np.array([low, *sorted(std for std in met if low < std < high), high])

    def within(self, x: Axis, y: Axis) -> Floats | None:
        """Both ends of its part in the window, std and mean, shape (2, 2), or None."""
        corners = self.crossing(x, y)
        middle = self.start + self.slope * (corners[:-1] + corners[1:]) / 2
        inside = np.flatnonzero((y.low <= middle) & (middle <= y.high))
        if not len(inside):
            return None
        std = corners[[inside[0], inside[-1] + 1]]
        return np.array([std, self.start + self.slope * std])


def lines(scene: Scene, frame: Frame) -> dict[str, Line]:
    """The lines that an event is about, by role.

    `equal_upper` touches the UCB pick; `equal_lower` and `plus_edge` start at y•, and R+ is above
    the latter, or R without R+, or a region of the policy's own, whose edge starts at its
    threshold; `compared_edge` is then the edge that R+ would have. Where f is minimised every slope
    is the opposite, and the region is below. A line belongs to one std: none is drawn over the dots
    of another.
    """
    slope, by_role = scene.sign * frame.sqrt_beta, dict[str, Line]()
    pick = current(frame)
    if pick is not None and pick.role == "ucb":
        by_role["equal_upper"] = Line(-slope, float(frame.mean[pick.index]) + slope * pick.std)
    if frame.y_dot is not None and frame.std_now is frame.std:
        by_role["equal_lower"] = Line(slope, frame.y_dot)
        plus = -2 * scene.sign * float(np.sqrt(frame.beta_next))
        by_role["plus_edge"] = Line(-slope if frame.region_plus is None else plus, frame.y_dot)
    if frame.compared is not None and frame.std_now is frame.std:
        y_dot, _ = frame.compared
        by_role["compared_edge"] = Line(-2 * scene.sign * float(np.sqrt(frame.beta_next)), y_dot)
    region = frame.explored
    if region is not None and np.isfinite(region.level) and frame.std_now is frame.std:
        by_role["plus_edge"] = Line(-scene.sign * region.coefficient, scene.sign * region.level)
    return by_role


def current(frame: Frame) -> PickMark | None:
    """The pick that the event makes."""
    return next((pick for pick in frame.picks if pick.current), None)
