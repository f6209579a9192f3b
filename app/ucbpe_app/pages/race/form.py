"""The settings column of the Race page: what all share, the configurations, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.pages.fields import COMPACT, ProblemChoice
from ucbpe_app.pages.form import SettingsForm, group_heading
from ucbpe_app.pages.race.setup import (
    COMMON,
    LETTERS,
    LONGEST_LABEL,
    OWN,
    Configuration,
    labels,
    summary,
)
from ucbpe_app.pages.race.views import Cards
from ucbpe_app.run.screen import PLACED
from ucbpe_app.run.setting import paired
from ucbpe_app.run.settings import SETTINGS, Settings
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from ucbpe_app.pages.race.state import RaceState

_CHOICES = tuple(name for name in SETTINGS if isinstance(Settings.param[name], param.Selector))
# There are more settings than a column of single fields has room for: numbers stand in pairs.
_SHARED, _OWN = (
    paired([name for name in PLACED if name in names], _CHOICES) for names in (COMMON, OWN)
)


class RaceForm(pn.viewable.Viewer):
    """Every control of a race, bound to its state.

    One form serves all configurations: it edits the one whose card is chosen.
    """

    def __init__(self, state: RaceState) -> None:
        super().__init__()
        self.state = state
        self.shared = SettingsForm(
            state.common,
            {"Shared by all": _SHARED},
            own={"problem": ProblemChoice(state.common, "problem", state.choose_problem)},
            sliders=False,
        )
        self.own = SettingsForm(state.own, {"": _OWN}, sliders=False)
        self.fields = {**self.shared.fields, **self.own.fields}
        self.label = pmui.TextInput(label="Name", max_length=LONGEST_LABEL, **COMPACT)
        self.cards = Cards(self._act)
        self._title = group_heading("")
        self._panel = pn.Column(
            self.shared, group_heading("Configurations"), self.cards, self._title, self.label,
            self.own, sizing_mode="stretch_width", margin=0,
        )  # fmt: skip
        self._show()
        self.label.param.watch(self._name, "value")
        state.param.watch(self._show, ["setup", "chosen"])
        # Another configuration has none of the notices of the one before.
        state.param.watch(lambda _: self.own.resync(), "chosen")
        state.param.watch(self._show_invalid, "invalid")

    def __panel__(self) -> pn.Column:
        return self._panel

    def _show(self, *_: param.parameterized.Event) -> None:
        """Show the setup: its cards, and the name of the chosen configuration."""
        state = self.state
        configurations, names = state.setup.configurations, labels(state.setup.configurations)
        shown = zip(LETTERS, names, map(summary, configurations), strict=False)
        self.cards.load(shown, state.chosen)
        self._title.object = f"Configuration {LETTERS[state.chosen]}"
        # What it is called without a name of its own is its placeholder.
        automatic = labels(
            state.setup.changing(
                state.chosen, Configuration(state.configuration.settings)
            ).configurations
        )[state.chosen]
        self.label.param.update(value=state.configuration.label, placeholder=automatic)

    def _act(self, action: str, place: int) -> None:
        state, setup = self.state, self.state.setup
        try:
            if action == "edit":
                state.chosen = place
            elif action == "duplicate":
                state.ask(setup.duplicating(place), place + 1)
            elif action == "remove":
                state.ask(setup.removing(place), state.chosen - (place < state.chosen))
            else:
                state.ask(setup.adding(), len(setup.configurations))
        except UCBPEError:
            return  # from a click that was on its way when another came to the same limit

    def _name(self, event: param.parameterized.Event) -> None:
        state = self.state
        name = " ".join(event.new.split())[:LONGEST_LABEL]
        if name != state.configuration.label:
            named = Configuration(state.configuration.settings, name)
            state.ask(state.setup.changing(state.chosen, named), state.chosen)

    def _show_invalid(self, event: param.parameterized.Event) -> None:
        if event.new is not None and event.new.names:
            if event.new.configuration is not None:
                self.state.chosen = event.new.configuration
            name = event.new.names[0]
            (self.shared if name in COMMON else self.own).show_error((name,), event.new.error)
