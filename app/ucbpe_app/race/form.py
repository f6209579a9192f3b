"""The settings of a race: what all share in a row, the configurations, and the form of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import escape
from ucbpe_app.race.setup import FEWEST, LETTERS, LONGEST_LABEL, MOST, Configuration, labels
from ucbpe_app.race.views import Cards
from ucbpe_app.run.screen import PLACED
from ucbpe_app.run.setting import paired
from ucbpe_app.run.settings import SETTINGS
from ucbpe_app.widgets.fields import COMPACT, ProblemChoice
from ucbpe_app.widgets.form import SettingsForm, group_heading
from ucbpe_app.widgets.layouts import WIDE
from ucbpe_app.widgets.strip import FieldStrip

if TYPE_CHECKING:
    import param

    from ucbpe_app.race.state import RaceState

_PLACED = {name: SETTINGS[name] for name in PLACED}
_COMMON = {name: entry for name, entry in _PLACED.items() if entry.shared}
# There are more settings than a column of single fields has room for: numbers are in pairs.
_OWN = paired({name: entry for name, entry in _PLACED.items() if not entry.shared})
_BUTTON: dict[str, Any] = {"variant": "outlined", "size": "small", "margin": 0, "height": 44}


class RaceForm:
    """Every control of a race, bound to its state.

    One form serves all configurations: that of the one whose card is pressed. `strip`, `cards` and
    `editor` are to be laid out.
    """

    kept = "The race is kept."

    def __init__(self, state: RaceState) -> None:
        self.state = state
        problem = ProblemChoice(state.common, "problem", state.choose_problem)
        self.strip = FieldStrip(state.common, _COMMON, own={"problem": problem}, kept=self.kept)
        self.own = SettingsForm(state.own, _OWN, kept=self.kept)
        self.fields = {**self.strip.fields, **self.own.fields}
        self.label = pmui.TextInput(label="Name", max_length=LONGEST_LABEL, **COMPACT)
        self.cards = Cards(self._press, most=MOST)
        self.duplicate, self.remove, self.close = (
            pmui.Button(label=label, on_click=act, **_BUTTON)
            for label, act in (
                ("Duplicate", self._duplicate), ("Remove", self._remove), ("Close", self._close)
            )
        )  # fmt: skip
        self._title = group_heading("")
        self.editor = WIDE.region(
            "Configuration", "wide-over", self._title, self.label, self.own,
            pn.Row(self.duplicate, self.remove, self.close, margin=(8, 0), styles={"gap": "8px"}),
            visible=False,
        )  # fmt: skip
        self._show()
        self.label.param.watch(self._name, "value")
        state.param.watch(self._show, ["setup", "chosen"])
        # Another configuration has none of the notices of the one before.
        state.param.watch(lambda _: self.own.resync(), "chosen")
        state.param.watch(self._show_invalid, "invalid")

    def _show(self, *_: param.parameterized.Event) -> None:
        """Show the name of the chosen configuration, and what can be done with it."""
        state, all_of_them = self.state, self.state.setup.configurations
        self._title.object = escape(f"Configuration {LETTERS[state.chosen]}")
        # What it is called without a name of its own is its placeholder.
        automatic = labels(
            state.setup.changing(
                state.chosen, Configuration(state.configuration.settings)
            ).configurations
        )[state.chosen]
        self.label.param.update(value=state.configuration.label, placeholder=automatic)
        self.duplicate.disabled = len(all_of_them) >= MOST
        self.remove.disabled = len(all_of_them) <= FEWEST
        self.cards.chosen = state.chosen if self.editor.visible else -1

    def _open(self, place: int) -> None:
        self.editor.visible = True
        self.state.chosen = place
        self._show()

    def _close(self, *_: object) -> None:
        self.editor.visible = False
        self._show()

    def _press(self, place: int | None) -> None:
        state = self.state
        if place is None:
            if len(state.setup.configurations) < MOST:
                state.ask(state.setup.adding(), len(state.setup.configurations))
                self._open(state.chosen)
        elif self.editor.visible and place == state.chosen:
            self._close()
        elif place < len(state.setup.configurations):
            self._open(place)

    def _duplicate(self, *_: object) -> None:
        place = self.state.chosen
        if len(self.state.setup.configurations) < MOST:  # clicks can come late
            self.state.ask(self.state.setup.duplicating(place), place + 1)

    def _remove(self, *_: object) -> None:
        place = self.state.chosen
        self._close()
        if len(self.state.setup.configurations) > FEWEST:
            self.state.ask(self.state.setup.removing(place), max(place - 1, 0))

    def _name(self, event: param.parameterized.Event) -> None:
        state = self.state
        name = " ".join(event.new.split())[:LONGEST_LABEL]
        if name != state.configuration.label:
            named = Configuration(state.configuration.settings, name)
            state.ask(state.setup.changing(state.chosen, named), state.chosen)

    def _show_invalid(self, event: param.parameterized.Event) -> None:
        if event.new is not None and event.new.names:
            if event.new.configuration is not None:
                self._open(event.new.configuration)
            name = event.new.names[0]
            (self.strip if name in _COMMON else self.own).show_error((name,), event.new.error)
