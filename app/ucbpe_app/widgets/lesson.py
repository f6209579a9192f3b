"""The card of a lesson, and the button that opens a file of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable


class LessonCard(Component):
    """What a student reads above the pictures; the browser writes it as text, never as HTML.

    A link in the caption is a real address, for another tab; a plain click calls ``on_visit`` with
    the number of the link instead, and ``on_step`` is called with 1 or -1 to go to the next lesson
    or to the one before, ``on_reset`` to take the lesson's own settings again.
    """

    title = param.String(default="", doc="Of the lesson.")
    paragraphs = param.List(
        default=[],
        item_type=list,
        doc="Each a list of dicts with `words` and `query`, `bold`, `mathml` or `mark`.",
    )
    question = param.String(default="", doc="For the class; none if empty.")
    answer = param.String(default="", doc="Shown when asked for.")
    choices = param.List(default=[], item_type=str, doc="Answers to choose from, if there are any.")
    right = param.Integer(default=0, doc="Which of them is right.")
    place = param.String(default="", doc="Which lesson of how many.")
    setting = param.String(default="", doc="Kernel and band, which a presented page names.")
    before = param.String(
        default="", doc="Title of the lesson before; empty if none can be chosen."
    )
    after = param.String(default="", doc="Title of the next lesson; as `before`.")
    here = param.Integer(default=-1, doc="The link whose moment is on screen, or -1.")
    changed = param.Boolean(default=False, doc="Whether the settings are others than the lesson's.")

    _esm = script("fragment.js", "lesson.js")
    _stylesheets: ClassVar[list[str]] = [script("lesson.css", "words.css")]

    def __init__(
        self,
        on_visit: Callable[[int], None],
        on_step: Callable[[int], None],
        on_reset: Callable[[], None],
        **params: Any,
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._visit, self._step, self._reset = on_visit, on_step, on_reset

    def receive(self, data: Any) -> None:
        """Do what was clicked; only what is on the card can be asked for."""
        links = sum("query" in span for spans in self.paragraphs for span in spans)
        if "link" in data and 0 <= int(data["link"]) < links:
            self._visit(int(data["link"]))
        elif "step" in data and (self.after if data["step"] == 1 else self.before):
            self._step(1 if data["step"] == 1 else -1)
        elif "reset" in data:
            self._reset()


class LessonFile(Component):
    """Asks for a file, and passes its text to `on_open`; hidden without one."""

    largest = param.Integer(default=1, bounds=(1, None), doc="Size of the largest file, in bytes.")

    _esm = script("lesson_file.js")
    _stylesheets: ClassVar[list[str]] = [script("lesson_file.css")]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, "visible": False, **params})
        self._open: Callable[[str, int, str | None], None] | None = None

    def on_open(self, callback: Callable[[str, int, str | None], None]) -> None:
        """Call back with the name of the file, its size in bytes and its text.

        The text is None for a file of more than ``largest`` bytes, which the browser does not send,
        and for one that is not UTF-8.
        """
        self._open = callback
        self.offer()

    def offer(self, offered: bool = True) -> None:
        """Show or hide the button, and set who receives the text."""
        self.visible = offered and self._open is not None

    def receive(self, data: Any) -> None:
        text = data["text"]
        if self._open is not None:
            self._open(str(data["name"]), int(data["size"]), None if text is None else str(text))
