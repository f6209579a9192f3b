"""The Study page: means and intervals over many seeds.

The page connects; it computes nothing. The session has pictures made in a thread, and the studies
run in separate processes.
"""

from __future__ import annotations

import io
import time
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.components.copy_link import CopyLink
from ucbpe_app.markup import Markup
from ucbpe_app.pages.base import Page
from ucbpe_app.pages.notice import LINK, Notice
from ucbpe_app.pages.study.form import StudyForm, column
from ucbpe_app.pages.study.link import decode_study, encode_study, of_a_run
from ucbpe_app.pages.study.plan import StudySpec
from ucbpe_app.pages.study.results import curves_csv, file_name, statistics_csv
from ucbpe_app.pages.study.session import StudySession
from ucbpe_app.pages.study.views import ChartsView, ProgressView, TableView
from ucbpe_app.run.setting import settings_of
from ucbpe_app.tasks.worker import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.components.navigation import Navigation
    from ucbpe_app.pages.study.job import Progress
    from ucbpe_app.pages.study.results import StudyResults

_CSS = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_COMPACT = {"size": "small", "margin": 0}  # of what is chosen above the results
_POLL_MILLISECONDS = 400
_MEANS = "none"
_NOTHING_YET = "Choose the settings, then press Run study: its results appear here while it runs."
_FIRST_RESULTS = "The first results appear here as soon as there are some."


