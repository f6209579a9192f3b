"""Exploring on the Step page: settings undone and redone, a pinned run, and a guess."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.html import escape
from ucbpe_app.run.changes import MOVED, WORDS, PinnedRun, apart, change, value
from ucbpe_app.run.glossary import MARKS
from ucbpe_app.run.screen import PLACED, controls_of
from ucbpe_app.step.live_run import MOVING, LiveRun
from ucbpe_app.widgets.bar_buttons import ExploreBar
from ucbpe_app.widgets.form import caption
from ucbpe_app.widgets.layouts import Menu
from ucbpe_app.widgets.link_bar import PLAIN_WORDS
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_app.run.changes import Choice
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.fields import Field
    from ucbpe_app.widgets.link_bar import LayerChoice
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session


class _Entry(NamedTuple):
    label: str
    state: str  # the parameter that says whether it is on
    hint: str
    of_settings: bool = False


_ENTRIES = {
    "pin": _Entry("Pin this run", "pinned", "keep it in grey behind the next one."),
    "hold": _Entry(
        "Keep these data", "hold_data",
        "settings then change the posterior, R⁺ and the next picks alone.",
        of_settings=True,
    ),
    "predict": _Entry("Predict", "predicted", "guess the next pick before it is shown."),
}  # fmt: skip


class CompareMenu(param.Parameterized):
    """Which comparisons are on; `menu` is to be laid out.

    `on_do` is called with "pin", "hold" or "predict" to switch it, and sets its parameter.
    """

    settable = param.Boolean(True, doc="Whether settings may be changed here.")
    guessable = param.Boolean(True, doc="Whether picks may be predicted here.")
    pinned = param.Boolean(False, doc="Whether a run is pinned.")
    hold_data = param.Boolean(False, doc="Whether the measurements are kept.")
    predicted = param.Boolean(False, doc="Whether picks are predicted.")

    def __init__(self, on_do: Callable[[str], None]) -> None:
        super().__init__()
        self._on_do, self._showing = on_do, False
        self.choice = pmui.CheckButtonGroup(
            **self._buttons, size="small", variant="outlined", margin=0, sx=PLAIN_WORDS
        )
        self._hints = caption(self._words, margin=(4, 0, 0, 0))
        self.menu = Menu("Compare", [self.choice, self._hints])
        self.param.watch(
            self._show, ["settable", "guessable", *(entry.state for entry in _ENTRIES.values())]
        )
        self.choice.param.watch(self._switch, "value")

    @property
    def _offered(self) -> dict[str, _Entry]:
        return {
            what: entry
            for what, entry in _ENTRIES.items()
            if (self.settable or not entry.of_settings) and (self.guessable or what != "predict")
        }

    @property
    def _words(self) -> str:
        return " ".join(f"{entry.label}: {entry.hint}" for entry in self._offered.values())

    @property
    def _buttons(self) -> dict[str, Any]:
        offered = self._offered
        return {
            "options": {entry.label: what for what, entry in offered.items()},
            "value": [what for what, entry in offered.items() if getattr(self, entry.state)],
        }

    def _show(self, *_: param.parameterized.Event) -> None:
        self._hints.object = escape(self._words)
        self._showing = True
        try:
            self.choice.param.update(**self._buttons)
        finally:
            self._showing = False

    def _switch(self, event: param.parameterized.Event) -> None:
        if self._showing:
            return
        with pn.io.hold():
            for what in sorted(set(event.new) ^ set(event.old)):
                self._on_do(what)
            self._show()  # also what could not be done


class Explore:
    """`bar` and the `menu` next to it are to be laid out."""

    def __init__(
        self, session: Session, view: RunView, layers: LayerChoice, fields: Iterable[Field]
    ) -> None:
        self._session, self._view, self._layers = session, view, layers
        self.live = LiveRun(session, view, layers, fields, lambda: self.pinned)
        self._pinned: tuple[Replay, RunSpec] | None = None
        self._hidden = frozenset[str]()
        self.bar, self.menu = ExploreBar(self._do, self.highlight), CompareMenu(self._do)

    def hide(self, names: Iterable[str]) -> None:
        """Offer nothing that changes these settings, named as in a link."""
        hidden = self._hidden = controls_of(names)
        self.bar.settable = self.menu.settable = not hidden.issuperset(PLACED)
        self.menu.guessable = "predict" not in hidden

    def _do(self, what: str) -> None:
        session = self._session
        if what in ("undo", "redo"):
            if getattr(session, what)():  # else it would overtake a link that is being opened
                pn.state.execute(session.refresh)
        elif what == "pin":
            self.pin(None if self._pinned else (session.replay, session.spec))
        elif what == "hold":
            session.hold_data(on=session.data is None)
            self.menu.hold_data = session.data is not None
            pn.state.execute(session.refresh)
        elif what == "predict":
            self._layers.toggle(what)
            self.menu.predicted = self._layers.layers.predict

    def pin(self, run: tuple[Replay, RunSpec] | None) -> None:
        """Have a run with its settings drawn behind that on screen, or none."""
        self._pinned = run
        self.menu.pinned = run is not None
        self._view.pin(self.pinned)

    @property
    def pinned_spec(self) -> RunSpec | None:
        """The settings of the pinned run, where they alone determine it."""
        if self._pinned is None or self._pinned[0].trace.hold_data:
            return None
        return self._pinned[1]

    def multiply(self, name: str, factor: float) -> None:
        """Multiply a setting, as far as it is offered and may be."""
        settings = self._session.settings
        if name not in self._hidden:
            with suppress(UCBPEError):
                settings.accept(**{name: float(f"{factor * getattr(settings, name):.3g}")})

    def highlight(self, mark: str) -> None:
        """Have what a term names stand out in the pictures; "" for none."""
        self._view.light(mark if mark in MARKS else "")

    @property
    def pinned(self) -> PinnedRun | None:
        """The run behind: the one pinned, or the one from before a drag."""
        behind = self._pinned or self.live.start
        if behind is None:
            return None
        replay, spec = behind
        name = apart(spec, self._session.spec) or self._setting_at_start() or "this run"
        return PinnedRun(replay, f"{'pinned' if self._pinned else 'before'}: {name}")

    def _setting_at_start(self) -> str:
        """What will set the run before a drag of a slider apart from those to come."""
        name, spec = self.live.dragged, self._session.spec
        if name == MOVING:
            return "as it was"
        return name and f"{WORDS[name]} {value(spec, name)}"

    def load(self) -> None:
        """Take another run of the session."""
        session = self._session
        earlier, later = session.history.earlier, session.history.later
        predicted = self._layers.layers.predict
        self.menu.param.update(hold_data=session.data is not None, predicted=predicted)
        self.bar.param.update(
            earlier=_words(earlier, session.history.present),
            later=_words(session.history.present, later),
        )


def _words(before: Choice | None, after: Choice | None) -> str:
    """What undoing or redoing changes; nothing where there is nothing to go to."""
    return "" if before is None or after is None else change(before.spec, after.spec) or MOVED
