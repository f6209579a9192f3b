"""Curves and intervals over the candidates of one input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.picture import Axis, mark, padded
from ucbpe_app.run.events import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Booleans, Floats, Integers


class Candidates(NamedTuple):
    """The candidates of one input, sorted.

    Attributes
    ----------
    order : their indices, shape (M,)
    x : their places, sorted
    edges : where each ends and the next begins, shape (M + 1,)
    """

    order: Integers
    x: Floats
    edges: Floats

    @classmethod
    def of(cls, scene: Scene) -> Candidates:
        """Those of a run."""
        along = scene.candidates[:, 0]
        order = np.argsort(along, kind="stable")
        return cls(order, along[order], cell_edges(along[order]))

    @property
    def axis(self) -> Axis:
        """The range that shows every candidate's cell."""
        return padded(float(self.edges[0]), float(self.edges[-1]), GEOMETRY.x_pad)

    def intervals(self, role: str, mask: Booleans | None, low: float, high: float) -> Mark | None:
        """The runs of a mask over the candidates, as bars between two heights."""
        if mask is None:
            return None
        steps = np.diff(mask[self.order].astype(np.int8), prepend=0, append=0)
        left, right = self.edges[:-1][steps[:-1] == 1], self.edges[steps == -1]
        heights = {"bottom": np.full(len(left), low), "top": np.full(len(left), high)}
        return mark(role, left=left, right=right, **heights)


def cell_edges(x: Floats) -> Floats:
    """Where each sorted candidate (M,) ends and the next begins: halfway, shape (M + 1,)."""
    if len(x) == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    middle = (x[:-1] + x[1:]) / 2
    return np.concatenate(([2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]))


def joined(x: Floats, *curves: Floats) -> dict[str, Floats]:
    """Several curves over x, shape (M,) each, as the columns of one line that NaN breaks."""
    if len(curves) == 1:
        return {"x": x, "y": curves[0]}
    gap = np.full(1, np.nan)
    xs = [part for _ in curves for part in (x, gap)][:-1]
    ys = [part for curve in curves for part in (curve, gap)][:-1]
    return {"x": np.concatenate(xs), "y": np.concatenate(ys)}


def pick_heights(scene: Scene, frame: Frame) -> list[float]:
    """Where picks are in the posterior: at their values once these are measured."""
    if frame.fresh and frame.picks:
        measured: list[float] = frame.observed_y[-frame.fresh :].tolist()
        return measured
    return [_height(scene, frame, pick) for pick in frame.picks]


def _height(scene: Scene, frame: Frame, pick: PickMark) -> float:
    """A star at the bound that it is best in, the others at the mean."""
    mean = float(frame.mean[pick.index])
    # Its std is that of its own moment: for later UCB picks of a batch, not the band's.
    bound = scene.sign * frame.sqrt_beta * pick.std
    return mean + bound if pick.role == "ucb" else mean


def counted(frame: Frame) -> Sequence[PickMark]:
    """The picks that the present std counts as measured."""
    if frame.event.kind is Kind.PICK:
        return [pick for pick in frame.picks if not pick.current]
    return frame.picks
