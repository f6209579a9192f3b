"""The menu of what a run is compared with: another run, other settings, or a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.pages.layers import PLAIN_WORDS
from ucbpe_app.pages.menus import Menu

if TYPE_CHECKING:
    from collections.abc import Callable

    from panel.viewable import Viewable


class _Entry(NamedTuple):
    label: str
    state: str  # the parameter that says whether it is on
    told: str
    of_settings: bool = False


_ENTRIES = {
    "pin": _Entry("Pin this run", "pinned", "keep it in grey behind the next one."),
    "beside": _Entry("Beside", "beside", "draw it beside instead, on the same axes."),
    "hold": _Entry(
        "Keep these data", "held",
        "settings then change the posterior, R⁺ and the next picks alone.",
        of_settings=True,
    ),
    "predict": _Entry("Predict", "predicted", "guess the next pick before it is shown."),
}  # fmt: skip


class CompareMenu(param.Parameterized):
    """Which comparisons are on; `menu` is to be laid out.

    `on_do` is called with "pin", "beside", "hold" or "predict" to switch it, and sets its
    parameter.
    """

    settable = param.Boolean(True, doc="Whether settings may be changed here.")
    guessable = param.Boolean(True, doc="Whether picks may be predicted here.")
    pinned = param.Boolean(False, doc="Whether a run is pinned.")
    held = param.Boolean(False, doc="Whether the measurements are held.")
    beside = param.Boolean(False, doc="Whether another run is drawn beside.")
    predicted = param.Boolean(False, doc="Whether picks are predicted.")

    def __init__(self, on_do: Callable[[str], None]) -> None:
        super().__init__()
        self._on_do, self._showing = on_do, False
        self.menu = Menu("Compare", self._make)

    def _make(self) -> tuple[Viewable, ...]:
        self.choice = pmui.CheckButtonGroup(
            size="small", variant="outlined", margin=0, sx=PLAIN_WORDS
        )
        self._told = pmui.Typography("", variant="caption", margin=(4, 0, 0, 0))
        self._show()
        self.param.watch(
            self._show, ["settable", "guessable", *(one.state for one in _ENTRIES.values())]
        )
        self.choice.param.watch(self._switch, "value")
        return self.choice, self._told

    def _show(self, *_: param.parameterized.Event) -> None:
        offered = {
            what: one
            for what, one in _ENTRIES.items()
            if (self.settable or not one.of_settings) and (self.guessable or what != "predict")
        }
        self._told.object = " ".join(f"{one.label}: {one.told}" for one in offered.values())
        self._showing = True
        try:
            self.choice.param.update(
                options={one.label: what for what, one in offered.items()},
                value=[what for what, one in offered.items() if getattr(self, one.state)],
            )
        finally:
            self._showing = False

    def _switch(self, event: param.parameterized.Event) -> None:
        if self._showing:
            return
        with pn.io.hold():
            for what in sorted(set(event.new) ^ set(event.old)):
                self._on_do(what)
            self._show()  # also what could not be done
