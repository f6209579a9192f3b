"""A printed page: title, what was run, and places in cm from its upper left corner."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ucbpe_app.export.printing import legend
from ucbpe_app.export.printing.style import CM, QUIET, WIDTH
from ucbpe_app.export.words import run_line
from ucbpe_app.plots.chart import fill
from ucbpe_app.plots.prints import literal
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import holoviews as hv
    from matplotlib.axes import Axes

    from ucbpe_app.export.sheet import FigureRequest
    from ucbpe_app.figures.legends import Entry
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay

_LINE = {7: 128, 8: 106}  # characters of a text of this size that fit across
_SIDE = 0.4  # cm


class PrintedPage:
    """A page of `height` cm with its title and last lines; `figure` is to be saved.

    Within `drawing`. The figure belongs to no window and to no other thread.
    """

    def __init__(self, request: FigureRequest, height: float) -> None:
        self._height = height
        self.figure = Figure(figsize=(WIDTH * CM, height * CM), facecolor="white")
        trace, frame = request.replay.trace, request.frame
        self.heading(f"{trace.problem.name}: {trace.policy.name}", _SIDE, 0.35, size=10.5)
        self.note(frame.status.partition(":")[0], 0.85, size=9)
        last = frame.sentence if request.reason else _settings(request.replay, frame)
        size = 8 if request.reason else 7
        words = "\n".join(textwrap.wrap(last, _LINE[size]))
        self.figure.text(
            *self._at(_SIDE, height - 0.25), literal(words), va="bottom", color=QUIET,
            fontsize=size, linespacing=1.35,
        )  # fmt: skip

    def chart(
        self, chart: hv.Overlay, left: float, top: float, width: float, height: float
    ) -> Axes:
        """Draw a chart whose frame has this place and size; its names are words, not formulas."""
        axes = self.axes(left, top, width, height)
        fill(axes, chart)
        words = axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")
        x, y, title = map(literal, words)
        axes.set(xlabel=x, ylabel=y, title=title)
        return axes

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Empty axes whose frame has this place and size."""
        x, y = self._at(left, top + height)
        return self.figure.add_axes((x, y, width / WIDTH, height / self._height))

    def legend(
        self, entries: Sequence[Entry], left: float, top: float, width: float, **options: Any
    ) -> None:
        """A legend that begins there, in lines of this width; its labels are no formulas."""
        plain = [(shapes, literal(label)) for shapes, label in entries]
        legend.write(self.figure, plain, left, top, width, **options)

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
