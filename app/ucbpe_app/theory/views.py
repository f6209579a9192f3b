"""What the Theory page shows: two charts, how often f leaves the band, and what does not hold."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import EMPTY, Html, joined, table
from ucbpe_app.pictures.theory import PROVED, WATERFALL, coverage, proved, waterfall
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import percent
from ucbpe_app.theory.count import LEVEL
from ucbpe_app.theory.sentences import about, promised_delta, spans, summary
from ucbpe_app.widgets.layouts import Sheet, text
from ucbpe_app.widgets.tabs import TabbedChart, row, title, titled

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from ucbpe_app.pictures.picture import Picture
    from ucbpe_app.theory.count import Count, Tally
    from ucbpe_app.theory.state import Bound, RunTheory
    from ucbpe_core.support.validation import Floats


SHEET = Sheet(Path(__file__).with_name("page.css"))


LEFT = "f outside"  # the tab of the count
_TITLES = {
    "regret": Html("Regret <i>R</i><sup>K</sup> against Theorem 1"),
    "all picks": "Regret of all picks against Theorem 1",
    "√β": "Multiplier of the std",
    "gain": "Information about f, in nats",
    LEFT: "Runs in which f has left the band, in %",
}
_LOG = ("regret", "all picks")


class ChartsView(pn.viewable.Viewer):
    """One chart over batches, of what the tab says, with a marked batch; and the proof's steps.

    The batch is marked by a click in the chart, or in the field `batch`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._theory: RunTheory | None = None
        self._tally: Tally | None = None
        self.chart = TabbedChart(PROVED, list(_TITLES), on_select=self._select)
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")
        self.proof = BokehPicture(WATERFALL)
        self.batch = pmui.Select(
            label="After batch", options=[1], value=1, size="small", width=112, margin=(8, 0, 0, 0)
        )
        self.batch.param.watch(self._draw_all, "value")
        self._title = title()
        self._steps = SHEET.text("steps")
        self._panel = SHEET.column(
            "theory-charts",
            SHEET.column("theory-bounds", self.chart.panel),
            SHEET.column(
                "theory-proof", row(self.batch, self._title), self.proof.panel, self._steps
            ),
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    def load(self, run_theory: RunTheory) -> None:
        """Draw another run, no batch marked and nothing counted."""
        self._theory, self._tally = run_theory, None
        names = [name for name in _TITLES if name != "gain" or run_theory.gain is not None]
        value = self.tabs.value if self.tabs.value in names else names[0]
        self.tabs.param.update(options=names, value=value)
        self.batch.visible = bool(run_theory.steps)
        T = run_theory.batches
        self.batch.param.update(options=list(range(1, T + 1)), value=T)
        self._draw_all()

    def count(self, tally: Tally | None) -> None:
        """Show a count; the first numbers of one bring its tab to the front."""
        begins = self._tally is None and tally is not None
        self._tally = tally
        if begins and self.tabs.value != LEFT:
            self.tabs.value = LEFT
        else:
            self._draw()

    @property
    def _now(self) -> int | None:
        """The batch that is marked, if one before the last is."""
        t: int = self.batch.value
        return None if self._theory is None or t >= self._theory.batches else t

    def _draw_all(self, *_: object) -> None:
        with pn.io.hold():
            self._draw()
            self._draw_proof()

    def _draw(self, *_: object) -> None:
        if self._theory is not None:
            what = self.tabs.value
            self.chart.draw(_TITLES[what], self._picture(self._theory, what))

    def _picture(self, run: RunTheory, what: str) -> Picture:
        if what != LEFT:
            return proved(_curves(run, what), run.batches, self._now, log=what in _LOG)
        tally = self._tally
        counted = {} if tally is None else {
            "regret": ("new draws", tally.prior), "every": ("this problem", tally.own),
        }  # fmt: skip
        shares = {
            role: (name, count.share, count.low, count.high)
            for role, (name, count) in counted.items()
            if count.replicates
        }
        return coverage(run.allowed, promised_delta(run.trace), shares, self._now)

    def _draw_proof(self) -> None:
        """The steps of the proof after the marked batch or the last; without noise, none."""
        run = self._theory
        if run is None:
            return
        t = self._now or run.batches
        self.proof.panel.visible = bool(run.steps)
        if not run.steps:
            self._title.object = titled("Without noise there is no bound")
            self._steps.object = EMPTY
            return
        steps = [(step.name, float(step.values[t - 1])) for step in run.steps]
        start, end = (number(value) for _, value in (steps[0], steps[-1]))
        heading = f"From {start} to {end}: what each step of the proof costs after batch {t}"
        self._title.object = titled(heading)
        reasons = joined(Html("<li>{}</li>").format(step.reason) for step in run.steps)
        self._steps.object = Html("<ol>{}</ol>").format(reasons)
        self.proof.draw(waterfall(steps, float(run.batch.trivial[t - 1])))

    def _select(self, x: float) -> None:
        if self._theory is not None:
            self.batch.value = min(max(round(x), 1), self._theory.batches)


def _curves(run: RunTheory, what: str) -> dict[str, tuple[str, Floats | None]]:
    """What a tab shows: a name and a curve for each role."""
    if what == "√β":
        return {"every": ("R⁺: 2√βₜ₊₁ =", run.wide), "regret": ("band: √βₜ =", run.sqrt_beta)}
    if what == "gain":
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


_HEAD = ("does not hold", "at t =", "the first time")


def statements(run: RunTheory) -> Html:
    """How many statements hold, a table of the ones that do not, and what to know of the run."""
    rows = [(one.title, spans(one.batches), one.numbers) for one in run.verdicts.failures]
    return titled(summary(run), about(run.trace)) + (table(rows, _HEAD) if rows else EMPTY)
