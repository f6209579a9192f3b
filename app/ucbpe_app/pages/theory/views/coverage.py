"""How often f leaves the band: the controls of the count, a chart over t, and its numbers."""

from __future__ import annotations

from html import escape
from math import ceil
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.components.tabs import title
from ucbpe_app.markup import Markup
from ucbpe_app.pages.theory.count import LEVEL
from ucbpe_app.pages.theory.views import TEXTS, formulas
from ucbpe_app.pictures.theory import COVERAGE, coverage
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences.texts import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from ucbpe_app.pages.theory.count import Count, Share, Tally
    from ucbpe_app.pages.theory.state import RunTheory

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


class CoverageView(pn.viewable.Viewer):
    """The count so far beside what the theory allows: a chart over batches, and its numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._theory: RunTheory | None = None
        self._tally: Tally | None = None
        self._now: int | None = None
        self.chart = BokehPicture(COVERAGE)
        self.table = Markup(
            css_classes=["coverage"], stylesheets=[TEXTS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip
        self._panel = pn.Column(
            title("Runs in which f has left the band, in %"),
            self.chart.panel,
            self.table,
            sizing_mode="stretch_width",
            margin=0,
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    def load(self, run_theory: RunTheory) -> None:
        """Take another run, of which nothing is counted yet."""
        self._theory, self._now = run_theory, None
        self.update(None)

    def update(self, tally: Tally | None) -> None:
        """Show the count so far, or that there is none."""
        self._tally = tally
        self._draw()
        if self._theory is not None:
            self.table.object = _table(self._theory, tally)

    def mark(self, t: int | None) -> None:
        """Mark a batch, or none."""
        self._now = t
        self._draw()

    def _draw(self) -> None:
        if self._theory is None:
            return
        counted = {} if self._tally is None else {
            "regret": ("f from the prior:", self._tally.prior),
            "every": ("the problem's f:", self._tally.own),
        }  # fmt: skip
        shares = {
            role: (name, one.share, one.low, one.high)
            for role, (name, one) in counted.items()
            if one.replicates
        }
        self.chart.draw(coverage(self._theory.allowed, self._theory.delta, shares, self._now))


def _table(run_theory: RunTheory, tally: Tally | None) -> str:
    """The counts at T in numbers, and against what."""
    label = tally.own_label if tally else "The problem's own f"
    prior, own = (tally.prior, tally.own) if tally else (None, None)
    lines = _line("Fresh draws of f from the prior", prior) + _line(label, own)
    formula = formulas.small(formulas.UNION)
    allowed = percent(float(run_theory.allowed[-1]))
    delta = "no δ is guaranteed with this β"
    if run_theory.delta is not None:
        delta = f"δ = {percent(run_theory.delta)}"
    titles = ("Over replicates", "f left the band", "share of runs", f"{percent(LEVEL)} limits")
    head = "".join(f"<th scope='col'>{title}</th>" for title in titles)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
        f"<p>For draws of the prior the proof allows {formula} = {allowed} up to T; {delta}.</p>"
    )


def _line(label: str, share: Share | None) -> str:
    left, proportion, limits = share.numbers if share else ("–", "", "")
    cells = "".join(f"<td>{escape(text)}</td>" for text in (left, proportion, limits))
    return f"<tr><th scope='row'>{escape(label)}</th>{cells}</tr>"
