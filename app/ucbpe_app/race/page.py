"""The Race page: two to eight configurations on the same function, side by side.

The page connects; it computes nothing. A move of the timeline picks a state of each run and hands
them to the views; a change of settings asks for another race.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import Html, escape
from ucbpe_app.links import Moment, encode
from ucbpe_app.pictures.compared import COMPARED, WORKERS
from ucbpe_app.race.form import RaceForm
from ucbpe_app.race.link import RaceMoment, encode_race
from ucbpe_app.race.measures import advice
from ucbpe_app.race.setup import Unit, summary
from ucbpe_app.race.state import RaceState
from ucbpe_app.race.views import MultiplesView, TableView, busy, regrets, said
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.screen import LAYERS
from ucbpe_app.widgets.address import CopyLink
from ucbpe_app.widgets.bar_buttons import DrawerButton
from ucbpe_app.widgets.comparing import REGRETS, Measure, units
from ucbpe_app.widgets.layouts import CHANGE, LINK, WIDE, Notice, Page, wide_page
from ucbpe_app.widgets.link_bar import LayerChoice
from ucbpe_app.widgets.tabs import TabbedChart
from ucbpe_app.widgets.timeline import Timeline
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pictures.looks import PolicyLook
    from ucbpe_app.race.race import Race
    from ucbpe_app.widgets.address import Navigation
    from ucbpe_core import UCBPEError

_SHARE = Html(
    '<progress aria-label="Runs computed" value="{share}" max="100"></progress>'
    "<p>Computing the race: {share} %</p>"
)
_STOPPED = InputError(
    "the race of the link", "Stop", "a usual race is shown; open the link again to have its own"
)
_SHARED = "same initial points and noise for all"
_UNITS = {
    "Equal iterations": Unit.ITERATIONS,
    "Equal evaluations": Unit.EVALUATIONS,
    "Time": Unit.TIME,
}
_OF_ONE_RUN = frozenset(LAYERS) - {"truth"}  # layers that a race has no use for


class RacePage(Page):
    """A race with its pictures, its controls and its timeline.

    It shows the race of a link's `query` once the browser has the page, or one of the run there.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        self.state = RaceState()
        self.form = RaceForm(self.state)
        self.multiples, self.table = MultiplesView(), TableView()
        self.regret = TabbedChart(
            COMPARED,
            {regret.name: measure for measure, regret in REGRETS.items()},
            on_select=self._select,
        )
        self.workers: BokehPicture | None = None  # made when a run needs it
        self.timeline = Timeline()
        self.layers, self.notice = LayerChoice({"truth"}), Notice()
        self.copy = CopyLink(self._query)
        self.share = Markup(margin=0, stylesheets=["p { margin: 0; white-space: nowrap; }"])
        self.stop = pmui.Button(label="Stop", variant="outlined", height=44, margin=0)
        self.stop.on_click(self._stop)
        self._stopped = False  # before there was a race
        self._wait = WIDE.column("wide-wait", self.share, self.stop)
        self.layers.hide(_OF_ONE_RUN)
        self.unit = units(_UNITS, self.state.setup.unit)
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
        try:
            visited = await self.state.visit(query)
            if visited is None and self._stopped:
                usual = await self.state.visit("")
                visited = usual and (usual[0], (_STOPPED,))
        except Exception:  # not if the visitor has left: the models of the page are void
            self._show_visited(None)
            raise
        self._show_visited(visited)

    def _show_visited(self, visited: tuple[RaceMoment, tuple[UCBPEError, ...]] | None) -> None:
        with pn.io.hold():
            if visited is not None:
                self._arrive(*visited)
            self._opening(False)

    def _connect(self) -> None:
        state, tabs = self.state, self.regret.tabs
        self.timeline.param.watch(lambda event: state.go(event.new), "index")
        state.param.watch(self._draw, ["race", "index", "measure"])
        state.param.watch(self._show_share, "busy")
        state.param.watch(self._request, "setup")
        state.param.watch(self._show_invalid, "invalid")
        self.layers.param.watch(self._show_layers, "chosen")
        self.unit.param.watch(self._choose_unit, "value")
        tabs.param.watch(lambda event: state.param.update(measure=event.new), "value")

    def _stop(self, _: param.parameterized.Event) -> None:
        self._stopped = self.state.race is None
        self.state.stop()

    def _show_share(self, event: param.parameterized.Event) -> None:
        """Show how much of a race is computed, over the charts, and offer to stop it."""
        self.timeline.busy = event.new
        if event.new is not None:
            self.share.object = _SHARE.format(share=round(100 * event.new))
        self._over.objects = [self.notice.panel, *([self._wait] if event.new is not None else [])]

    def _draw(self, *events: param.parameterized.Event) -> None:
        """One place of the race, drawn as one message to the browser."""
        race, index, measure = self.state.race, self.state.index, self.state.measure
        if race is None:
            return
        with pn.io.hold():
            if any(event.name == "race" for event in events):
                self._load(race)
            self.regret.tabs.value = measure
            title = REGRETS[measure].title
            title += "; faint: each batch" if measure is Measure.BEST else ""
            self.regret.draw(title, regrets(race, index, measure), advice(race, measure))
            self._show_workers(race, index)
            self.multiples.show(race, index)
            self.table.show(race, index)
            self.form.cards.load(_cards(race, index))
            self.timeline.param.update(
                index=index,
                total=len(race.places),
                starts=list(race.starts[1:]),
                word="Time" if race.setup.unit is Unit.TIME else "Batch",
                items=[{"label": str(t), "index": i} for t, i in enumerate(race.starts) if t],
                status=said(race, index),
            )
            self._follow()

    def _show_workers(self, race: Race, index: int) -> None:
        """Below the regret, where results arrive one by one."""
        picture = busy(race, index)
        if picture is not None and self.workers is None:
            self.workers = BokehPicture(WORKERS)
            self._charts.append(self.workers.panel)
        if self.workers is not None:
            self.workers.panel.visible = picture is not None
            if picture is not None:
                self.workers.draw(picture)

    def _load(self, race: Race) -> None:
        """Offer the other pages the first run of another race."""
        self.notice.clear()
        self.copy.digest = race.digest
        if self._navigation is not None:
            first = race.runners[0]
            moment = Moment(first.settings, digest=first.replay.trace.digest)
            self._navigation.update(encode(moment))

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
            self.multiples.choose(self.layers.layers.shown)
            self._follow()

    def _request(self, event: param.parameterized.Event) -> None:
        self.unit.value = event.new.unit
        pn.state.execute(self.state.refresh)

    def _choose_unit(self, event: param.parameterized.Event) -> None:
        if event.new != self.state.setup.unit:
            self.state.ask(replace(self.state.setup, unit=event.new))

    def _select(self, x: float) -> None:
        if self.state.race is not None:
            self.state.go(self.state.race.closest(round(x)))

    def _show_invalid(self, event: param.parameterized.Event) -> None:
        if event.new is not None and not event.new.names:  # else its control shows it
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
        tools = WIDE.column("wide-tools", self.unit, self.layers.panel)
        self._charts = WIDE.region("Regret of all runs", "wide-left", self.regret.panel)
        self._over = WIDE.column("wide-notice", self.notice.panel)
        shared = WIDE.text("wide-note", escape(_SHARED))
        return wide_page(
            WIDE.region("Settings", "wide-strip", self.form.strip, tools),
            WIDE.region("Configurations", "wide-band", self.form.cards, shared),
            self._charts,
            WIDE.region("Runs", "wide-right", self.multiples.panel, self.table.panel),
            over=(self.form.editor, self._over),
            below=(WIDE.column("wide-below", self.timeline),),
        )


def _cards(race: Race, index: int) -> Iterator[tuple[str, str, str, PolicyLook]]:
    """The texts on the card of each configuration."""
    configurations, states = race.setup.configurations, race.states(index)
    for runner, configuration, state, look in zip(
        race.runners, configurations, states, race.looks, strict=True
    ):
        yield runner.letter, runner.label, summary(configuration, state.frame.sqrt_beta), look
