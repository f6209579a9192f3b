"""The Race page: two to four configurations on the same function, side by side.

The page connects; it computes nothing. A move of the timeline picks a state of each run and hands
them to the views; a change of settings asks for another race.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.components.copy_link import CopyLink
from ucbpe_app.links import Moment, encode
from ucbpe_app.markup import Markup
from ucbpe_app.pages.base import Page
from ucbpe_app.pages.layers import LayerChoice
from ucbpe_app.pages.notice import CHANGE, LINK, Notice
from ucbpe_app.pages.race.form import RaceForm
from ucbpe_app.pages.race.link import RaceMoment, encode_race
from ucbpe_app.pages.race.measures import shared, status
from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.pages.race.state import RaceState
from ucbpe_app.pages.race.views import JointRegretView, MultiplesView, RaceTimeline, TableView
from ucbpe_app.run.screen import LAYERS

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.components.navigation import Navigation
    from ucbpe_app.pages.race.race import Race
    from ucbpe_core import UCBPEError

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_UNITS = {"Equal iterations": Unit.ITERATIONS, "Equal evaluations": Unit.EVALUATIONS}
_OF_ONE_RUN = frozenset(LAYERS) - {"truth", "log"}  # layers that a race has no use for
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
        self.timeline = RaceTimeline()
        self.layers, self.notice = LayerChoice({"truth"}), Notice()
        self.copy = CopyLink(self._query)
        self.layers.hide(_OF_ONE_RUN)
        self.unit = pmui.RadioButtonGroup(
            options=_UNITS, value=self.state.setup.unit, size="small", variant="outlined",
            margin=0, sx=_PLAIN_WORDS,
        )  # fmt: skip
        self._shared = Markup(
            "", css_classes=["race-shared"], stylesheets=[_CSS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip
        self._navigation = navigation
        self.panel = self._layout()
        self._connect()
        self._opening(True)
        pn.state.onload(partial(self.visit, query))

    @property
    def header(self) -> list[Viewable]:
        """What the page adds to the bar."""
        return [self.copy]

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
        self._shared.object = escape(shared(race))  # a name is anybody's
        # Before it is told where we are, the timeline must know how far it reaches.
        self.timeline.param.update(
            total=len(race.places),
            starts=list(race.starts),
            values=list(race.places),
            unit=race.setup.unit.value,
        )
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
        self.timeline.param.update(index=index, status=status(race, index, self.state.measure))
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
        self.panel.css_classes = ["lab-grid", *(["lab-opening"] if under_way else [])]
        if under_way:
            self.timeline.status = "Computing the race."
        self._follow()

    def _layout(self) -> pn.Column:
        wide: dict[str, Any] = {"sizing_mode": "stretch_width"}
        heading = pn.FlexBox(
            self.unit, self.layers.panel, justify_content="space-between",
            align_items="center", gap="8px", **wide,
        )  # fmt: skip
        results = _column("race-results", self.regret, self.table, self._shared)
        body = _column("race-body", _column("race-pictures", self.multiples), results)
        pictures = pn.Column(self.notice.panel, heading, body, margin=0, **wide)
        main = theme.styled(
            "lab-main",
            theme.styled("lab-pictures", pictures),
            theme.styled("lab-timeline", self.timeline),
        )
        # There is no third column: the results stand beside the pictures.
        grid = theme.styled("lab-grid", theme.styled("lab-settings", self.form), main)
        grid.styles = {"--lab-aside-width": "0px"}
        return grid


def _column(name: str, *objects: Viewable) -> pn.Column:
    """A column with one of the classes of race.css."""
    return pn.Column(
        *objects, css_classes=[name], stylesheets=[_CSS], sizing_mode="stretch_width", margin=0
    )
