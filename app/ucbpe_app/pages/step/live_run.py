"""While a slider is dragged, or keys move it, the browser computes the runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import panel as pn
import param
from bokeh.model import Model

from ucbpe_app.export.lesson.live import engine_parts, named_parts, require_computed, script
from ucbpe_app.pages.slider_field import LogSliderField
from ucbpe_app.private.panel import Component, model_of
from ucbpe_app.run.glossary import PATTERN
from ucbpe_app.run.settings import RunSpec
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Field
    from ucbpe_app.pages.layers import LayerChoice
    from ucbpe_app.pages.session import Session
    from ucbpe_app.run_view import RunView

REST = 0.25  # s that a slider stays where it is until the server draws that run as well
_HERE = Path(__file__)
ACTING = PATTERN.replace("(?P<", "(?<")  # as JavaScript writes it
# Same for all runs of a drag, and with an entry for the run behind, which the engine does not know.
_KEPT = {"simple.heading", "cumulative.heading", "cumulative.references", "curve"}


class LiveRun(Component):
    """The browser's part; nothing of its own is on the screen. Calls `on_refuse` if it has none."""

    engine = param.String("", doc="Code of the engine; sent when the first drag begins.")
    problem = param.String("", doc="JSON: what runs of the problem need.")
    drag = param.String("", doc="JSON: the drag, and the run that the server has drawn; or empty.")

    _esm = script("engine.js") + script("screen.js") + script("words.js")
    _esm += _HERE.with_suffix(".js").read_text(encoding="utf-8")

    def __init__(self, on_refuse: Callable[[], None]) -> None:
        super().__init__(width=0, height=0, margin=0)
        self._on_refuse = on_refuse

    def receive(self, data: Any) -> None:
        self._on_refuse()


class _Drag(NamedTuple):
    field: LogSliderField
    held: bool


class LiveDrag:
    """A drag of a setting, and the page around it. `component` is to be laid out.

    `behind` names the run that is drawn behind, or is empty. Keys of a slider that has the focus
    are a drag without one.

    The browser sets what it draws without telling the server, whose own state stays that of the run
    that it drew last. Whatever the server draws, `settle` goes first in the same message: with it
    the browser takes back what it set. So the page is always what the server has it, or ahead of
    that by a setting.
    """

    def __init__(
        self,
        session: Session,
        stage: RunView,
        layers: LayerChoice,
        fields: Iterable[Field],
        behind: Callable[[], str],
    ) -> None:
        self._session, self._stage, self._layers, self._behind = session, stage, layers, behind
        self._fields = {one.name: one for one in fields if isinstance(one, LogSliderField)}
        self._drag: _Drag | None = None
        self._refused, self._settled = False, 0
        self._opened: RunSpec | None = None
        self.component = LiveRun(self._refuse)

    @property
    def on(self) -> bool:
        """Whether the browser draws."""
        return self._drag is not None

    def setting(self, slider: str) -> str:
        """The setting of the slider with a label, or ""."""
        labelled = (name for name, one in self._fields.items() if one.slider_label == slider)
        return next(labelled, "")

    def begin(self, setting: str, *, held: bool = True) -> None:
        """Have the browser draw the runs of a setting, if it can; axes stay if they are `held`."""
        if field := self._fields.get(setting):
            before, self._drag = self._drag, _Drag(field, held)
            self.settle()
            # The browser has taken back what it wrote: before, it would undo this.
            if before is not None and before.field is not field:
                before.field.leave_to_browser(on=False)

    def settle(self) -> None:
        """Have the browser take back what it set, before the server draws."""
        if self._drag is None:
            return
        settings = self._settings()
        if self._drag.field.name in settings:
            self._open(settings)
            self._settled += 1
            self.component.drag = json.dumps(self._state(settings, self._drag))
            self._drag.field.leave_to_browser(on=True)
        else:
            self.end()

    def end(self) -> None:
        """Have the browser draw no longer."""
        drag, self._drag, self.component.drag = self._drag, None, ""
        if drag is not None:
            drag.field.leave_to_browser(on=False)

    def _settings(self) -> dict[str, Any]:
        """Of the run on screen, for the engine; none if the browser cannot draw it."""
        layers = self._layers.layers
        served = layers.bounds or layers.predict or layers.beside or layers.log
        if self._refused or served or self._session.data:
            return {}
        try:
            return require_computed(self._session.replay)
        except InputError:
            return {}

    def _open(self, settings: Container[str]) -> None:
        """Send what runs need beside the settings with sliders, unless the browser has it."""
        usual, replay = RunSpec(), self._session.replay
        dragged = {name: getattr(usual, name) for name in self._fields if name in settings}
        opened = replace(self._session.spec, **dragged)
        if opened != self._opened:
            parts = engine_parts(replay, self._stage.regret)
            parts["lexicon"]["acting"] = ACTING
            self.component.param.update(engine=script("answers.js"), problem=json.dumps(parts))
            self._opened = opened

    def _state(self, settings: dict[str, Any], drag: _Drag) -> dict[str, Any]:
        (field, held), session = drag, self._session
        layers = self._layers.layers
        event = session.frame.event
        drawn = session.settings.spec() == session.spec
        named = {**named_parts(self._stage.views), "timeline": self._stage.timeline}
        return {
            "number": self._settled,
            "settings": settings,
            "event": {"t": event.t, "kind": event.kind.value, "k": event.k},
            "layers": {
                "truth": layers.truth,
                "noisy": layers.noisy,
                "plane": layers.plane,
                "pinned": self._behind(),
                "featured": self._stage.featured,
            },
            "targets": {name: _id(one) for name, one in named.items() if name not in _KEPT},
            "setting": field.name,
            "held": held,
            "slider": _id(field.slider),
            "field": _id(field.control),
            "middle": field.middle,
            "at": field.slider.value if drawn else None,  # where the run on screen has it
        }

    def _refuse(self) -> None:
        self._refused = True
        self.end()
        pn.state.execute(self._session.refresh)


def _id(one: Model | Viewable) -> str | None:
    model = one if isinstance(one, Model) else model_of(one)
    return None if model is None else model.id
