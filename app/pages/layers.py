"""What to see: a button per layer that the picture on screen can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel_material_ui as pmui
import param

from app.views.base import Layers

if TYPE_CHECKING:
    from collections.abc import Iterable

_LABELS = {
    "Truth": "truth",
    "Measurement band": "noisy",
    "Log regret": "log",
    "Theorem 1": "bounds",
}
# Material's capitals would shout, and break over two lines.
_PLAIN_WORDS = {"& .MuiToggleButton-root": {"textTransform": "none", "whiteSpace": "nowrap"}}


class LayerChoice(param.Parameterized):
    """The layers chosen; a choice is kept while a picture that cannot show it is on screen."""

    chosen = param.Parameter(frozenset(), doc="Names of fields of `Layers`, a frozenset.")

    def __init__(self, chosen: Iterable[str]) -> None:
        super().__init__(chosen=frozenset(chosen))
        self.panel = pmui.CheckButtonGroup(
            options=_LABELS,
            value=sorted(self.chosen),
            size="small",
            variant="outlined",
            margin=0,
            sx=_PLAIN_WORDS,
        )
        self._offered = frozenset(_LABELS.values())
        self.panel.param.watch(self._take, "value")
        self.param.watch(self._show, "chosen")

    @property
    def layers(self) -> Layers:
        """The choice, for views."""
        return Layers(**{name: name in self.chosen for name in _LABELS.values()})

    def offer(self, *, band: bool) -> None:
        """Offer the band of a measurement or not: only a curve can show one."""
        offered = frozenset(_LABELS.values()) - (frozenset() if band else {"noisy"})
        if offered != self._offered:
            self._offered = offered
            self._show()

    def _show(self, *_: param.parameterized.Event) -> None:
        options = {label: name for label, name in _LABELS.items() if name in self._offered}
        value = [name for name in options.values() if name in self.chosen]
        self.panel.param.update(options=options, value=value)

    def _take(self, event: param.parameterized.Event) -> None:
        chosen = (self.chosen - self._offered) | frozenset(event.new)
        if chosen != self.chosen:  # which param cannot tell of sets
            self.chosen = chosen
