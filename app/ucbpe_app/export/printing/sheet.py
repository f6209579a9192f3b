"""A printed page: title, what was run, and places in cm from its upper left corner."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ucbpe_app.export.printing import legend
from ucbpe_app.export.printing.style import QUIET, WIDTH, literal, page
from ucbpe_app.export.words import run_line
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ucbpe_app.export.printing.legend import Entry
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay

_LINE = {7: 138, 8: 106}  # characters of a text of this size that fit across
_SIDE = 0.4  # cm


@dataclass(frozen=True)
class FigureRequest:
    """What to picture.

    Attributes
    ----------
    replay, index : the run and the event
    layers : what is shown of it
    bounds : of Theorem 1, for the layer that shows them
    reason : whether the page ends with why this point, or with what was run
    """

    replay: Replay
    index: int
    layers: Layers = field(default_factory=Layers)
    bounds: Bounds | None = None
    reason: bool = False

    @cached_property
    def frame(self) -> Frame:
        """All that is shown of the event."""
        return self.replay.frame(self.index)


class PrintedPage:
    """A page of `height` cm with its title and last lines; `figure` is to be saved."""

    def __init__(self, shot: FigureRequest, height: float) -> None:
        self._height = height
        self.figure = page(height)
        trace, frame = shot.replay.trace, shot.frame
        self.heading(f"{trace.problem.name}: {trace.policy.name}", _SIDE, 0.35, size=10.5)
        self.note(frame.status.partition(":")[0], 0.85, size=9)
        last = frame.sentence if shot.reason else _settings(shot.replay, frame)
        size = 8 if shot.reason else 7
        words = "\n".join(textwrap.wrap(last, _LINE[size]))
        self.figure.text(
            *self._at(_SIDE, height - 0.25), literal(words), va="bottom", color=QUIET,
            fontsize=size, linespacing=1.35,
        )  # fmt: skip

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes whose frame has this place and size."""
        x, y = self._at(left, top + height)
        return self.figure.add_axes((x, y, width / WIDTH, height / self._height))

    def legend(self, entries: list[Entry], left: float, top: float, width: float) -> None:
        """A legend that begins there, in lines of this width."""
        legend.write(self.figure, entries, left, top, width)

    def heading(self, words: str, left: float, top: float, *, size: float = 9) -> None:
        """Bold words."""
        look: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "va": "top"}
        self.figure.text(*self._at(left, top), literal(words), **look)

    def note(self, words: str, top: float, *, size: float = 8) -> None:
        """A quiet line at the left margin."""
        self.figure.text(
            *self._at(_SIDE, top), literal(words), fontsize=size, va="top", color=QUIET
        )

    def _at(self, left: float, top: float) -> tuple[float, float]:
        return left / WIDTH, 1 - top / self._height


def _settings(replay: Replay, frame: Frame) -> str:
    band = f"√βₜ = {number(frame.sqrt_beta)} (βₜ = {number(frame.beta)})"
    return f"{run_line(replay)}; in this batch {band}"
