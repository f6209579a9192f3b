"""Four charts over batches under tabs: the bounds on both regrets, the band, and information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.components.tabs import TabbedChart
from ucbpe_app.pictures.theory import PROVED, proved

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.theory.state import Bound, RunTheory
    from ucbpe_core.validation import Floats

_TITLES = {
    "regret": "Regret <i>R</i><sub>T</sub><sup>K</sup> against Theorem 1, on a log axis",
    "all picks": "Regret <i>R</i><sub>TK</sub> of all picks against Theorem 1, on a log axis",
    "√β": "Multiplier of the std",
    "information": "Information about f, in nats",
}


class ChartsView(pn.viewable.Viewer):
    """One chart, of what the tab says, with a marked batch.

    ``on_select`` is called with the batch nearest to where the chart was clicked.
    """

    def __init__(self, on_select: Callable[[int], None]) -> None:
        super().__init__()
        self._theory: RunTheory | None = None
        self._now: int | None = None
        self._on_select = on_select
        self.chart = TabbedChart(PROVED, list(_TITLES), on_select=self._select)
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")

    def __panel__(self) -> pn.Column:
        return self.chart.panel

    def load(self, run_theory: RunTheory) -> None:
        """Draw another run, no batch marked."""
        self._theory, self._now = run_theory, None
        known = [one for one in _TITLES if one != "information" or run_theory.gain is not None]
        value = self.tabs.value if self.tabs.value in known else known[0]
        self.tabs.param.update(options=known, value=value)
        self._draw()

    def mark(self, t: int | None) -> None:
        """Mark a batch, or none."""
        self._now = t
        self._draw()

    def _draw(self, *_: object) -> None:
        if self._theory is None:
            return
        what = self.tabs.value
        log = what in ("regret", "all picks")
        picture = proved(_curves(self._theory, what), self._theory.batches, self._now, log=log)
        self.chart.draw(_TITLES[what], picture)

    def _select(self, x: float) -> None:
        if self._theory is not None:
            self._on_select(min(max(round(x), 1), self._theory.batches))


def _curves(run: RunTheory, what: str) -> dict[str, tuple[str, Floats | None]]:
    """What a tab shows: a name and a curve for each role."""
    if what == "√β":
        return {"every": ("R⁺: 2√βₜ₊₁ =", run.wide), "regret": ("band: √βₜ =", run.sqrt_beta)}
    if what == "information":
        gain = run.gain
        assert gain is not None  # else there is no tab
        return {
            "proved": ("γ at most", gain.bound), "greedy": ("greedy choice", gain.greedy),
            "regret": ("this run", gain.run),
        }  # fmt: skip
    if what == "regret":
        return {**_bounds(run.batch), "regret": ("this run", run.batch.own)}
    return {**_bounds(run.full), "every": ("this run", run.full.own)}


def _bounds(bound: Bound) -> dict[str, tuple[str, Floats | None]]:
    return {
        "trivial": ("any choice", bound.trivial),
        "printed": ("as printed", bound.printed),
        "proved": ("as proved", bound.proved),
    }
