"""HTML whose text changes at every step."""

from __future__ import annotations

import panel as pn


class Markup(pn.pane.HTML):
    """An HTML pane that sends its text alone.

    Panel's own sends every property again, style sheets included. New style sheets make Bokeh walk
    all models of the page to see which are still in use, which costs more than the whole step.
    """

    def _update(self, ref: str, model: pn.models.HTML) -> None:
        model.text = self._transform_object(self.object)["object"]
