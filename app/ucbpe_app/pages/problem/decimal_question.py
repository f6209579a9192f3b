"""A question about numbers that can be read in two ways, with a button for each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.problem.layout import button, column, styled
from ucbpe_app.pages.problem.sheets.dialect import DECIMALS, UndecidedError
from ucbpe_app.pages.problem.views import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from panel.viewable import Viewable

    from ucbpe_core import UCBPEError


class DecimalQuestion(pn.viewable.Viewer):
    """Asks which mark is the decimal mark; `answer` takes it."""

    def __init__(self, answer: Callable[[str], Coroutine[Any, Any, Any]]) -> None:
        super().__init__()
        self.text = texts.card()
        self.buttons = {
            decimal: button("", partial(answer, decimal), main=True) for decimal in DECIMALS
        }
        # In a column that can be hidden: the layout of the inner one is important.
        self._panel = column(
            styled("lab-question", self.text, *self.buttons.values()), visible=False
        )

    def __panel__(self) -> Viewable:
        return self._panel

    def show(self, error: UCBPEError | None) -> bool:
        """Ask what the error is about, or nothing; whether there is something to ask."""
        self._panel.visible = isinstance(error, UndecidedError)
        if not isinstance(error, UndecidedError):
            self.text.object = ""
            return False
        self.text.object = texts.note(error.question)
        for decimal, one in self.buttons.items():
            one.label = error.answers[decimal]
        return True
