"""The chart of a study: one quantity at a time, under tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.components.tabs import TabbedChart
from ucbpe_app.pages.comparing import REGRETS
from ucbpe_app.pictures.compared import COMPARED
from ucbpe_app.report.means import drawn

if TYPE_CHECKING:
    from ucbpe_app.pages.study.results import StudyResults


class ChartsView:
    """One chart, of the quantity that the tab says; lay out `chart.panel`."""

    def __init__(self) -> None:
        self._results: StudyResults | None = None
        self.chart = TabbedChart(COMPARED, {}, height="max(320px, 100vh - 250px)", names="11.25rem")
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")

    def load(self, results: StudyResults) -> None:
        """Draw results, of the quantity on screen if there is that."""
        self._results = results
        there = {chart.quantity for chart in results.charts}
        offered = {one.name: one.quantity for one in REGRETS.values() if one.quantity in there}
        chosen = self.tabs.value if self.tabs.value in there else next(iter(offered.values()), None)
        with pn.io.hold():
            self.tabs.param.update(options=offered, value=chosen)
            self._draw()

    def _draw(self, *_: object) -> None:
        results = self._results
        if results is None:
            return
        titles = {one.quantity: one.title for one in REGRETS.values()}
        for one in results.charts:
            if one.quantity == self.tabs.value:
                picture = drawn(one, results.looks, results.reference)
                self.chart.draw(titles[one.quantity], picture)
