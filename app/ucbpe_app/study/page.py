"""The Study page: means and intervals over many seeds.

The page connects; it computes nothing. The session has results summarised in a thread, and the
studies run in separate processes.
"""

from __future__ import annotations

import io
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import Html
from ucbpe_app.run.setting import settings_of
from ucbpe_app.study.form import StudyForm
from ucbpe_app.study.plan import StudySpec, decode_study, encode_study, of_a_run
from ucbpe_app.study.results import curves_csv, file_name, statistics_csv
from ucbpe_app.study.session import StudySession, example
from ucbpe_app.study.views import ChartsView, ProgressView, RankingView, verdict
from ucbpe_app.tasks.worker import TABLES
from ucbpe_app.widgets.address import CopyLink
from ucbpe_app.widgets.bar_buttons import DrawerButton
from ucbpe_app.widgets.comparing import units
from ucbpe_app.widgets.layouts import LINK, WIDE, Notice, Page, wide_page

if TYPE_CHECKING:
    from collections.abc import Callable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.study.results import StudyResults
    from ucbpe_app.widgets.address import Navigation

_POLL_MILLISECONDS = 400
_RUN, _PAUSE, _RESUME = "Run study", "Pause", "Resume"
_NOTHING_YET = "Choose the settings, then press Run study: its results appear here while it runs."
# What will be where, until there are results, above those of an example.
_HINTS = (
    "An example of what will be here: the mean regret of each policy, with its 95 % interval.",
    "An example of what will be here: the policies from best to worst, and by how much each "
    "differs from one of them on the same seeds.",
)
_FIRST_RESULTS = "The first results appear here as soon as one replicate is complete."


