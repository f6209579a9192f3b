"""The line at the foot of the Theory page: the run in a sentence, or what is being computed."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import param

from ucbpe_app.markup import Markup

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


class StatusBar(pn.viewable.Viewer):
    """`text` is read out on change; `busy` (share done, or None) and `gathering` stand above it."""

    text = param.String("", doc="The run in a sentence.")
    busy = param.Number(None, bounds=(0, 1), allow_None=True, doc="Share done of a run.")
    gathering = param.Boolean(False, doc="Whether the evidence of a run is on its way.")

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**params)
        self._markup = Markup(
            "", css_classes=["theory-status"], stylesheets=[_CSS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip
        self._draw()

    @param.depends("text", "busy", "gathering", watch=True)
    def _draw(self) -> None:
        said = self.text
        if self.busy is not None:
            said = f"Computing the run: {round(100 * self.busy)} %."
        elif self.gathering:
            said = "Working out bounds and lemmas."
        self._markup.object = f'<p role="status">{escape(said)}</p>'

    def __panel__(self) -> Markup:
        return self._markup
