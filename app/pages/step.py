"""The Step page: every decision of a run, forward and back.

The page connects; it computes nothing. A move of the timeline picks a frame and hands it to the
views; a change of settings asks the session for another run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from app import theme
from app.events import Event, Kind
from app.narrative import number, pick_label
from app.pages.controls import Controls
from app.pages.layers import LayerChoice
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

    from app.presets import Preset
    from app.replay import Replay
    from app.views.base import View
    from ucbpe_core.hyperparameters import Fit

# Height of the regret plots by the inputs of the problem: what a tall window leaves below the
# other pictures. The large decision plane (3 inputs or more) takes a part of the height itself.
_REGRET_ROOM = {
    1: "clamp(190px, 100vh - 890px, 400px)",
    2: "clamp(190px, 100vh - 660px, 420px)",
    3: "clamp(190px, 22vh - 45px, 400px)",
}


class StepPage:
    """A session with its views, its controls and its timeline; `panel` is all of it."""

    def __init__(self, preset: Preset = PRESETS[0]) -> None:
        self.session = Session(preset)
        self.controls = Controls(self.session, preset)
        self.timeline = Timeline()
        self.line, self.field, self.large = LineView(), FieldView(), LargePlaneView()
        self.plane, self.inputs = PlaneView(), InputsView()
        self.algorithm = AlgorithmView(beneath=self.inputs.panel)
        self.regret = RegretView(on_select=self._select_batch)
        self.layers = LayerChoice(_shown_first(preset))
        self.caption = pmui.Typography(preset.caption, variant="body2", margin=(0, 0, 4, 0))
        # Only the pictures in use are in the page: every model there costs a little at each step.
        self._main = pn.Column(sizing_mode="stretch_width", margin=0)
        self._aside = pn.Column(sizing_mode="stretch_width", margin=0)
        self.panel = self._layout()
        self._load(self.session.replay)
        self._connect()

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
        controls.preset.param.watch(lambda event: self._open(event.new), "value")
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
            index=frame.index, chips=self._chips(frame.event.t), status=frame.status
        )

    def _chips(self, t: int) -> list[dict[str, Any]]:
        """The events of batch t for the timeline."""
        replay = self.session.replay
        return [
            {"label": _chip(event), "index": i, "role": self._role(event)}
            for i, event in enumerate(replay.batch(t), replay.batch_start(t))
        ]

    def _role(self, event: Event) -> str:
        if event.kind is not Kind.PICK:
            return event.kind.value
        return self.session.replay.trace.iterations[event.t - 1].decision.roles[event.k]

    def _select_batch(self, t: int) -> None:
        self.session.go(self.session.replay.batch_start(t))

    def _request(self, *_: param.parameterized.Event) -> None:
        pn.state.execute(self.session.refresh)

    def _open(self, preset: Preset) -> None:
        """Start from a preset; its settings replace all, notices included."""
        self.caption.object = preset.caption
        self.layers.chosen = _shown_first(preset) | self.layers.chosen - {"truth", "noisy"}
        self.controls.say_of_fit("")
        self.session.open(preset)
        for field in self.controls.fields.values():
            field.resync()

    def _show_layers(self, *_: param.parameterized.Event) -> None:
        chosen = self.layers.layers
        with pn.io.hold():
            for view in self.views:
                view.show(chosen)
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
            self.controls.say_of_fit(_fit_report(await self.session.fit(), self.session))
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
            heading, self._main, self.regret.panel, sizing_mode="stretch_width", margin=0
        )
        reasons = pn.Column(
            self.algorithm.panel, self._aside, sizing_mode="stretch_width", margin=0
        )
        return theme.columns(self.controls.panel, pictures, self.timeline, reasons)


def _shown_first(preset: Preset) -> frozenset[str]:
    return frozenset(("truth", "noisy") if preset.noisy else ("truth",))


def _chip(event: Event) -> str:
    if event.kind is Kind.PICK:
        return pick_label(event.k)
    return {Kind.FIT: "fit", Kind.REGION: "R⁺", Kind.OBSERVE: "observe"}[event.kind]


def _fit_report(fit: Fit, session: Session) -> str:
    n = len(session.frame.observed)
    if fit.winner == "unchanged":
        return f"{n} measurements: no search of {len(fit.starts)} improved on these values."
    start = "the present values" if fit.winner == "given" else fit.winner.replace(" ", " start ")
    return (
        f"{n} measurements: log likelihood {number(fit.given)} → "
        f"{number(fit.log_marginal_likelihood)}, found from {start} ({len(fit.starts)} tried)."
    )
