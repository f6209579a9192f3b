"""Questions about a file, with a button for each answer."""

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


class Question(pn.viewable.Viewer):
    """A notice and the buttons that answer it, there as long as there is something to ask."""

    def __init__(self, *buttons: Viewable) -> None:
        super().__init__()
        self.text = texts.card()
        # In a column that can be hidden: the layout of the inner one is important.
        answers = styled("lab-answers", *buttons)
        self._panel = column(styled("lab-question", self.text, answers), visible=False)

    def __panel__(self) -> Viewable:
        return self._panel

    @property
    def visible(self) -> bool:
        """Whether something is asked."""
        return bool(self._panel.visible)

    def show(self, text: str) -> None:
        """Ask this, or nothing."""
        self.text.object = texts.note(text)
        self._panel.visible = bool(text)


class DecimalQuestion(Question):
    """Asks which mark is the decimal mark; `answer` takes it."""

    def __init__(self, answer: Callable[[str], Coroutine[Any, Any, Any]]) -> None:
        self.buttons = {decimal: button("", partial(answer, decimal)) for decimal in DECIMALS}
        super().__init__(*self.buttons.values())

    def ask(self, error: UCBPEError | None) -> bool:
        """Ask what the error is about, or nothing; whether there is something to ask."""
        if not isinstance(error, UndecidedError):
            self.show("")
            return False
        for decimal, one in self.buttons.items():
            one.label = error.answers[decimal]
        self.show(error.question)
        return True
