"""What a part of the Race page is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
import param

from ucbpe_app.pages.race.measures import Measure

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_app.pages.race.race import Race
    from ucbpe_app.run.screen import Layers


class RaceView(pn.viewable.Viewer):
    """A part of the page that draws a race. It is built once; the page calls it.

    A view defines `load`, and those of the others that change what it draws. Before the first
    race, `measure` and `show` say only how it will be drawn.
    """

    selected = param.Number(None, doc="Batches or evaluations at which a person clicked.")

    _panel: Viewable

    def __panel__(self) -> Viewable:
        return self._panel

    def load(self, race: Race) -> None:
        """Take another race, of which `update` says how far it is."""
        raise NotImplementedError

    def update(self, index: int) -> None:
        """Draw the race at one of its places."""

    def measure(self, measure: Measure) -> None:
        """Take another regret, which `update` draws."""

    def show(self, layers: Layers) -> None:
        """Show these layers."""
