"""The regret of each batch and the cumulative regret: strong where measured, faint ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.figures.regret.chart import Curve, Symbol, layout, text
from ucbpe_app.figures.regret.iterations import IterationChart
from ucbpe_app.private.panel import Region

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.validation import Floats

_BATCH, _BEST = theme.Mark(theme.BLUE), theme.Mark(theme.GREEN)
_EVERY = theme.Mark(theme.ORANGE, marker="square")
_R_BATCH = Symbol("R", "K", "T")
SIMPLE = (
    Curve("simple", "best of the batch", Symbol("r", "K", "t"), _BATCH, dots=True),
    Curve("running", "best so far", "", _BEST, step=True),
)
CUMULATIVE = (
    Curve("batch", "best of each batch", _R_BATCH, _BATCH, dots=True),
    Curve("full", "every pick", Symbol("R", "", "TK"), _EVERY, dots=True),
)
BOUNDS = (
    Curve("printed", "printed bound on", _R_BATCH, theme.Mark(theme.INK, dash="dashed")),
    Curve("proved", "proved bound on", _R_BATCH, theme.Mark(theme.INK, dash="dotted")),
)


class RegretView:
    """Two panels over t = 1 .. T: the regret of each batch, and the cumulative regret.

    ``on_select`` is called with the iteration nearest to where a panel was clicked.
    """

    def __init__(self, on_select: Callable[[int], None] | None = None) -> None:
        self.simple = IterationChart("Regret of each batch", SIMPLE)
        self.cumulative = IterationChart("Cumulative regret", CUMULATIVE, BOUNDS)
        hint = (
            "In units of f. Faint: batches still ahead. Dashed vertical line: the batch on screen."
        )
        if on_select is not None:
            hint += " Click to go to a batch."
            for chart in (self.simple, self.cumulative):
                chart.aim(on_select)
        self._panel = Region(
            self.simple.panel,
            self.cumulative.panel,
            text("regret-hint", f"<p>{hint}</p>"),
            label="Regret",
            **layout("regret"),
        )

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        charts = {"simple": self.simple, "cumulative": self.cumulative}
        parts = {
            f"{name}.{part}": one
            for name, chart in charts.items()
            for part, one in chart.named.items()
        }
        return {**parts, "cumulative.references": self.cumulative.references}

    def load(self, scene: Scene) -> None:
        """Draw the run's curves, all ahead, without bounds: `set_bounds` comes after it."""
        self.simple.load(simple(scene))
        self.cumulative.load(cumulative(scene))

    def clear(self) -> None:
        """Delay drawing what is pinned or chosen until the next `load`."""
        self.simple.clear()
        self.cumulative.clear()

    def pin(self, scene: Scene | None, label: str) -> None:
        """Draw the curves of a pinned run behind, or none."""
        for chart, curves in ((self.simple, simple), (self.cumulative, cumulative)):
            chart.pin({} if scene is None else curves(scene), label)

    def update(self, frame: Frame) -> None:
        """Draw strong what is measured, and mark the batch on screen."""
        for chart in (self.simple, self.cumulative):
            chart.update(frame.event.t, frame.done)

    def show(self, layers: Layers) -> None:
        """Choose the axis, and whether the bounds and what is ahead are shown."""
        self.simple.show(layers)
        self.cumulative.show(layers)

    def hold(self, *, on: bool) -> None:
        """Keep the axes as they are, or have them follow again."""
        self.simple.hold(on=on)
        self.cumulative.hold(on=on)

    def set_bounds(self, printed: Floats | None, proved: Floats | None) -> None:
        """Give the bounds of Theorem 1 on the cumulative regret, shape (T,), or take them away."""
        given = {"printed": printed, "proved": proved}
        self.cumulative.refer({name: bound for name, bound in given.items() if bound is not None})


def simple(scene: Scene) -> dict[str, Floats]:
    """The columns of `SIMPLE`, shape (T,) each."""
    return {"simple": scene.simple, "running": scene.running}


def cumulative(scene: Scene) -> dict[str, Floats]:
    """The columns of `CUMULATIVE`, shape (T,) each."""
    return {"batch": scene.batch_cumulative, "full": scene.full_cumulative}
