"""The menu of what a run is compared with: another run, other settings, or a guess."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.html import escape
from ucbpe_app.pages.form import caption
from ucbpe_app.pages.layers import PLAIN_WORDS
from ucbpe_app.pages.popups import Menu

if TYPE_CHECKING:
    from collections.abc import Callable


class _Entry(NamedTuple):
    label: str
    state: str  # the parameter that says whether it is on
    hint: str
    of_settings: bool = False


_ENTRIES = {
    "pin": _Entry("Pin this run", "pinned", "keep it in grey behind the next one."),
    "hold": _Entry(
        "Keep these data", "held",
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
    held = param.Boolean(False, doc="Whether the measurements are held.")
    predicted = param.Boolean(False, doc="Whether picks are predicted.")

    def __init__(self, on_do: Callable[[str], None]) -> None:
        super().__init__()
        self._on_do, self._showing = on_do, False
        self.menu = Menu("Compare", lambda: [self.choice, self._hints])

    @cached_property
    def choice(self) -> pmui.CheckButtonGroup:
        """The buttons, made when the menu is first opened."""
        choice = pmui.CheckButtonGroup(
            **self._buttons, size="small", variant="outlined", margin=0, sx=PLAIN_WORDS
        )
        self._hints = caption(self._words, margin=(4, 0, 0, 0))
        self.param.watch(
            self._show, ["settable", "guessable", *(entry.state for entry in _ENTRIES.values())]
        )
        choice.param.watch(self._switch, "value")
        return choice

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
