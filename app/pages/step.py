"""The Step page: every decision of a run, forward and back.

The page connects; it computes nothing. A move of the timeline picks a frame and hands it to the
views; a change of settings asks the session for another run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from app import theme
from app.events import Kind
from app.pages.controls import Controls
from app.pages.layers import LayerChoice
from app.pages.links import Links
from app.pages.words import chips, words_of_fit
from app.presets import PRESETS
from app.session import Session
from app.views.algorithm import AlgorithmView
from app.views.field import FieldView
from app.views.inputs import InputsView
from app.views.line import LineView
from app.views.plane import LargePlaneView, PlaneView
from app.views.regret import RegretView
from app.views.timeline import Timeline
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    import param

    from app.link import Moment
    from app.presets import Preset
    from app.replay import Replay
    from app.views.base import View

# Height of the regret plots by the inputs of the problem: what a tall window leaves below the
# other pictures. The large decision plane (3 inputs or more) takes a part of the height itself.
_REGRET_ROOM = {
    1: "clamp(190px, 100vh - 890px, 400px)",
    2: "clamp(190px, 100vh - 660px, 420px)",
    3: "clamp(190px, 22vh - 45px, 400px)",
}


class StepPage:
    """A session with its views, its controls and its timeline; `panel` is all of it.

    It shows `preset`, or, once the browser has the page, the moment of a link's `query`.
    """

    def __init__(self, preset: Preset = PRESETS[0], query: str = "") -> None:
        self.session = Session(preset)
        self.controls = Controls(self.session, preset)
        self.timeline = Timeline()
        self.line, self.field, self.large = LineView(), FieldView(), LargePlaneView()
        self.plane, self.inputs = PlaneView(), InputsView()
        self.algorithm = AlgorithmView(beneath=self.inputs.panel)
        self.regret = RegretView(on_select=self._select_batch)
        self.layers = LayerChoice(preset.layers)
        self.links = Links(self.session, self.layers, preset.slug)
        self.caption = pmui.Typography(preset.caption, variant="body2", margin=(0, 0, 4, 0))
        # Only the pictures in use are in the page: every model there costs a little at each step.
        self._main = pn.Column(sizing_mode="stretch_width", margin=0)
        self._aside = pn.Column(sizing_mode="stretch_width", margin=0)
        self.panel = self._layout()
        self._load(self.session.replay)
        self._connect()
        if query:
            self._opening(True)
            pn.state.onload(partial(self.visit, query))

    @property
    def picture(self) -> View:
        """The main picture: the function where it can be drawn, else the decision plane."""
        pictures: tuple[View, ...] = (self.line, self.field, self.large)
        return pictures[self._inputs - 1]

    @property
    def views(self) -> tuple[View, ...]:
        """Every view in use."""
        beside = () if self.picture is self.large else (self.plane,)
        return (self.picture, self.regret, *beside, self.algorithm, self.inputs)

    @property
    def _inputs(self) -> int:
        """Inputs of the problem: 1, 2, or 3 for more than can be drawn."""
        return min(self.session.replay.scene.dimension, 3)

    def _connect(self) -> None:
        session, controls = self.session, self.controls
        self.timeline.param.watch(lambda event: session.go(event.new), "index")
        session.param.watch(self._draw, ["replay", "index"])
        session.param.watch(lambda event: self.timeline.param.update(busy=event.new), "busy")
        session.settings.param.watch(self._request, list(Session.setting_names()))
        self.layers.param.watch(self._show_layers, "chosen")
        controls.preset.param.watch(lambda event: self._choose(event.new), "value")
        controls.reset.on_click(lambda _: self._open(controls.preset.value))
        controls.fit.on_click(self._fit)

    def _draw(self, *events: param.parameterized.Event) -> None:
        """One event of the session, drawn as one message to the browser."""
        with pn.io.hold():
            if any(event.name == "replay" for event in events):
                self._load(self.session.replay)
            else:
                self._update()

    def _load(self, replay: Replay) -> None:
        scene = replay.scene
        self._arrange()
        self.algorithm.set_title(replay.trace.policy.name)
        self.regret.set_bounds(None, None)
        for view in self.views:
            view.load(scene)
        starts = [i for i, event in enumerate(replay.events) if event.kind is Kind.FIT]
        # Before it is told where we are, the timeline must know how far it reaches.
        self.timeline.param.update(total=len(replay.events), starts=starts)
        self._update()
        self._show_layers()

    def _arrange(self) -> None:
        """Lay out the pictures in use; the plane is beside the others, or the main one itself."""
        if self._main.objects != [self.picture.panel]:
            self._main.objects = [self.picture.panel]
            self._aside.objects = [] if self.picture is self.large else [self.plane.panel]
        self.regret.panel.styles = {"--regret-height": _REGRET_ROOM[self._inputs]}
        self.layers.offer(band=self.picture is self.line)

    def _update(self) -> None:
        frame = self.session.frame
        for view in self.views:
            view.update(frame)
        self.timeline.param.update(
            index=frame.index, chips=chips(self.session.replay, frame.event.t), status=frame.status
        )
        self.links.update()

    def _select_batch(self, t: int) -> None:
        self.session.go(self.session.replay.batch_start(t))

    def _request(self, *_: param.parameterized.Event) -> None:
        pn.state.execute(self.session.refresh)

    def _choose(self, preset: Preset) -> None:
        if preset.slug != self.links.preset:  # else a link has brought it, with its own settings
            self._open(preset)

    def _open(self, preset: Preset) -> None:
        """Start from a preset; its settings replace all, notices included."""
        self.caption.object = preset.caption
        self.layers.chosen = preset.layers | self.layers.chosen - {"truth", "noisy"}
        self.controls.say_of_fit("")
        self.session.open(preset)
        self.links.begin(preset.slug)
        self.controls.resync()

    async def visit(self, query: str) -> None:
        """Open the moment of a link's query, and say what could not be as it has it."""
        visited = None
        try:
            visited = await self.session.visit(query)
        finally:
            with pn.io.hold():
                if visited is not None:
                    self._arrive(*visited)
                self._opening(False)

    def _arrive(self, moment: Moment, errors: tuple[UCBPEError, ...]) -> None:
        preset = next((one for one in PRESETS if one.slug == moment.preset), None)
        self.caption.object = preset.caption if preset else "Opened from a link."
        self.layers.chosen = moment.layers
        self.layers.hide(moment.hidden)
        self.controls.hide(moment.hidden)
        self.links.begin(moment.preset, moment.hidden)
        self.links.tell(errors)
        if preset:
            self.controls.preset.value = preset
        self.controls.resync()

    def _opening(self, under_way: bool) -> None:
        """While a link is opened, no other run is shown in its place."""
        settings, bare = self.panel[0], not self.controls.panel.visible
        settings.visible = not bare
        self.panel.css_classes = [
            "lab-grid", *(["lab-bare"] if bare else []), *(["lab-opening"] if under_way else [])
        ]  # fmt: skip
        if under_way:
            self.timeline.status = "Opening the link."
        else:
            self._update()

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        chosen = self.layers.layers
        with pn.io.hold():
            for view in self.views:
                view.show(chosen)
            self.links.update()
        if chosen.bounds:
            pn.state.execute(self._bring_bounds)

    async def _bring_bounds(self) -> None:
        replay = self.session.replay
        try:
            bounds = await self.session.bounds()
        except UCBPEError as error:
            pn.state.notifications.warning(f"No bound for this run: {error}", duration=8000)
            return
        if replay is self.session.replay:
            with pn.io.hold():
                self.regret.set_bounds(bounds.printed, bounds.proved)

    async def _fit(self, _: param.parameterized.Event) -> None:
        self.controls.fit.disabled = True
        try:
            self.controls.say_of_fit(
                words_of_fit(await self.session.fit(), len(self.session.frame.observed))
            )
        except UCBPEError as error:
            self.controls.say_of_fit(f"Not fitted. Expected {error.expected}; got {error.got}.")
        finally:
            self.controls.fit.disabled = False

    def _layout(self) -> pn.Column:
        heading = pn.FlexBox(
            self.caption, self.layers.panel, justify_content="space-between", align_items="center",
            sizing_mode="stretch_width", gap="8px",
        )  # fmt: skip
        pictures = pn.Column(
            self.links.notice,
            heading,
            self._main,
            self.regret.panel,
            sizing_mode="stretch_width",
            margin=0,
        )
        reasons = pn.Column(
            self.algorithm.panel, self._aside, sizing_mode="stretch_width", margin=0
        )
        return theme.columns(self.controls.panel, pictures, self.timeline, reasons)
