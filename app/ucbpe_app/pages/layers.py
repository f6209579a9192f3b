"""What to see: a button per layer that the picture on screen can show."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import panel_material_ui as pmui
import param

from ucbpe_app.run.screen import LAYERS, Layers, controls_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_LABELS = {
    "True f": "truth",
    "Measurement band": "noisy",
    "Log regret": "log",
    "Theorem 1": "bounds",
    "Decision plane": "plane",
    "May I stop?": "stop",
    "Draws of the posterior": "draws",
    "Draws of the prior": "prior",
}
# Of more, no picture can show it, or the main one does.
_MOST_INPUTS = {"noisy": 1, "plane": 2, "draws": 2, "prior": 2}
# Material's capitals are too loud. Each has a shape of its own, as they stand in several rows.
PLAIN_WORDS = {
    "flexFlow": "row wrap", "gap": "6px",
    "&& .MuiToggleButton-root": {
        "width": "auto", "margin": 0, "padding": "5px 12px",
        "border": "1px solid", "borderColor": "divider",
        "borderRadius": "18px", "fontSize": "14px", "textTransform": "none", "whiteSpace": "nowrap",
    },
    "&& .Mui-selected, && .Mui-selected:hover": {
        "color": "text.primary", "backgroundColor": "tint.main", "borderColor": "primary.main",
        "fontWeight": 700,
    },
}  # fmt: skip


class LayerChoice(param.Parameterized):
    """The layers chosen; a choice is kept while a picture that cannot show it is on screen."""

    chosen = param.ClassSelector(
        class_=frozenset, default=frozenset(), doc="Names of fields of `Layers`."
    )
    plain = param.Boolean(False, doc="Whether the words of the lesson on screen are plain.")
    offered = param.Boolean(True, doc="Whether there is any to choose.")

    def __init__(self, chosen: Iterable[str], *, plain: bool = False) -> None:
        super().__init__(chosen=frozenset(chosen), plain=plain)
        self._inputs, self._hidden = 1, frozenset[str]()
        self.param.watch(self._show, "chosen")

    @cached_property
    def panel(self) -> pmui.CheckButtonGroup:
        """The buttons, made when they are first laid out."""
        buttons = pmui.CheckButtonGroup(
            **self._buttons, size="small", variant="outlined", margin=0, sx=PLAIN_WORDS
        )
        buttons.param.watch(self._choose, "value")
        return buttons

    @property
    def layers(self) -> Layers:
        """The choice, for views."""
        return Layers.of(self.chosen, plain=self.plain)

    @property
    def _offered(self) -> frozenset[str]:
        unfit = {name for name, most in _MOST_INPUTS.items() if self._inputs > most}
        return frozenset(LAYERS) - unfit - self._hidden

    @property
    def _pressed(self) -> frozenset[str]:
        """What is shown: while picks are predicted, the truth is chosen for afterwards at most."""
        return self.chosen - {"truth"} if "predict" in self.chosen else self.chosen

    def offer(self, *, inputs: int) -> None:
        """Offer what a picture of so many inputs can show."""
        if inputs != self._inputs:
            self._inputs = inputs
            self._show()

    def hide(self, names: Iterable[str]) -> None:
        """Offer all layers but these; what is shown is kept."""
        self._hidden = controls_of(names)
        self._show()

    def toggle(self, name: str) -> None:
        """Show a layer or not, if it is offered."""
        if name in self._offered:
            self.chosen = self.chosen ^ {name}

    @property
    def _buttons(self) -> dict[str, Any]:
        options = {label: name for label, name in _LABELS.items() if name in self._offered}
        value = [name for name in options.values() if name in self._pressed]
        return {"options": options, "value": value, "visible": bool(options)}

    def _show(self, *_: param.parameterized.Event) -> None:
        buttons = self._buttons
        self.offered = buttons["visible"]
        if "panel" in vars(self):
            self.panel.param.update(**buttons)

    def _choose(self, event: param.parameterized.Event) -> None:
        new, kept = frozenset(event.new), self.chosen - self._offered.intersection(_LABELS.values())
        if "predict" in kept:  # True f is not pressed; to press it ends predicting
            if "truth" in new:
                kept -= {"predict"}
            else:
                new |= self.chosen & {"truth"}
        chosen = kept | new
        if chosen != self.chosen:  # which param cannot tell of sets
            self.chosen = chosen
