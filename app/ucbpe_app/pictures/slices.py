"""Three inputs and more: mean and band along each input through the best point, in small frames.

One plot holds them all, in cells of its own unit: a figure for each of eight inputs would cost as
much as the rest of the page.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.picture import Axis, Label, Picture, Plot, PlotKind, RunKind, mark
from ucbpe_app.run.sentences.texts import coordinate, number, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.joint import Slices
    from ucbpe_core.support.validation import Floats

_ACROSS = 2  # cells in a row
_WIDE, _HIGH = 0.88, 0.66  # of a cell: its frame, from the lower left corner


def slices(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event of a run over three inputs or more.

    With a candidate pointed at they go through that one.
    """
    if scene.joint is None:
        rows = -(-scene.dimension // _ACROSS)
        x = Axis(0.0, _ACROSS - 1 + _WIDE)
        return _picture(Plot(x, Axis(0.0, float(rows)), ()), "", request)
    return slices_of(scene, frame, scene.joint.slices(frame, request.pointed), request)


def slices_of(scene: Scene, frame: Frame, found: Slices, request: Request) -> Picture:
    """The picture of slices that were computed."""
    d = scene.dimension
    rows = -(-d // _ACROSS)
    x = Axis(0.0, _ACROSS - 1 + _WIDE)
    half = frame.sqrt_beta * found.std
    cells = _Cells(rows, float((found.mean - half).min()), float((found.mean + half).max()))
    values = {"mean": found.mean, "lower": found.mean - half, "upper": found.mean + half}
    y_of = {name: cells.up(curve) for name, curve in values.items()}
    across = cells.across(found.x)
    band = mark("band", x=cells.closed(across), **{
        name: cells.closed(y_of[name], y_of["mean"]) for name in ("lower", "upper")
    })  # fmt: skip
    gap = np.full((d, 1), np.nan)
    lines = {"x": np.hstack([across, gap]).ravel(), "y": np.hstack([y_of["mean"], gap]).ravel()}
    here = scene.candidates[found.candidate]
    at = cells.across(np.column_stack([found.x[:, 0], here, found.x[:, -1]]))[:, 1]
    mean = cells.up(np.full((d, 1), frame.mean[found.candidate]))[:, 0]
    plot = Plot(
        x,
        cells.axis,
        (cells.ground(d), band, mark("mean", **lines), mark("start", x=at, y=mean)),
        (
            Label(_title(frame, found, request), place="title"),
            *cells.names(scene, here, request.size),
        ),
    )
    return _picture(plot, _sentence(scene, found), request)


def _picture(plot: Plot, text: str, request: Request) -> Picture:
    return Picture(SLICES, MappingProxyType({"slices": plot}), text, request.size)


SLICES = RunKind(
    "slices",
    MappingProxyType(
        {
            "slices": PlotKind(
                name="Slices",
                roles=("strip", "band", "mean", "start"),
                height=380,
                x_ticks=0,
                borders=(52, 8, 24, 8),
                grid=False,
                ends=False,
            )
        }
    ),
    draw=slices,
    position=lambda scene, frame: (frame.std_now, frame.mean),
)


class _Cells:
    """Where each slice is: input 0 at the upper left, the next one right of it."""

    def __init__(self, rows: int, low: float, high: float) -> None:
        self.rows, self.low, self.span = rows, low, (high - low) or 1.0

    @property
    def axis(self) -> Axis:
        """The least and the greatest value of each row of frames."""
        ticks = [
            (row + _HIGH * fraction, number(self.low + fraction * self.span))
            for row in range(self.rows)
            for fraction in (0.0, 1.0)
        ]
        return Axis(-0.02, float(self.rows), tuple(ticks))

    def corner(self, i: int) -> tuple[float, float]:
        """The lower left corner of the frame of input i."""
        return float(i % _ACROSS), float(self.rows - 1 - i // _ACROSS)

    def across(self, x: Floats) -> Floats:
        """Coordinates (d, g), each row from the least to the greatest of its input."""
        low, high = x[:, :1], x[:, -1:]
        left = np.array([self.corner(i)[0] for i in range(len(x))])[:, None]
        placed: Floats = left + _WIDE * (x - low) / np.where(high > low, high - low, 1.0)
        return placed

    def up(self, values: Floats) -> Floats:
        """Values (d, g) of f, on one scale in all frames."""
        foot = np.array([self.corner(i)[1] for i in range(len(values))])[:, None]
        placed: Floats = foot + _HIGH * (values - self.low) / self.span
        return placed

    def closed(self, edge: Floats, middle: Floats | None = None) -> Floats:
        """An edge of all areas as one, which has no width between two frames."""
        middle = edge if middle is None else middle
        return np.hstack([middle[:, :1], edge, middle[:, -1:]]).ravel()

    def ground(self, d: int) -> Mark:
        """The frames."""
        left, bottom = (np.array(side) for side in zip(*map(self.corner, range(d)), strict=True))
        return mark("strip", left=left, right=left + _WIDE, bottom=bottom, top=bottom + _HIGH)

    def names(self, scene: Scene, here: Floats, size: str) -> list[Label]:
        """Above each frame its input, and where the point is if the text is small."""
        places = map(coordinate, here.tolist(), scene.extents.tolist())
        texts = (f"{name} = {x}" for name, x in zip(scene.axes, places, strict=False))
        return [
            Label(
                text, "", self.corner(i)[0] + _WIDE / 2,
                self.corner(i)[1] + _HIGH + (1 - _HIGH) * 0.4, "inside",
            )
            for i, text in enumerate(scene.axes[:-1] if size == "present" else texts)
        ]  # fmt: skip


def _title(frame: Frame, found: Slices, request: Request) -> str:
    mean = number(float(frame.mean[found.candidate]))
    name = "label.slices" if request.pointed is None else "label.slices.pointed"
    return say(name, candidate=found.candidate, mean=mean)


def _sentence(scene: Scene, found: Slices) -> str:
    """How far the mean reaches along each input, for who cannot see it."""
    reach = (
        f"{name}: mean {number(float(mean.min()))} to {number(float(mean.max()))}"
        for name, mean in zip(scene.axes, found.mean, strict=False)
    )
    return f"Slices of mean and band through candidate {found.candidate}. {'; '.join(reach)}."
