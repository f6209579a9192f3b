"""What a study found so far: how far it is, a chart of one quantity at a time, and a ranking."""

from __future__ import annotations

from math import isnan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn

from ucbpe_app.html import EMPTY, Html, joined, table
from ucbpe_app.pictures.compared import COMPARED
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences import number
from ucbpe_app.study.job import Phase
from ucbpe_app.study.plan import duration
from ucbpe_app.study.records import SUMS, drawn
from ucbpe_app.widgets.comparing import STUDIED, listed, named, symbol
from ucbpe_app.widgets.layouts import WIDE, Sheet
from ucbpe_app.widgets.tabs import TabbedChart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.looks import PolicyLook
    from ucbpe_app.study.job import Progress
    from ucbpe_app.study.results import Rank, Ranking, StudyResults


_STATUS = {
    Phase.RUNNING: "Running",
    Phase.DONE: "Done",
    Phase.CANCELLED: "Paused",
    Phase.BROKEN: "Ended early",
}
_VERDICT, _OF_EACH = Html("<p>{}</p>"), Html("<li>{} <b>{}</b></li>")
_PROGRESS = Html(
    '<div class="row"><div class="place"><span role="status">{status}</span>'
    "<strong>{complete} of {replicates} replicates</strong></div>"
    '<section><progress aria-label="Runs done" value="{done}" max="{total}"></progress>'
    "<p>{verdict}</p><ul><li>{detail}</li>{of_each}</ul></section></div>"
)


class ProgressView(Markup):
    """A bar, counts, a verdict, and a status that a screen reader reads when it changes.

    The status says what has started or ended; the progress is not part of it, because it would be
    read aloud twice a second. The bar is HTML's own: the library's has no accessible name.
    """

    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name("progress.css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter of a component."""
        super().__init__(css_classes=["wide-wide"], margin=0, **params)

    def load(self, progress: Progress | None, complete: int, verdict: str) -> None:
        """Show the progress of a study, its complete replicates and what they say."""
        if progress is None:
            self.object = _VERDICT.format(verdict)
            return
        self.object = _PROGRESS.format(
            status=status_of(progress),
            complete=complete,
            replicates=progress.replicates,
            done=progress.finished,
            total=progress.total,
            verdict=verdict,
            detail=detail_of(progress),
            of_each=joined(_OF_EACH.format(*item) for item in progress.done.items()),
        )


def status_of(progress: Progress) -> str:
    """What has started or ended, for a live region."""
    if progress.phase is Phase.WAITING:
        what = "1 study runs" if progress.before == 1 else f"{progress.before} studies run"
        return f"Waiting: {what} before yours."
    return f"{_STATUS[progress.phase]}."


def detail_of(progress: Progress) -> str:
    """The progress, the time left, and what is wrong."""
    text = f"{progress.finished} of {progress.total} runs."
    if progress.failed:
        text += f" {progress.failed} failed."
    if progress.phase is Phase.RUNNING:
        left = progress.seconds_left
        text += " Time left: estimating." if left is None else f" About {duration(left)} left."
    elif progress.error is not None:
        text += f" {sentences(progress.error)}"
    return text


_SUMS = "Sums over different numbers of results cannot be compared: choose the best of the batches."


def verdict(ranking: Ranking, *, running: bool = False) -> str:
    """Who has the smallest mean regret, and who differs from the reference."""
    least = ranking.rows[0].mean
    first = [row.policy for row in ranking.rows if row.mean == least]
    so_far = "So far " if running else ""
    have = "has" if len(first) == 1 else "have"
    parts = [f"{so_far}{listed(first)} {have} the smallest mean regret, {number(least)}."]
    if ranking.replicates == 1:
        parts.append("One replicate proves nothing.")
    elif ranking.others:
        parts.append(_compared(ranking))
    if running:
        parts.append("The order may still change.")
    return " ".join(parts)


def outlook(ranking: Ranking, planned: int) -> str:
    """The nearest policy that is not distinguished from the reference, and what more would do.

    The half width of an interval of a mean shrinks with the square root of the replicates.
    """
    undecided = [row for row in ranking.others if not row.word and not isnan(row.low)]
    paired = (
        "In one replicate all policies have the same initial points and noise, so differences are "
        "taken within replicates."
    )
    if not undecided:
        return paired
    n = ranking.replicates
    nearest = min(undecided, key=lambda row: abs(row.difference))
    half = (nearest.high - nearest.low) / 2
    text = (
        f"{ranking.reference} and {nearest.policy}: their difference is known only to "
        f"± {number(half)}, so neither wins."
    )
    if planned > n:
        text += f" With {planned} replicates it will be about ± {number(half * sqrt(n / planned))}"
        text += ", if the scatter stays the same."
    return f"{text} {paired}"


def _compared(ranking: Ranking) -> str:
    parts = []
    for word in ("better", "worse"):
        names = [row.policy for row in ranking.others if row.word == word]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}")
    if not parts:
        return f"No policy differs measurably from {ranking.reference}."
    return f"{', '.join(parts)} than {ranking.reference}."


def difference(row: Rank) -> str:
    """+4.4 worse; a difference whose interval has 0 is not called either, nor one without any."""
    signed = f"{'+' if row.difference > 0 else ''}{number(row.difference)}"
    return signed if isnan(row.low) else f"{signed} {row.word or 'no clear difference'}"