class StudyPage(Page):
    """A study with its charts, its table and its progress.

    It takes the study of a link's `query` once the browser has the page.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        self.session = StudySession()
        self.form = StudyForm(self.session)
        self.charts, self.table, self.progress = ChartsView(), TableView(), ProgressView()
        self.copy, self.notice = CopyLink(self._query), Notice()
        self.axis = pmui.Select.from_param(
            self.session.param.axis, label="Axis", description="", width=130, **_COMPACT
        )
        self.reference = pmui.Select(label="Baseline", options=[_MEANS], width=216, **_COMPACT)
        self.stop = pmui.Button(label="Cancel", variant="outlined", height=44, margin=0)
        self.resume = pmui.Button(
            label="Resume", variant="outlined", height=44, margin=0, visible=False
        )
        self.downloads = [
            self._download("Download curves (CSV)", curves_csv),
            self._download("Download statistics (CSV)", statistics_csv),
        ]
        self._heading = _text("study-heading", f"<p>{_NOTHING_YET}</p>")
        self._following: Any = None
        self.panel = self._layout()
        self._connect()
        if navigation is not None:
            navigation.update(of_a_run(query))
        pn.state.onload(partial(self.visit, query))
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda _: self.session.leave())

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        return [self.copy]

    async def visit(self, query: str) -> None:
        """Open the study of the address, and say what could not be as it has it."""
        moment, errors = decode_study(query)
        with pn.io.hold():
            self.session.open(moment)
            self.form.resync()
            self.notice.show(LINK, errors)
        self.session.param.watch(self._request, ["axis", "reference", "started"])
        names = list(settings_of(StudySpec))
        self.session.settings.param.watch(lambda *_: self.copy.follow(), names)
        await self._draw()

    def _connect(self) -> None:
        session = self.session
        session.param.watch(self._show_progress, "progress")
        session.param.watch(self._watch_progress, "started")
        self.form.run.on_click(lambda _: session.start())
        self.resume.on_click(lambda _: session.resume())
        self.stop.on_click(lambda _: session.cancel())
        self.reference.param.watch(self._compare, "value")

    def _watch_progress(self, _: param.parameterized.Event) -> None:
        if self._following is None:
            self._following = pn.state.add_periodic_callback(self._follow, _POLL_MILLISECONDS)

    async def _follow(self) -> None:
        """While the study is under way: its progress, and now and then its results."""
        before = self.session.picture
        await self.session.poll()
        if self.session.picture is not before:
            await self._draw()
        if not self.session.active and self._following is not None:
            self._following.stop()
            self._following = None

    def _request(self, *_: param.parameterized.Event) -> None:
        pn.state.execute(self._refresh)

    async def _refresh(self) -> None:
        await self.session.refresh()
        await self._draw()

    async def _draw(self) -> None:
        """Show the session's picture."""
        picture = self.session.picture
        with pn.io.hold():
            self._describe()
            if picture is not None:
                self.table.load(picture)
        if picture is None or not picture.charts:
            return
        began = time.monotonic()
        self.charts.load(picture)
        self.session.drew(time.monotonic() - began)

    def _describe(self) -> None:
        """The title, what can be chosen, and the link of what is on screen."""
        self.copy.follow()
        picture, session = self.session.picture, self.session
        drawn = picture is not None and bool(picture.charts)
        self._heading.object = _title(picture.results) if picture is not None else ""
        if not drawn:
            waiting = _FIRST_RESULTS if session.progress is not None else _NOTHING_YET
            self._heading.object += f"<p>{waiting}</p>"
        self._results.visible = drawn
        if picture is not None:
            for button, what in zip(self.downloads, ("curves", "statistics"), strict=True):
                button.filename = file_name(picture.results, what)
        self._offer_downloads()
        offered = list(picture.results.references) if picture is not None else []
        self.reference.param.update(options=[_MEANS, *offered], value=session.baseline or _MEANS)
        self.axis.disabled = bool(session.baseline)  # a difference has no logarithm

    def _query(self) -> str:
        return encode_study(self.session.moment)

    def _compare(self, event: param.parameterized.Event) -> None:
        chosen = "" if event.new == _MEANS else event.new
        if chosen != self.session.baseline:
            self.session.reference = chosen

    def _show_progress(self, event: param.parameterized.Event) -> None:
        progress: Progress = event.new
        ended = progress.phase.ended
        with pn.io.hold():
            self.progress.load(progress)
            self.stop.visible = not ended
            self.resume.visible = ended and progress.finished < progress.total
            self._strip.visible = True
            self._offer_downloads()

    def _offer_downloads(self) -> None:
        """A file has all results of a study, unless it was cancelled."""
        for button in self.downloads:
            button.disabled = self.session.active

    def _download(self, label: str, write: Callable[[StudyResults], bytes]) -> Any:
        async def csv() -> io.BytesIO:
            picture = self.session.picture
            assert picture is not None  # the buttons stand below it
            return io.BytesIO(await self.session.work(write, picture.results, executor=TABLES))

        button = pmui.FileDownload(
            label=label, callback=csv, filename="study.csv", height=44, margin=0
        )
        # Given to the constructor, a variant is warned of as if a deprecated name were meant.
        button.variant = "outlined"
        return button

    def _layout(self) -> pn.Column:
        self._tools = _row("study-tools", self.axis, self.reference)
        self._results = column(self.charts, self.table, _row("study-files", *self.downloads))
        self._results.visible = False
        pictures = column(
            self.notice.panel, _row("study-head", self._heading, self._tools), self._results
        )
        self._strip = theme.styled(
            "lab-timeline", _row("study-strip", self.progress, self.stop, self.resume)
        )
        self._strip.visible = False
        return _grid(self.form, pictures, self._strip)


def _grid(settings: Any, results: Any, strip: Any) -> pn.Column:
    """Settings beside the results, with a strip always in sight below those."""
    main = theme.styled("lab-main", theme.styled("lab-pictures", results), strip)
    grid = theme.styled("lab-grid", theme.styled("lab-settings", settings), main)
    grid.param.update(stylesheets=[*grid.stylesheets, _CSS], css_classes=["lab-grid", "study-grid"])
    return grid


def _title(results: StudyResults) -> str:
    """What is on screen, as HTML."""
    name, problem = escape(results.study), escape(results.problem)
    return f"<h2>{name}: {problem}</h2><p>{escape(results.words)}.</p>"


def _row(name: str, *objects: Any) -> pn.Row:
    """Objects side by side, in one of the classes of page.css."""
    layout = {"css_classes": [name], "stylesheets": [_CSS], "margin": 0}
    return pn.Row(*objects, sizing_mode="stretch_width", **layout)


def _text(name: str, html: str) -> Markup:
    """Words in one of the classes of page.css."""
    layout = {"css_classes": [name], "stylesheets": [_CSS], "margin": 0}
    return Markup(html, sizing_mode="stretch_width", **layout)
