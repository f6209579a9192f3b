"""How often f leaves the band: a chart over t, and the counts in numbers."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import panel as pn
from bokeh.models import AdaptiveTicker, BasicTicker, ColumnDataSource, Range1d, Span

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.pane import pane
from ucbpe_app.markup import Markup
from ucbpe_app.pages.theory.tally import LEVEL
from ucbpe_app.pages.theory.views import formulas, mathml
from ucbpe_app.run.sentences.numbers import percent

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pages.theory import RunTheory, Tally
    from ucbpe_app.pages.theory.tally import Share

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_PRIOR, _OWN = theme.Mark(theme.BLUE), theme.Mark(theme.ORANGE, dash="dashed", marker="square")
_ALLOWED, _DELTA = theme.Mark(theme.INK, dash="dotted"), theme.Mark(theme.GREEN, dash="dotdash")
_NOW = theme.Mark(theme.INK, dash="dashed")
_ROWS = (("prior", _PRIOR), ("own", _OWN))
_COLUMNS = ("t", "share", "low", "high")


class CoverageView:
    """The count so far beside what the theory allows; the axis of t is that of the charts."""

    def __init__(self, x_range: Range1d) -> None:
        empty: dict[str, list[float]] = {name: [] for name in _COLUMNS}
        self.shares = {name: ColumnDataSource(empty) for name, _ in _ROWS}
        self.allowed = ColumnDataSource({"t": [], "allowed": []})
        self.now = ColumnDataSource({"t": []})
        self.delta = Span(
            dimension="width", visible=False, **_DELTA.line(location=0.0, name="delta")
        )
        self.figure = self._figure(x_range)
        self.legend = legends.text()
        self.table = Markup(
            css_classes=["coverage"], stylesheets=[_CSS, mathml.STYLE], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip
        self.panel = pn.Column(
            self.legend,
            pane(self.figure),
            self.table,
            sizing_mode="stretch_width",
            margin=0,
        )

    def load(self, evidence: RunTheory) -> None:
        """Take another run, of which nothing is counted yet."""
        self._evidence = evidence
        t = np.arange(1, evidence.batches + 1)
        self.allowed.data = {"t": t, "allowed": 100 * evidence.allowed}
        self.delta.visible = evidence.delta is not None
        self.delta.location = 100 * (evidence.delta or 0.0)
        self.legend.object = _legend(evidence)
        self.mark(None)
        self.update(None)

    def update(self, tally: Tally | None) -> None:
        """Show the count so far, or that there is none."""
        shares = {} if tally is None else {"prior": tally.prior, "own": tally.own}
        for name, source in self.shares.items():
            source.data = _columns(shares.get(name))
        self._fit(list(shares.values()))
        self.table.object = _table(self._evidence, tally)

    def mark(self, t: int | None) -> None:
        """Mark a batch, or none."""
        self.now.data = {"t": [] if t is None else [t]}

    def _fit(self, shares: list[Share]) -> None:
        """From 0 to what is drawn, and a tenth at least: small shares are the theory's promise."""
        tops = [0.1, float(self._evidence.allowed[-1]), self._evidence.delta or 0.0]
        tops += [float(share.high[-1]) for share in shares if share.replicates]
        top = 100 * max(tops)
        self.figure.y_range.update(start=-0.04 * top, end=1.06 * top)

    def _figure(self, x_range: Range1d) -> Figure:
        plot = theme.figure(
            "iteration t", "% of runs", height=190, x_range=x_range,
            y_range=Range1d(0, 100), min_border_left=74,
        )  # fmt: skip
        plot.xaxis.ticker = AdaptiveTicker(desired_num_ticks=8, min_interval=1, num_minor_ticks=0)
        plot.yaxis.ticker = BasicTicker(desired_num_ticks=4)
        plot.axis.axis_label_standoff = 4
        plot.vspan("t", source=self.now, **_NOW.line(line_width=1.5))
        plot.add_layout(self.delta)
        plot.line("t", "allowed", source=self.allowed, **_ALLOWED.line())
        for name, mark in reversed(_ROWS):
            source = self.shares[name]
            plot.varea("t", "low", "high", source=source, fill_color=mark.color, fill_alpha=0.16)
            plot.line("t", "share", source=source, **mark.line())
            plot.scatter("t", "share", source=source, **mark.point(6, line_width=1))
        return plot


def _columns(share: Share | None) -> dict[str, object]:
    if share is None or not share.replicates:
        return {name: [] for name in _COLUMNS}
    t = np.arange(1, len(share.share) + 1)
    return {"t": t, **{name: 100 * getattr(share, name) for name in _COLUMNS[1:]}}


def _legend(evidence: RunTheory) -> str:
    def swatch(mark: theme.Mark, *, dots: bool = True) -> legends.Shapes:
        line = legends.stroke(mark.color, mark.dash)
        return line + (legends.point(mark.marker, mark.color) if dots else ())

    items = [
        (swatch(_PRIOR), "f drawn from the prior"),
        (swatch(_OWN), "the problem's own f"),
        (swatch(_ALLOWED, dots=False), "at most, by the proof"),
    ]
    if evidence.delta is not None:
        items.append((swatch(_DELTA, dots=False), f"δ = {percent(evidence.delta)}"))
    return legends.entries(items)


def _table(evidence: RunTheory, tally: Tally | None) -> str:
    """The counts at T in numbers, and against what."""
    label = tally.own_label if tally else "The problem's own f"
    prior, own = (tally.prior, tally.own) if tally else (None, None)
    lines = _line("Fresh draws of f from the prior", prior) + _line(label, own)
    formula = mathml.small(formulas.UNION)
    allowed = percent(float(evidence.allowed[-1]))
    delta = "no δ is promised with this β"
    if evidence.delta is not None:
        delta = f"δ = {percent(evidence.delta)}"
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