class ChartsView:
    """One chart, of the quantity that the tab says; lay out `chart.panel`."""

    def __init__(self) -> None:
        self._results: StudyResults | None = None
        self.chart = TabbedChart(COMPARED, {}, names="clamp(11.25rem, 12vw, 15rem)")
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")

    def load(self, results: StudyResults) -> None:
        """Draw results, of the quantity on screen if there is that."""
        self._results = results
        shown = {chart.quantity for chart in results.charts}
        offered = {tab.name: tab.curve for tab in STUDIED if tab.curve in shown}
        chosen = self.tabs.value if self.tabs.value in shown else next(iter(offered.values()), None)
        with pn.io.hold():
            self.tabs.param.update(options=offered, value=chosen)
            self._draw()

    def _draw(self, *_: object) -> None:
        results = self._results
        if results is None:
            return
        titles = {tab.curve: tab.title for tab in STUDIED}
        for chart in results.charts:
            if chart.quantity == self.tabs.value:
                picture = drawn(chart, results.looks, results.reference)
                sums = results.over_time and chart.quantity in SUMS
                self.chart.draw(titles[chart.quantity], picture, _SUMS if sums else "")


_SHEET = Sheet(Path(__file__).with_name("ranking.css"))
_MARGIN = 0.06  # of the axis of differences, kept free at its ends
# The Tab key reaches it, to be scrolled by keys.
_TABLE = Html(
    '<div class="scrolls" role="group" aria-label="Table of the ranking" tabindex="0">{}</div>'
)
_BEST = Html("<b>{}</b>")
_BAR = Html('<i style="left:{:.2f}%;width:{:.2f}%"></i>')
_AXIS = Html(
    '<div class="axis{above}" style="--color:{color}"><u style="left:{zero:.2f}%"></u>{bar}'
    '<span style="left:{at:.2f}%">{symbol}</span><em class="{kind}" style="{side}">{label}</em>'
    "</div>"
)
_FAILURES = Html("<p>Failed, and their replicates left out:</p><ul>{}</ul>")
_BESIDE = 46.0  # % of it that the words take left of an interval; without that they are above it


class RankingView:
    """A row per policy, best first, with its difference to the reference; below, what it tells.

    Lay out `panel`.
    """

    def __init__(self) -> None:
        self.table, self.outlook = _SHEET.text("study-ranking"), WIDE.text("wide-says")
        self.panel = pn.Column(self.table, self.outlook, sizing_mode="stretch_width", margin=0)

    def load(self, results: StudyResults, planned: int) -> None:
        """Show the ranking of results; so many replicates are planned."""
        ranking = results.ranking
        self.table.object = (
            EMPTY if ranking is None else _TABLE.format(_table(ranking, results.looks))
        )
        text = EMPTY
        if ranking is not None:
            text = Html("<p>{}</p>").format(outlook(ranking, planned))
        self.outlook.object = text + _failures(results.failures)


def _table(ranking: Ranking, looks: Mapping[str, PolicyLook]) -> Html:
    low, high = ends(ranking)
    n, name = ranking.replicates, ranking.reference
    difference = f"difference to {name}, 95 % interval; left is better"
    return table(
        (
            _row(place, row, ranking, looks[row.policy], low, high)
            for place, row in enumerate(ranking.rows, start=1)
        ),
        ("policy", "mean", difference, "better in"),
        f"Ranking {ranking.where}, by mean of {n} complete replicate{'s' if n > 1 else ''}",
    )


def ends(ranking: Ranking) -> tuple[float, float]:
    """The ends of the axis of differences, which has 0 and all intervals."""
    values = [0.0]
    for row in ranking.others:
        values += [x for x in (row.difference, row.low, row.high) if not isnan(x)]
    length = (max(values) - min(values)) or 1.0
    return min(values) - _MARGIN * length, max(values) + _MARGIN * length


def _row(
    place: int, row: Rank, ranking: Ranking, look: PolicyLook, low: float, high: float
) -> tuple[str, ...]:
    def at(value: float) -> float:
        return 100 * (value - low) / (high - low)

    own = row.policy == ranking.reference
    left, right = (at(row.difference if isnan(x) else x) for x in (row.low, row.high))
    label = "compared with" if own else difference(row)
    side = f"right:{100 - left:.2f}%" if left > 100 - right else f"left:{right:.2f}%"
    above = max(left, 100 - right) < _BESIDE
    drawn = _AXIS.format(
        above=" above" if above else "",
        color=look.mark.color,
        zero=at(0.0),
        bar=EMPTY if own or isnan(row.low) else _BAR.format(left, right - left),
        at=at(row.difference),
        symbol=symbol(look),
        kind="own" if own else "clear" if row.word else "",
        side=side,
        label=label,
    )
    better = "" if own or row.better is None else f"{row.better} of {ranking.replicates}"
    name = Html("{} {}").format(place, named(look, row.policy))
    return name, _BEST.format(number(row.mean)), drawn, better


def _failures(messages: tuple[str, ...]) -> Html:
    if not messages:
        return EMPTY
    more = [f"And {len(messages) - 5} more."] if len(messages) > 5 else []
    return _FAILURES.format(joined(map(Html("<li>{}</li>").format, [*messages[:5], *more])))


__all__ = ["ChartsView", "ProgressView", "RankingView"]
