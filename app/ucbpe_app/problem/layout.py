"""What the steps of the page Your problem share: layout, buttons and questions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import Html
from ucbpe_app.problem import texts
from ucbpe_app.render.markup import Markup
from ucbpe_app.widgets.layouts import Sheet
from ucbpe_core.tables.dialect import UndecidedError

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_core import UCBPEError
    from ucbpe_core.tables.dialect import Reading

_HEADING = """
:host { color: var(--mui-palette-text-primary, #1a1a1a); }
h2 { margin: 0.25em 0; font-size: 1.05rem; line-height: 1.6; letter-spacing: 0.0075em; }
"""
styled = Sheet(Path(__file__).with_suffix(".css")).column


def column(*objects: Any, **options: Any) -> pn.Column:
    """Return a plain column."""
    return pn.Column(*objects, sizing_mode="stretch_width", **options)


def actions(status: Any, *buttons: Any) -> pn.Column:
    """Lay out the status, and the buttons right of it."""
    status.css_classes = [*status.css_classes, "lab-actions-status"]
    return styled("lab-actions", status, styled("lab-actions-buttons", *buttons))


def button(
    label: str,
    do: Callable[[], Any],
    *,
    main: bool = False,
    plain: bool = False,
    **options: Any,
) -> pmui.Button:
    """Return a button of 44 px; a coroutine that `do` returns is run as a task."""
    made = pmui.Button(
        label=label,
        variant="contained" if main else "text" if plain else "outlined",
        margin=0,
        sx={"minHeight": "44px", "textTransform": "none", "whiteSpace": "nowrap"},
        css_classes=["lab-actions-button"],
        **options,
    )
    made.on_click(lambda _: run(do))
    return made


def heading(text: str) -> Markup:
    """Return the heading of a part."""
    return Markup(Html("<h2>{}</h2>").format(text), stylesheets=[_HEADING], margin=(0, 0, 4, 0))


def run(do: Callable[[], Coroutine[Any, Any, Any] | None]) -> None:
    """Call, and run what comes back as a task of this session."""
    pn.state.execute(partial(_run, do))


async def _run(do: Callable[[], Coroutine[Any, Any, Any] | None]) -> None:
    task = do()
    if task is not None:
        await task


class Question(pn.viewable.Viewer):
    """A notice and the buttons that answer it, there as long as there is something to ask."""

    def __init__(self, most: int = 2) -> None:
        super().__init__()
        self.text = texts.card()
        self._answers: list[Callable[[], Any]] = []
        self.buttons = [button("", partial(self.answer, i), main=not i) for i in range(most)]
        # In a column that can be hidden: the layout of the inner one is important.
        answers = styled("lab-answers", *self.buttons)
        self._panel = column(styled("lab-question", self.text, answers), visible=False)

    def __panel__(self) -> Viewable:
        return self._panel

    @property
    def visible(self) -> bool:
        """Whether something is asked."""
        return bool(self._panel.visible)

    def ask(self, text: str, answers: Mapping[str, Callable[[], Any]]) -> None:
        """Ask this, with what each button does by its label; or nothing."""
        self.text.object = texts.note(text)
        self._answers, labels = list(answers.values()), list(answers)
        for i, control in enumerate(self.buttons):
            label = labels[i] if i < len(labels) else ""
            control.param.update(label=label, visible=bool(label))
        self._panel.visible = bool(text)

    def ask_reading(
        self, error: UCBPEError | None, asked: Reading,
        read: Callable[[Reading], Coroutine[Any, Any, Any]],
    ) -> bool:  # fmt: skip
        """Ask what cells mean, if the error is that nobody knows; whether it is.

        `read` takes `asked` with the answer.
        """
        if not isinstance(error, UndecidedError):
            self.ask("", {})
            return False
        field = error.field
        answers = {
            label: partial(read, replace(asked, **{field: answer}))
            for answer, label in error.answers.items()
        }
        self.ask(error.question, answers)
        return True

    def answer(self, i: int) -> Any:
        """What button i does."""
        return self._answers[i]() if i < len(self._answers) else None


Asked = Mapping[str, tuple[str, Mapping[str, Callable[[], Any]]]]


class Questions(pn.viewable.Viewer):
    """All that is to be asked, below each other, and how many of them there are.

    Each keeps its notice and buttons until it is answered: none takes the place of another.
    """

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Question] = {}
        self._panel = column()

    def __panel__(self) -> Viewable:
        return self._panel

    @property
    def asked(self) -> tuple[Question, ...]:
        """The open questions, in order."""
        return tuple(self._made.values())

    def ask(self, questions: Asked) -> None:
        """Ask these, each by what it is about: its text, and what its buttons do."""
        self._made = {about: self._made.get(about) or Question() for about in questions}
        for i, (about, (text, answers)) in enumerate(questions.items(), start=1):
            number = f"Question {i} of {len(questions)}. " if len(questions) > 1 else ""
            self._made[about].ask(f"{number}{text}", answers)
        if self._panel.objects != [*self.asked]:
            self._panel.objects = [*self.asked]
