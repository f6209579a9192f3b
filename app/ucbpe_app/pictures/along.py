"""Over the candidates of one input: curves, intervals, and the lines that are drawn of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures.looks import LINES
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Axis, Label, mark, padded
from ucbpe_app.run.events import Kind
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import number, pick_label, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.pictures.looks import Curve
    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_app.run.screen import Layers
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


def roles(plot: str, *, small: bool = False) -> tuple[str, ...]:
    """The roles of the lines of a plot, or of its lines in small pictures."""
    return tuple(line.role for line in LINES if line.plot == plot and line.small >= small)


def _arrays(scene: Scene, frame: Frame, layers: Layers) -> Mapping[str, Floats | None]:
    """What curves are of, by the names of `looks.Curve`, shape (M,) each, as candidates are."""
    c, inside = frame.sqrt_beta, True if frame.inside is None else frame.inside
    std_inside = np.where(inside, frame.std_now, np.nan)
    updated = frame.std_before is not None and frame.event.kind is not Event.OBSERVE
    noisy = c * np.sqrt(frame.std**2 + scene.noise_variance) if layers.noisy else None
    return {
        "mean": frame.mean,
        "truth": scene.truth if layers.truth else None,
        "std": frame.std,
        "std_now": frame.std_now,
        "std_inside": std_inside,
        "std_before": frame.std_before,
        "updated": c * std_inside if updated else None,
        "noisy": noisy,
    }


def _curve(values: Mapping[str, Floats | None], curve: Curve) -> Floats | None:
    """Its values, shape (M,), or None where there is none at this event."""
    of, spread = values[curve.of], values[curve.spread or curve.of]
    if of is None or spread is None:
        return None
    return of + curve.times * spread if curve.spread else of


def lines(
    scene: Scene,
    frame: Frame,
    layers: Layers,
    along: Candidates,
    plot: str = "function",
    *,
    small: bool = False,
) -> list[Mark]:
    """The lines of a plot."""
    values, made = _arrays(scene, frame, layers), []
    for line in LINES:
        found = [_curve(values, curve) for curve in line.curves]
        curves = [heights[along.order] for heights in found if heights is not None]
        if line.role in roles(plot, small=small) and len(curves) == len(line.curves):
            made.append(mark(line.role, **joined(along.x, *curves)))
    return made


def names(drawn: Sequence[Mark], frame: Frame, layers: Layers) -> list[Label]:
    """The names of lines, each where its line ends."""
    picks, multiplier = _named(counted(frame)), number(frame.sqrt_beta)
    labels = []
    for line in drawn:
        ends = line.columns["y"][np.isfinite(line.columns["y"])]
        text = say(f"label.{line.role}", plain=layers.plain, picks=picks, multiplier=multiplier)
        labels += [Label(text, line.role, y=float(end)) for end in ends[-1:]]
    return labels


def _named(picks: Sequence[PickMark]) -> str:
    """Their names, of three or more the first and the last."""
    some = [pick_label(pick.number) for pick in picks]
    return ", ".join(some) if len(some) <= GEOMETRY.most_listed else f"{some[0]} … {some[-1]}"
