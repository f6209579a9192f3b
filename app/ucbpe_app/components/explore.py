"""To explore with: undo and redo of settings, sliders, and words that light their marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import panel as pn
import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class OnWord(Protocol):
    """What words and sliders of the page do."""

    def light(self, mark: str) -> None:
        """The term under the pointer has changed; "" for none."""

    def grip(self, slider: str) -> None:
        """A drag of the slider with this label has begun."""

    def focus(self, slider: str) -> None:
        """The slider with this label has the focus: its keys are about to be used."""

    def blur(self) -> None:
        """It has the focus no longer."""


class ExploreBar(Component):
    """A row of buttons. `on_do` is called with the name of one: "undo" or "redo".

    Ctrl+Z and Ctrl+Shift+Z undo and redo too, unless a text field has the focus. Interactive words
    of the page (see words.js), and sliders that are dragged or have the focus, call `on_word`; when
    a drag ends, `on_do` is called with "release".
    """

    earlier = param.String("", doc="The change that undo takes back; empty if there is none.")
    later = param.String("", doc="The change that redo makes again; empty if there is none.")
    settable = param.Boolean(True, doc="Whether settings may be changed here.")

    _esm = "\n".join(
        _HERE.with_name(name).read_text(encoding="utf-8") for name in ("words.js", "explore.js")
    )
    _stylesheets: ClassVar[list[str]] = [_HERE.with_suffix(".css").read_text(encoding="utf-8")]

    def __init__(self, on_do: Callable[[str], None], on_word: OnWord, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._on_do, self._on_word = on_do, on_word

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            match data:
                case {"do": "light", "mark": str(mark)}:
                    self._on_word.light(mark)
                case {"do": "drag", "slider": str(slider)}:
                    self._on_word.grip(slider)
                case {"do": "focus", "slider": str(slider)}:
                    self._on_word.focus(slider)
                case {"do": "blur"}:
                    self._on_word.blur()
                case _:
                    self._on_do(str(data["do"]))
