"""Exploring on the Step page: settings undone and redone, and a run pinned."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.components.bar_buttons import ExploreBar
from ucbpe_app.pages.step.compare_menu import CompareMenu
from ucbpe_app.pages.step.live_run import MOVING, LiveRun
from ucbpe_app.run.changes import MOVED, WORDS, PinnedRun, apart, change, value
from ucbpe_app.run.glossary import MARKS
from ucbpe_app.run.screen import PLACED, controls_of
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.pages.fields import Field
    from ucbpe_app.pages.layers import LayerChoice
    from ucbpe_app.pages.session import Session
    from ucbpe_app.run.changes import Choice
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.run_view import RunView


class Explore:
    """`bar` and the `menu` beside it are to be laid out."""

    def __init__(
        self, session: Session, stage: RunView, layers: LayerChoice, fields: Iterable[Field]
    ) -> None:
        self._session, self._stage, self._layers = session, stage, layers
        self.live = LiveRun(session, stage, layers, fields, lambda: self.pinned)
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
            self._pinned = None if self._pinned else (session.replay, session.spec)
            self.menu.pinned = self._pinned is not None
            self._stage.pin(self.pinned)
        elif what == "hold":
            session.hold(on=session.data is None)
            self.menu.held = session.data is not None
            pn.state.execute(session.refresh)
        elif what == "predict":
            self._layers.toggle(what)
            self.menu.predicted = self._layers.layers.predict

    def multiply(self, name: str, factor: float) -> None:
        """Multiply a setting, as far as it is offered and may be."""
        settings = self._session.settings
        if name not in self._hidden:
            with suppress(UCBPEError):
                settings.accept(**{name: float(f"{factor * getattr(settings, name):.3g}")})

    def highlight(self, mark: str) -> None:
        """Have what a term names stand out in the pictures; "" for none."""
        self._stage.light(mark if mark in MARKS else "")

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
        return name and f"{WORDS[name]} = {value(spec, name)}"

    def load(self) -> None:
        """Take another run of the session."""
        session = self._session
        earlier, later = session.history.earlier, session.history.later
        predicted = self._layers.layers.predict
        self.menu.param.update(held=session.data is not None, predicted=predicted)
        self.bar.param.update(
            earlier=_words(earlier, session.history.present),
            later=_words(session.history.present, later),
        )


def _words(before: Choice | None, after: Choice | None) -> str:
    """What undoing or redoing changes; nothing where there is nothing to go to."""
    return "" if before is None or after is None else change(before.spec, after.spec) or MOVED
