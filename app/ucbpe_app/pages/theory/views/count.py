"""How often f leaves the band: the question, the button that counts, and the answer."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import Html
from ucbpe_app.pages.layouts import text
from ucbpe_app.pages.theory.count import LEVEL
from ucbpe_app.pages.theory.sentences import promised_delta
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences.texts import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from ucbpe_app.pages.theory.count import Count
    from ucbpe_app.pages.theory.state import RunTheory

REPLICATES = 200
_BUTTON = {"minHeight": "36px", "textTransform": "none", "whiteSpace": "nowrap"}


class CountControls(pn.viewable.Viewer):
    """Bound to a count, which `on_start` begins with a number of replicates."""

    def __init__(self, count: Count, on_start: Callable[[int], None]) -> None:
        super().__init__()
        self._count = count
        self._theory: RunTheory | None = None
        self.asked = text("asked")
        self.start = pmui.Button(
            label=f"Count on {REPLICATES} new draws of f", variant="contained", margin=0,
            sx=_BUTTON,
        )  # fmt: skip
        self.stop = pmui.Button(
            label="Stop", variant="outlined", margin=0, visible=False, sx=_BUTTON
        )
        self._panel = pn.Column(
            self.asked, self.start, self.stop, sizing_mode="stretch_width", margin=0,
            styles={"gap": "6px"},
        )  # fmt: skip
        self.start.on_click(lambda _: on_start(REPLICATES))
        self.stop.on_click(lambda _: count.stop())
        count.param.watch(self._show_count, ["tally", "share", "seconds", "error"])

    def __panel__(self) -> pn.Column:
        return self._panel

    def load(self, run_theory: RunTheory) -> None:
        """Take another run, of which nothing is counted yet."""
        self._theory = run_theory
        self._show_count()

    def _show_count(self, *_: param.parameterized.Event) -> None:
        count = self._count
        with pn.io.hold():
            self.start.visible, self.stop.visible = not count.under_way, count.under_way
            self.asked.object = Html("<p>{}</p>").format(self._words())

    def _words(self) -> str:
        count, tally = self._count, self._count.tally
        if count.error is not None:
            return f"No count. {sentences(count.error)}"
        if tally is None or not tally.prior.replicates:
            if count.under_way:
                return "Counting on new draws of f from the prior."
            delta = None if self._theory is None else promised_delta(self._theory.trace)
            promised = "" if delta is None else f" Promised: at most {percent(delta)} of draws."
            return f"How often does f leave its band?{promised}"
        prior, own = tally.prior, tally.own
        low, high = (percent(float(limits[-1])) for limits in (prior.low, prior.high))
        message = (
            f"f left its band in {prior.left} of {prior.replicates} new draws ({percent(LEVEL)} "
            f"limits: {low} to {high}), and in {own.left} of {own.replicates} runs of "
            f"{tally.own_label[0].lower()}{tally.own_label[1:]}."
        )
        if count.under_way:
            left = "" if count.seconds is None else f", about {ceil(count.seconds)} s left"
            return f"{round(100 * (count.share or 0))} %{left}. {message}"
        return message if tally.done else f"Stopped. {message}"