class StudyPage(Page):
    """A study with its chart, its ranking and its progress.

    It takes the study of a link's `query` once the browser has the page.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        self.session = StudySession()
        self.form = StudyForm(self.session)
        self.charts, self.ranking, self.progress = ChartsView(), RankingView(), ProgressView()
        self.copy, self.notice = CopyLink(self._query), Notice()
        self.reference = pmui.Select(
            label="Compared with", options=[], width=184, size="small", margin=0
        )
        self.act = pmui.Button(
            label=_RUN, color="primary", variant="contained", width=128, height=44, margin=0
        )
        self.axis = units({"Batches": False, "Time": True})
        self.downloads = [
            self._download("Curves (CSV)", curves_csv),
            self._download("Statistics (CSV)", statistics_csv),
        ]
        self._following: Any = None
        self.panel = self._layout()
        self.panel.css_classes = ["wide-page", "wide-opening"]  # until `visit`
        self._tools.visible = self.charts.chart.panel.visible = False
        if navigation is not None:
            navigation.update(of_a_run(query))
        pn.state.onload(partial(self.visit, query))
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda _: self.session.leave())

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        return [DrawerButton(in_bar=True), self.copy]

    async def visit(self, query: str) -> None:
        """Open the study of the address, and say what could not be as it has it."""
        moment, errors = decode_study(query)
        with pn.io.hold():
            self.session.open(moment)
            self.form.resync()
            self.axis.value = moment.over_time
            self.notice.show(LINK, errors)
            self._connect()
            self._draw()
            self.panel.css_classes = ["wide-page"]

    def _connect(self) -> None:
        """Follow what changes from when the link is open."""
        session = self.session
        session.param.watch(self._draw, "results")
        session.param.watch(self._describe, "progress")
        session.param.watch(self._refresh, ["reference", "over_time", "started"])
        session.settings.param.watch(self._describe, list(settings_of(StudySpec)))
        self.act.on_click(self._act)
        self.axis.param.watch(self._choose_axis, "value")
        self.reference.param.watch(self._compare, "value")
        if session.started:
            self._refresh()
        else:
            pn.state.execute(self._show_example)

    async def _show_example(self) -> None:
        """Draw what a study shows, until there is one of the visitor's."""
        results = await self.session.work(example, executor=TABLES)
        if self.session.results is None:
            with pn.io.hold():
                self.charts.chart.panel.visible = True
                self.ranking.load(results, planned=0)
                self.charts.load(results)

    def _act(self, _: param.parameterized.Event) -> None:
        session = self.session
        {_RUN: session.start, _RESUME: session.resume, _PAUSE: session.cancel}[self.act.label]()

    def _refresh(self, *_: param.parameterized.Event) -> None:
        """Show the results there are, and follow the study while it is under way."""
        pn.state.execute(self.session.refresh)
        if self._following is None and self.session.active:
            self._following = pn.state.add_periodic_callback(self._follow, _POLL_MILLISECONDS)

    async def _follow(self) -> None:
        await self.session.poll()
        if not self.session.active and self._following is not None:
            self._following.stop()
            self._following = None

    def _draw(self, *_: param.parameterized.Event) -> None:
        """Show the session's results."""
        results = self.session.results
        has_charts = results is not None and bool(results.charts)
        with pn.io.hold():
            self._describe()
            self._tools.visible = has_charts
            if results is not None:
                self.charts.chart.panel.visible = has_charts
                for hint in self._hints:
                    hint.visible = False
                planned = (self.session.asked or self.session.settings.spec()).replicates
                self.ranking.load(results, planned)
                for button, what in zip(self.downloads, ("curves", "statistics"), strict=True):
                    button.filename = file_name(results, what)
                self._show_axis(forced=results.mixed)
                offered = list(results.references)
                self.reference.param.update(options=offered, value=results.reference)
        if has_charts:
            began = time.monotonic()
            self.charts.load(results)
            self.session.drew(time.monotonic() - began)

    def _show_axis(self, *, forced: bool) -> None:
        """Where batches do not compare, time is all that there is to choose."""
        self.axis.disabled |= forced  # the session keeps what was chosen
        self.axis.value = forced or self.session.over_time
        self.axis.disabled = forced

    def _describe(self, *_: param.parameterized.Event) -> None:
        """How far the study is, what its numbers say, and what can be done.

        The one button runs, pauses or resumes; a file has all results of a study, unless it was
        paused.
        """
        session, progress, results = self.session, self.session.progress, self.session.results
        ranking = None if results is None else results.ranking
        message = _NOTHING_YET if progress is None else _FIRST_RESULTS
        if ranking is not None and progress is not None:
            message = verdict(ranking, running=progress.finished < progress.total)
        running = progress is not None and not progress.phase.ended
        rest = progress is not None and progress.finished < progress.total
        same = session.asked == session.settings.spec()
        with pn.io.hold():
            self.progress.load(progress, 0 if ranking is None else ranking.replicates, message)
            self.act.label = _PAUSE if running else _RESUME if rest and same else _RUN
            for button in self.downloads:
                button.disabled = session.active
            self.copy.follow()

    def _query(self) -> str:
        return encode_study(self.session.moment)

    def _compare(self, event: param.parameterized.Event) -> None:
        results = self.session.results
        if event.new and results is not None and event.new != results.reference:
            self.session.reference = event.new

    def _choose_axis(self, event: param.parameterized.Event) -> None:
        if not self.axis.disabled:
            self.session.over_time = event.new

    def _download(self, label: str, write: Callable[[StudyResults], bytes]) -> Any:
        async def csv() -> io.BytesIO:
            results = self.session.results  # there are some: the buttons are below them
            return io.BytesIO(await self.session.work(write, results, executor=TABLES))

        button = pmui.FileDownload(
            label=label, callback=csv, filename="study.csv", width=len(label) * 9 + 24, margin=0
        )
        # Given to the constructor, a variant is warned of as if a deprecated name were meant.
        button.variant = "text"
        return button

    def _layout(self) -> pn.Column:
        form = self.form
        band = WIDE.region(
            "Verdict", "wide-band", self.progress,
            WIDE.column("wide-note", self.act, form.estimate, width=300, sizing_mode=None),
        )  # fmt: skip
        tools = WIDE.column("wide-tools", self.axis, self.reference, *self.downloads)
        self._tools = pn.Column(tools, margin=0, sizing_mode="stretch_width")
        self._hints = [WIDE.text("wide-says", Html("<p>{}</p>").format(hint)) for hint in _HINTS]
        regret, ranking = self._hints
        return wide_page(
            WIDE.region("Settings", "wide-strip", form.strip, form.menu.button),
            band,
            WIDE.region("Regret, means", "wide-left", regret, self.charts.chart.panel),
            WIDE.region("Ranking", "wide-right", self._tools, ranking, self.ranking.panel),
            over=(form.menu.panel, WIDE.column("wide-notice", self.notice.panel)),
        )
