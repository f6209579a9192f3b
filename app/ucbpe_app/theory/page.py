"""The Theory page: what is proved about a run, and what it did.

The page connects; it computes nothing. A change of settings asks the session for another run, and
the theory of each run is computed in the background.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.lessons import find, offered
from ucbpe_app.links import Moment
from ucbpe_app.theory.sentences import place, status, title
from ucbpe_app.theory.state import TheoryState
from ucbpe_app.theory.views import SHEET, ChartsView, CountControls, statements
from ucbpe_app.widgets.bar_buttons import DrawerButton
from ucbpe_app.widgets.controls import Controls
from ucbpe_app.widgets.layouts import Page, Verdict, layout
from ucbpe_app.widgets.link_bar import LayerChoice, Links
from ucbpe_app.widgets.session import Session
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.theory.state import RunTheory
    from ucbpe_app.widgets.address import Navigation


# Whose run is shown where the address names none: f stays in its band, as Theorem 1 supposes.
_USUAL = "regions"


class TheoryPage(Page):
    """A run with its theory.

    It shows the run of a link's `query` once the browser has the page, or else `_USUAL`.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        lesson = find(_USUAL) or offered()[0]
        self.session = Session(lesson)
        self.state = TheoryState()
        self.strip = SettingsStrip(self.session.settings)
        self.controls = Controls(self.session, lesson, self.strip)
        self.links = _TheoryLinks(self.session, LayerChoice(lesson.layers), lesson, navigation)
        self.charts = ChartsView()
        self.statements = SHEET.text("statements")
        self.count = CountControls(self.state.count, on_start=self._count)
        self.verdict = Verdict(self.count)
        self.panel = self._layout()
        self._hide(lesson.hidden)
        self._connect()
        self._opening(True)
        pn.state.onload(partial(self.visit, query or f"preset={lesson.slug}"))

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        shown = self.controls.panel.param.visible
        return [DrawerButton(in_bar=True, sheet=True, visible=shown), self.links.copy]

    async def visit(self, query: str) -> None:
        """Open the run of a link's query, and say what could not be as it has it."""
        visited = None
        try:
            visited = await self.session.visit(query)
            await self.state.follow(self.session.replay)
        except Exception:  # not if the visitor has left: the models of the page are void
            self._show_visited(visited)
            raise
        self._show_visited(visited)

    def _show_visited(self, visited: tuple[Moment, tuple[UCBPEError, ...]] | None) -> None:
        with pn.io.hold():
            if visited is not None:
                self._arrive(*visited)
            self._opening(False)

    def _connect(self) -> None:
        session, controls, state = self.session, self.controls, self.state
        session.param.watch(self._gather, "replay")
        session.param.watch(self._show_status, "busy")
        settings = list(Session.setting_names())
        session.settings.param.watch(lambda *_: pn.state.execute(session.refresh), settings)
        state.param.watch(self._follow, ["run_theory", "error", "gathering"])
        state.count.param.watch(self._show_tally, "tally")
        controls.preset.param.watch(lambda event: self._choose(event.new), "value")
        controls.on_reset = lambda: self._open(controls.preset.value)
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda _: state.count.stop())

    def _gather(self, *_: param.parameterized.Event) -> None:
        self.links.update()
        pn.state.execute(partial(self.state.follow, self.session.replay))

    def _follow(self, *events: param.parameterized.Event) -> None:
        """Show the evidence, once it is there, as one message to the browser."""
        with pn.io.hold():
            if any(event.name == "run_theory" for event in events):
                run_theory: RunTheory = self.state.run_theory
                self.charts.load(run_theory)
                self.statements.object = statements(run_theory)
                self.verdict.place(place(run_theory.trace), title(run_theory))
                self.count.load(run_theory)
            current = self.state.error is None  # else what is shown is of another run
            self._evidence.visible = current
            self._show_status()

    def _show_status(self, *_: param.parameterized.Event) -> None:
        """Read out the run in a sentence, or what is being computed."""
        state = self.state
        message = status(
            self.session.busy, state.run_theory, gathering=state.gathering, error=state.error
        )
        self.verdict.say(message)

    def _show_tally(self, *_: param.parameterized.Event) -> None:
        if self.state.run_theory is not None:
            with pn.io.hold():
                self.charts.count(self.state.count.tally)

    def _count(self, wanted: int) -> None:
        replay, spec = self.session.replay, self.session.spec
        pn.state.execute(partial(self.state.count.start, replay.trace, spec, wanted))

    def _choose(self, lesson: Lesson) -> None:
        if (
            lesson.slug != self.links.origin.preset
        ):  # else a link has brought it, with its own settings
            self._open(lesson)

    def _open(self, lesson: Lesson) -> None:
        """Take the run of a lesson; its settings replace all, notices included."""
        self.controls.say_of_fit("")
        self.session.open(lesson)
        hidden = self.links.origin.hidden
        self.links.begin(Moment(self.session.spec, hidden=hidden, preset=lesson.slug))
        self.controls.resync()

    def _arrive(self, moment: Moment, errors: tuple[UCBPEError, ...]) -> None:
        self.links.keep(moment)
        self.links.show_errors(errors)
        self._hide(moment.hidden)
        lesson = find(moment.preset)
        if lesson:
            self.controls.preset.value = lesson
        self.controls.resync()

    def _hide(self, names: frozenset[str]) -> None:
        self.controls.hide(names)
        self.controls.file.visible = False  # a custom lesson is read on the Step page

    def _opening(self, under_way: bool) -> None:
        """While a link is opened, no other run is shown in its place."""
        bare = not self.controls.panel.visible
        self.links.opening = under_way
        self.links.follow()
        states = {"lab-bare": bare, "lab-opening": under_way}
        self.panel.css_classes = [
            "lab-screen",
            "lab-verdict",
            *(name for name, on in states.items() if on),
        ]

    def _layout(self) -> pn.Column:
        self._evidence = theme.within("lab-filled", self.charts, self.statements)
        return layout(
            self.controls, self.verdict, self.links.notice.panel, self._evidence,
            strip=(DrawerButton(self.controls.open, sheet=True), self.strip),
        )  # fmt: skip


class _TheoryLinks(Links):
    """Links that open this page again."""

    @property
    def query(self) -> str:
        return f"page=theory&{super().query}"

    def keep(self, moment: Moment) -> None:
        """Take what a link says of the Step page along, for the links that lead there."""
        self._layers.chosen = moment.layers
        self.begin(moment)
