"""The settings column of the Race page: what all share, the configurations, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.pages.fields import COMPACT, ChoiceField, Field, NumberField
from ucbpe_app.pages.race.labels import labels, summary
from ucbpe_app.pages.race.setup import COMMON, LETTERS, LONGEST_LABEL, Configuration
from ucbpe_app.pages.race.views import Cards
from ucbpe_app.pages.setting_fields import SHOWN_FOR, ProblemField, group_heading, side_by_side
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from ucbpe_app.pages.race.state import RaceState

_COMMON_ROWS = (("problem",), ("problem_seed", "seed"), ("batches", "initial"))
_OWN_ROWS = (
    ("policy",),
    ("batch_size",),
    ("kernel",),
    ("nu", "lengthscale"),
    ("degree", "offset"),
    ("variance", "noise_variance"),
    ("mean",),
    ("schedule",),
    ("delta", "scale"),
    ("beta",),
)


class RaceForm:
    """Every control of a race, bound to its state; `panel` is the column to lay out.

    One form serves all configurations: it edits the one whose card is chosen.
    """

    def __init__(self, state: RaceState) -> None:
        self.state = state
        self.fields: dict[str, Field] = {
            name: self._field(name) for rows in (_COMMON_ROWS, _OWN_ROWS) for row in rows
            for name in row
        }  # fmt: skip
        self.label = pmui.TextInput(label="Name", max_length=LONGEST_LABEL, **COMPACT)
        self.cards = Cards(self._act)
        self._title = group_heading("")
        self.panel = self._layout()
        self._show()
        self.label.param.watch(self._name, "value")
        state.param.watch(self._show, ["setup", "chosen"])
        state.param.watch(self._resync, "chosen")
        state.param.watch(self._show_refusal, "refusal")

    def _field(self, name: str) -> Field:
        state = self.state
        if name == "problem":
            return ProblemField(state.common, state.choose_problem)
        settings = state.common if name in COMMON else state.own
        choice = isinstance(settings.param[name], param.Selector)
        return ChoiceField(settings, name) if choice else NumberField(settings, name)

    def _layout(self) -> pn.Column:
        parts: list[Any] = [group_heading("Shared by all"), *map(self._row, _COMMON_ROWS)]
        parts += [group_heading("Configurations"), self.cards, self._title, self.label]
        parts += map(self._row, _OWN_ROWS)
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)

    def _row(self, names: tuple[str, ...]) -> pn.Row:
        return side_by_side(self.fields[name].panel for name in names)

    def _show(self, *_: param.parameterized.Event) -> None:
        """Show the setup: its cards, and the fields that the chosen one makes use of."""
        state = self.state
        configurations, names = state.setup.configurations, labels(state.setup.configurations)
        shown = zip(LETTERS, names, map(summary, configurations), strict=False)
        self.cards.tell(shown, state.chosen)
        self._title.object = f"Configuration {LETTERS[state.chosen]}"
        # What it is called without a name of its own is its placeholder.
        automatic = labels(
            state.setup.changing(
                state.chosen, Configuration(state.configuration.settings)
            ).configurations
        )[state.chosen]
        self.label.param.update(value=state.configuration.label, placeholder=automatic)
        for name, (decider, values) in SHOWN_FOR.items():
            settings = state.common if name in COMMON else state.own
            self.fields[name].control.visible = getattr(settings, decider) in values

    def _resync(self, *_: param.parameterized.Event) -> None:
        """Another configuration has none of the notices of the one before."""
        for name, field in self.fields.items():
            if name not in COMMON:
                field.resync()

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

    def _show_refusal(self, event: param.parameterized.Event) -> None:
        if event.new is not None and event.new.names:
            if event.new.configuration is not None:
                self.state.chosen = event.new.configuration
            self.fields[event.new.names[0]].refuse(event.new.error)
