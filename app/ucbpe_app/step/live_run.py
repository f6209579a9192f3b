"""While a slider is dragged, or keys move it, the browser computes the runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
import param
from bokeh.model import Model

from ucbpe_app.engine.parts import engine_parts, modules, named_parts, require_computed
from ucbpe_app.engine.tables import ARGUMENTS
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.private.panel import Component, model_of
from ucbpe_app.run.glossary import PATTERN
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.widgets.slider_field import LogSliderField
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from panel.viewable import Viewable

    from ucbpe_app.run.changes import PinnedRun
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.widgets.fields import Field
    from ucbpe_app.widgets.link_bar import LayerChoice
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session

_STEP = 0.02  # of the range of f, by which a key moves a measurement
_REST = 0.25  # s that a slider stays where it is until the server draws that run as well
_HERE = Path(__file__)
ACTING = PATTERN.replace("(?P<", "(?<")  # as JavaScript writes it
MOVING = "moved"  # as a setting: where the measurement is that the pointer holds
# Same for all runs of a drag, and with an entry for the run behind, which the engine does not know.
_KEPT = {"curve"}


class LiveRun(Component):
    """The drag of a slider, or its use by keys; nothing of its own is on the screen.

    The browser says which slider is in use, by `dragged` and `focused`, and draws its runs if
    `setting` names it. What it sets is not sent to the server, whose state stays that of the run
    that it drew last. Whatever the server draws, `drawn` goes first in the same message, and with
    it the browser takes back what it set: the page is what the server has, or ahead of that by a
    setting. While a slider is dragged, the run that it began with, `start`, stays behind, and the
    axes stay. `pinned` returns the run behind.
    """

    dragged = param.String("", doc="The setting whose slider the pointer holds.")
    focused = param.String("", doc="The setting whose slider has the focus: its keys move it.")
    placed = param.List([], doc="[number, value] of the measurement that the pointer holds.")
    refused = param.Boolean(False, doc="Whether this browser has no engine.")

    setting = param.String("", doc="That whose runs the browser draws; empty if the server does.")
    value = param.Parameter(None, doc="Of its slider, or `placed`, if the server has drawn that.")
    moved = param.List([], doc="[number, value] of each measurement moved; None if it is left out.")
    figure = param.String("", doc="Id of the figure where measurements can be moved, if any.")
    locked = param.Boolean(False, doc="Whether the axes stay.")
    settings = param.Dict({}, doc="Of the run that the server has drawn, for the engine.")
    event = param.Dict({}, doc="The event that is drawn.")
    layers = param.Dict({}, doc="What is shown.")
    targets = param.Dict({}, doc="Ids of the models that a run sets, by their names.")
    drawn = param.Integer(0, doc="Counts what the server draws; changes after all the above.")

    hand = param.Dict(modules("moving.js"), doc="Text of the module that listens to the figure.")
    engine = param.Dict({}, doc="Texts of all modules; sent when they are first needed.")
    problem = param.Dict({}, doc="What runs of the problem need.")

    _esm = modules("loader.js")["loader.js"] + _HERE.with_suffix(".js").read_text(encoding="utf-8")

    def __init__(
        self,
        session: Session,
        view: RunView,
        layers: LayerChoice,
        fields: Iterable[Field],
        pinned: Callable[[], PinnedRun | None],
    ) -> None:
        super().__init__(width=0, height=0, margin=0)
        self._session, self._view, self._choice, self._pinned = session, view, layers, pinned
        self._fields = {field.name: field for field in fields if isinstance(field, LogSliderField)}
        self._opened: RunSpec | None = None
        self.start: tuple[Replay, RunSpec] | None = None
        view.before_draw = self.update
        self.param.watch(self._use, ["dragged", "focused"])
        self.param.watch(self._refuse, "refused")
        self.param.watch(self._place, "placed")

    @property
    def rest(self) -> float:
        """How long a setting stays as it is until the server draws its run, in s."""
        return _REST if self.setting else 0.0

    def start_drag(self) -> None:
        """Keep the run on screen behind the next ones, and the axes as they are."""
        self._begin((self._session.replay, self._session.spec))

    def update(self) -> None:
        """Have the browser take back what it set, before the server draws; and go on, if it can."""
        self.moved = [list(move) for move in self._session.moved]
        used = self.dragged or self.focused
        before, field = map(self._fields.get, (self.setting, used))
        if before is None and field is None and MOVING not in (self.setting, used):
            return
        settings = self._settings(used)
        if settings and (used in ARGUMENTS or used == MOVING):
            self._open()
            self.param.update(setting=used, **self._state(settings, field))
        else:
            self.setting = ""
        self.drawn += 1
        # The browser has taken back what it wrote: before, it would undo this.
        for control in (before, field):
            if control is not None:
                control.leave_to_browser(on=control.name == self.setting)

    def load(self) -> None:
        """Take the picture of another run: measurements are moved in that of one input."""
        picture = self._view.picture
        curve = picture.rendered.plots["function"].figure if picture.kind is CURVE else None
        self.figure = curve.id if curve else ""

    def receive(self, data: Any) -> None:
        """Leave a measurement out, or have it as it was made; or do what a key asks for.

        A click on one is a guess while picks are predicted, and no more.
        """
        by_key = "steps" in data
        number = self._measured if by_key else int(data["number"])
        if number is None or (self._choice.layers.predict and not by_key):
            return
        replay = self._session.replay
        made, now = (run.trace.history.measured[number].y for run in (replay.measured, replay))
        if steps := data.get("steps"):
            low, high = self._session.frame.values
            at = made if now is None else now
            self._move(number, float(f"{(at or 0.0) + steps * _STEP * (high - low):.4g}"))
        else:
            self._move(number, made if data.get("back", now is None) else None)

    @property
    def _measured(self) -> int | None:
        """The number of the last measurement of the candidate that a person looks at, if any."""
        trace, index = self._session.replay.measured.trace, self._view.readout.chosen
        count = trace.measured_before(self._session.frame.done + 1)  # those left out included
        made = enumerate(trace.history.measured[:count])
        return max((i for i, measurement in made if measurement.index == index), default=None)

    def _place(self, event: param.parameterized.Event) -> None:
        if event.new:
            self._move(*event.new)

    def _move(self, number: int, y: float | None) -> None:
        self._session.move(number, y)
        pn.state.execute(partial(self._session.refresh, self.rest))

    def _use(self, *events: param.parameterized.Event) -> None:
        """Another slider is in use, or none any longer; until the page is loaded, that waits."""
        for event in events:
            pn.state.onload(partial(self._follow, event.name, event.new))

    def _follow(self, use: str, setting: str) -> None:
        if use == "dragged" and setting:
            self.start_drag()
        elif use == "focused" and self.start is not None:
            return  # keys have to wait until the drag has ended
        elif setting:
            self._update_alone()
        else:
            pn.state.execute(partial(self._catch_up, self.start))

    async def _catch_up(self, start: tuple[Replay, RunSpec] | None) -> None:
        """Draw the last run, if only the browser has; then end the drag that began with `start`."""
        session = self._session
        if self.setting and session.pending:
            await session.refresh()
        if self.start is not start:
            return  # another drag has begun
        if start is None:
            self._update_alone()
        else:
            self._begin(None)

    def _begin(self, start: tuple[Replay, RunSpec] | None) -> None:
        """Draw with this run behind and the axes locked; or as without a drag."""
        self.start = start
        with pn.io.hold():
            self._view.lock_axes(on=start is not None)
            self._view.pin(self._pinned())

    def _update_alone(self) -> None:
        with pn.io.hold():
            self.update()

    def _refuse(self, *_: param.parameterized.Event) -> None:
        self._update_alone()
        pn.state.execute(self._session.refresh)

    def _settings(self, used: str) -> dict[str, Any]:
        """Of the run on screen, for the engine; none if the browser cannot draw what is used."""
        session, layers = self._session, self._choice.layers
        served = layers.bounds or layers.predict or layers.log
        others = session.data and (used != MOVING or session.data != session.spec)
        if self.refused or served or others:
            return {}
        try:
            return require_computed(session.replay.measured)
        except InputError:
            return {}

    def _open(self) -> None:
        """Send what runs need and no slider sets, unless the browser has it."""
        default, replay = RunSpec(), self._session.replay.measured
        dragged = {name: getattr(default, name) for name in self._fields if name in ARGUMENTS}
        opened = replace(self._session.spec, **dragged)
        if opened != self._opened:
            parts = engine_parts(replay)
            parts["lexicon"]["acting"] = ACTING
            self.param.update(engine=modules(), problem=parts)
            self._opened = opened

    def _state(self, settings: dict[str, Any], field: LogSliderField | None) -> dict[str, Any]:
        session, layers, pinned = self._session, self._choice.layers, self._pinned()
        event = session.frame.event
        named = {**named_parts(self._view.views), "timeline": self._view.timeline}
        value: Any = self.placed
        if field is not None:
            named |= {"slider": field.slider, "field": field.control}
            value = field.slider.value
        return {
            "settings": settings,
            "event": {"t": event.t, "kind": event.kind.value, "k": event.k},
            "layers": {
                "truth": layers.truth,
                "noisy": layers.noisy,
                "plane": layers.plane,
                "plain": layers.plain,
                "stop": layers.stop,
                "pinned": pinned.label if pinned else "",
                "featured": self._view.featured,
            },
            "targets": {name: _id(part) for name, part in named.items() if name not in _KEPT},
            "value": None if session.pending else value,
            "locked": bool(self.dragged),
        }


def _id(part: Model | Viewable) -> str | None:
    model = part if isinstance(part, Model) else model_of(part)
    return None if model is None else model.id
