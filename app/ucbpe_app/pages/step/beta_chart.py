"""The chart of sqrt(beta_t) beside the settings of the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.pictures.betas import BETAS, betas
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.betas import betas_of

if TYPE_CHECKING:
    import param

    from ucbpe_app.pages.session import Session


class BetaChart:
    """`panel` is to be laid out; the chart is made when it is opened."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.panel = pn.Column(sizing_mode="stretch_width", margin=0)
        self.chart: BokehPicture | None = None

    def open(self, *_: param.parameterized.Event) -> None:
        """Draw the chart, and again for each run and event."""
        if self.chart is None:
            self.chart = BokehPicture(BETAS)
            self.panel.objects = [self.chart.panel]
            self._session.param.watch(self._draw, ["replay", "index"])
            self._draw()

    def _draw(self, *_: param.parameterized.Event) -> None:
        session = self._session
        if self.chart is not None:
            given = betas_of(session.spec, session.replay.trace)
            self.chart.draw(betas(given, session.frame.event.t))
