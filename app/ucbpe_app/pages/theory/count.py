"""The controls of the count: how many replicates, start, stop, and how far it is."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from ucbpe_app.pages.theory.counting import Count

_REPLICATES = (20, 50, 100, 200, 500)
_USUAL = 100
_HINT = (
    "Runs this policy again on fresh draws of f from the prior in use, so that the theory's "
    "assumption holds, and on the problem's own f; counts the runs in which f leaves the band at "
    "any candidate and any t. At most 500 of each, on half of one processor."
)


class CountControls(pn.viewable.Viewer):
    """Bound to a count; `on_start` is called with the number of replicates."""

    def __init__(self, count: Count, on_start: Callable[[int], None]) -> None:
        super().__init__()
        self._count = count
        self.hint = pmui.Typography(_HINT, variant="body2", margin=(0, 0, 6, 0))
        self.replicates = pmui.Select(
            label="Replicates", options=list(_REPLICATES), value=_USUAL, size="small",
            width=120, margin=0,
        )  # fmt: skip
        self.start = pmui.Button(label="Count", variant="contained", margin=0, height=44, width=110)
        self.stop = pmui.Button(
            label="Stop", variant="outlined", margin=0, height=44, width=110, visible=False
        )
        self.progress = pmui.LinearProgress(
            value=0, variant="determinate", visible=False, sizing_mode="stretch_width",
            margin=(0, 0, 6, 0),
        )  # fmt: skip
        self.said = pmui.Typography("", variant="body2", margin=0)
        self._panel = pn.Column(
            self.hint,
            pn.FlexBox(
                self.replicates, self.start, self.stop, self.said, gap="12px",
                align_items="center", sizing_mode="stretch_width", margin=(0, 0, 8, 0),
            ),
            self.progress,
            sizing_mode="stretch_width",
            margin=0,
        )  # fmt: skip
        self.start.on_click(lambda _: on_start(int(self.replicates.value)))
        self.stop.on_click(lambda _: count.stop())
        count.param.watch(self._show, ["tally", "share", "seconds", "error"])

    def __panel__(self) -> pn.Column:
        return self._panel

    def _show(self, *_: param.parameterized.Event) -> None:
        count = self._count
        with pn.io.hold():
            self.start.visible, self.stop.visible = not count.under_way, count.under_way
            self.progress.visible = count.under_way
            self.progress.value = round(100 * (count.share or 0))
            self.said.object = self._words()

    def _words(self) -> str:
        count = self._count
        if count.error is not None:
            return f"No count. {sentences(count.error)}"
        if count.under_way:
            left = "" if count.seconds is None else f", about {ceil(count.seconds)} s left"
            return f"{round(100 * (count.share or 0))} %{left}"
        tally = count.tally
        if tally is not None and not tally.done:
            return f"Stopped after {tally.prior.replicates} of {tally.wanted}."
        return ""
