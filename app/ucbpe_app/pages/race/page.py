"""The Race page: two to four configurations on the same function, side by side.

The page connects; it computes nothing. A move of the timeline picks a state of each run and hands
them to the views; a change of settings asks for another race.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.components.copy_link import CopyLink
from ucbpe_app.components.drawer import DrawerButton
from ucbpe_app.components.timeline import Timeline
from ucbpe_app.links import Moment, encode
from ucbpe_app.pages.base import Page
from ucbpe_app.pages.layers import LayerChoice
from ucbpe_app.pages.notice import CHANGE, LINK, Notice
from ucbpe_app.pages.race.form import RaceForm
from ucbpe_app.pages.race.link import RaceMoment, encode_race
from ucbpe_app.pages.race.setup import LETTERS, Unit, summary
from ucbpe_app.pages.race.state import RaceState
from ucbpe_app.pages.race.views import JointRegretView, MultiplesView, TableView
from ucbpe_app.pages.race.views.table import said
from ucbpe_app.pages.wide import region, styled, text, wide_page
from ucbpe_app.run.screen import LAYERS

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.components.navigation import Navigation
    from ucbpe_app.pages.race.race import Race
    from ucbpe_core import UCBPEError

_SHARED = "same initial points and noise for all"
_UNITS = {"Equal iterations": Unit.ITERATIONS, "Equal evaluations": Unit.EVALUATIONS}
_OF_ONE_RUN = frozenset(LAYERS) - {"truth"}  # layers that a race has no use for
_PLAIN_WORDS = {"& .MuiToggleButton-root": {"textTransform": "none", "whiteSpace": "nowrap"}}


class RacePage(Page):
    """A race with its pictures, its controls and its timeline.

    It shows the race of a link's `query` once the browser has the page, or one of the run there.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        self.state = RaceState()
        self.form = RaceForm(self.state)
        self.multiples, self.regret, self.table = MultiplesView(), JointRegretView(), TableView()
        self.measure = self.regret.tabs
        self.views = (self.multiples, self.regret, self.table)
        self.timeline = Timeline()
        self.layers, self.notice = LayerChoice({"truth"}), Notice()
        self.copy = CopyLink(self._query)
        self.layers.hide(_OF_ONE_RUN)
        self.unit = pmui.RadioButtonGroup(
            options=_UNITS, value=self.state.setup.unit, size="small", variant="outlined",
            margin=0, sx=_PLAIN_WORDS,
        )  # fmt: skip
        self._navigation = navigation
        self.panel = self._layout()
        self._connect()
        self._opening(True)
        pn.state.onload(partial(self.visit, query))

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        return [DrawerButton(in_bar=True), self.copy]

    async def visit(self, query: str) -> None:
        """Open the race of a link's query, and say what could not be as it has it."""
        visited = None
        try:
            if self._navigation is not None:
                await self._navigation.kept.bring()
            visited = await self.state.visit(query)
        finally:
            with pn.io.hold():
                if visited is not None:
                    self._arrive(*visited)
                self._opening(False)

    def _connect(self) -> None:
        state = self.state
        for view in self.views:
            view.param.watch(self._select, "selected", onlychanged=False)
        self.timeline.param.watch(lambda event: state.go(event.new), "index")
        state.param.watch(self._draw, ["race", "index"])
        state.param.watch(lambda event: self.timeline.param.update(busy=event.new), "busy")
        state.param.watch(self._request, "setup")
        state.param.watch(self._show_measure, "measure")
        state.param.watch(self._show_invalid, "invalid")
        self.layers.param.watch(self._show_layers, "chosen")
        self.unit.param.watch(self._choose_unit, "value")
        self.measure.param.watch(lambda event: state.param.update(measure=event.new), "value")

    def _draw(self, *events: param.parameterized.Event) -> None:
        """One place of the race, drawn as one message to the browser."""
        with pn.io.hold():
            if any(event.name == "race" for event in events):
                self._load(self.state.race)
            else:
                self._update(self.state.race)

    def _load(self, race: Race) -> None:
        self.notice.clear()
        for view in self.views:
            view.load(race)
        self._update(race)
        if self._navigation is not None:
            first = race.runners[0]
            moment = Moment(first.settings, digest=first.replay.trace.digest)
            self._navigation.update(encode(moment))
        self._follow()

    def _update(self, race: Race) -> None:
        index = self.state.index
        for view in self.views:
            view.update(index)
        self.form.cards.load(
            (letter, runner.label, summary(one, state.frame.sqrt_beta), look)
            for letter, runner, one, state, look in zip(
                LETTERS, race.runners, race.setup.configurations, race.states(index), race.looks,
                strict=False,
            )
        )  # fmt: skip
        self.timeline.param.update(
            index=index,
            total=len(race.places),
            starts=list(race.starts[1:]),
            items=[{"label": str(t), "index": i} for t, i in enumerate(race.starts) if t],
            status=said(race, index),
        )
        self._follow()
        self.copy.digest = race.digest

    def _follow(self) -> None:
        """Have the address follow what is shown of the race; until there is one it is the link."""
        if not self._under_way:
            self.copy.follow()

    def _query(self) -> str:
        if self.state.race is None:
            return ""
        return encode_race(replace(self.state.moment, layers=self.layers.chosen))

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        with pn.io.hold():
            for view in self.views:
                view.show(self.layers.layers.shown)
            self._follow()

    def _show_measure(self, event: param.parameterized.Event) -> None:
        self.measure.value = event.new
        with pn.io.hold():
            for view in self.views:
                view.measure(event.new)
            if self.state.race is not None:
                self._update(self.state.race)
            self._follow()

    def _request(self, event: param.parameterized.Event) -> None:
        self.unit.value = event.new.unit
        pn.state.execute(self.state.refresh)

    def _choose_unit(self, event: param.parameterized.Event) -> None:
        if event.new != self.state.setup.unit:
            self.state.ask(replace(self.state.setup, unit=event.new))

    def _select(self, event: param.parameterized.Event) -> None:
        race: Race = self.state.race
        self.state.go(race.closest(round(event.new)))

    def _show_invalid(self, event: param.parameterized.Event) -> None:
        if event.new is not None and not event.new.names:  # else it is told at its control
            self.notice.show(CHANGE, (event.new.error,))

    def _arrive(self, moment: RaceMoment, errors: tuple[UCBPEError, ...]) -> None:
        self.layers.chosen = moment.layers
        self.notice.show(LINK, errors)

    def _opening(self, under_way: bool) -> None:
        """Until there is a race, nothing is shown in its place."""
        self._under_way = under_way
        self.panel.css_classes = ["wide-page", *(["wide-opening"] if under_way else [])]
        if under_way:
            self.timeline.status = "Computing the race."
        self._follow()

    def _layout(self) -> pn.Column:
        tools = styled("wide-tools", self.unit, self.layers.panel)
        return wide_page(
            region("Settings", "wide-strip", self.form.strip, tools),
            region("Configurations", "wide-band", self.form.cards, text("wide-note", _SHARED)),
            region("Regret of all runs", "wide-left", self.regret),
            region("Runs", "wide-right", self.multiples, self.table),
            over=(self.form.editor, styled("wide-notice", self.notice.panel)),
            below=(styled("wide-below", self.timeline),),
        )
