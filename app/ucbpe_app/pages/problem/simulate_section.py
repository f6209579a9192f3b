"""Your problem, simulated: a run on a table whose values are known, or on a drawn curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.pages.fit_note import words_of_fit
from ucbpe_app.pages.layers import LayerChoice
from ucbpe_app.pages.problem.layout import SIMULATION, PlanForm, column, empty_page, styled
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.run.cache import bounds
from ucbpe_app.run_view import RunView
from ucbpe_core import UCBPEError
from ucbpe_core.errors import grouped

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.simulation import Simulation

_EMPTY = (
    "Nothing to simulate yet.",
    "Load a table with a value in every row, or draw a curve: then press Simulate there.",
)
_SETTINGS = [name for rows in SIMULATION.values() for row in rows for name in row]


class SimulateSection(pn.viewable.Viewer):
    """A run with its settings."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self.simulation = simulation
        self.form = PlanForm(simulation.settings, SIMULATION, self._fit)
        self.stage = RunView(on_move=simulation.go)
        self.layers = LayerChoice({"truth"})
        self.layers.hide({"predict"})  # a guess needs a function that one does not know
        self.fault = texts.card()
        self.title = pmui.Typography("", variant="body2", margin=0)
        heading = pn.FlexBox(
            self.title, self.layers.panel, justify_content="space-between", align_items="center",
            sizing_mode="stretch_width", gap="8px",
        )  # fmt: skip
        self._waiting = texts.card(text=texts.paragraphs("", ("Computing the run.",)))
        self._waiting.visible = False
        self._veiled = [
            styled("lab-veil", part) for part in (self.stage.pictures, self.stage.reasons)
        ]
        self._full = theme.columns(
            self.form,
            column(self.fault, heading, self._waiting, self._veiled[0]),
            self.stage.timeline,
            self._veiled[1],
        )
        self._panel = empty_page(_EMPTY)
        simulation.param.watch(self._draw, ["replay", "index"])
        simulation.param.watch(self._show_error, "error")
        simulation.param.watch(
            lambda event: self.stage.timeline.param.update(busy=event.new), "busy"
        )
        simulation.settings.param.watch(self._request, _SETTINGS)
        self.layers.param.watch(self._show_layers, "chosen")

    def __panel__(self) -> Viewable:
        return self._panel

    def show_problem(self) -> None:
        """Show the settings of a problem that was taken; its run comes later."""
        problem = self.simulation.problem
        if problem is not None:
            self.form.load(problem.axes[:-1])
            self.title.object = f"{grouped(len(problem.candidates))} candidates"
            self.fault.object = ""
            # A run on another problem says nothing of this one.
            self._veil(True)
            if self._panel.objects != [self._full]:
                self._panel.objects = [self._full]

    def _veil(self, on: bool) -> None:
        self._waiting.visible = on
        for part in self._veiled:
            part.css_classes = ["lab-veil", *(["lab-veiled"] if on else [])]

    def _draw(self, *events: param.parameterized.Event) -> None:
        simulation = self.simulation
        with pn.io.hold():
            if any(event.name == "replay" for event in events):
                self.fault.object = ""
                self._veil(False)
                layers = self.layers.layers
                self.stage.load(simulation.replay, simulation.index, layers)
                self.layers.offer(inputs=simulation.replay.scene.dimension)
                self._ask_bounds()
            else:
                self.stage.show(simulation.index)

    def _show_error(self, event: param.parameterized.Event) -> None:
        self.fault.object = texts.fault(event.new)
        self._waiting.visible = False  # nothing is on its way; an older run stays veiled

    def _request(self, *_: param.parameterized.Event) -> None:
        # While a problem is loaded its settings change too, and its run is asked for at the end.
        if not self.simulation.loading:
            pn.state.execute(self.simulation.refresh)

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        self.stage.choose(self.layers.layers)
        self._ask_bounds()

    def _ask_bounds(self) -> None:
        if self.layers.layers.bounds:
            pn.state.execute(self._bring_bounds)

    async def _bring_bounds(self) -> None:
        replay = self.simulation.replay
        if replay is None:
            return
        try:
            found = await self.simulation.work(bounds, replay)
        except UCBPEError as error:
            self.fault.object = texts.fault(error)
            return
        if replay is self.simulation.replay:
            self.stage.set_bounds(found)

    async def _fit(self) -> str:
        return texts.note(words_of_fit(*await self.simulation.fit()))
