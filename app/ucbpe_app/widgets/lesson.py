"""The card of a lesson, with its questions and all other lessons; and the card at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable


class LessonCard(Component):
    """What a student reads above the pictures; the browser writes it as text, never as HTML.

    A link in the caption is a real address, for another tab; a plain click asks for its number
    instead. `on_ask` is called with what is asked for and about what: "link" and the number of one,
    "step" with 1 or -1 for the next lesson or the one before, "choose" and the number of a lesson
    on the shelves, "reset" to take the lesson's own settings again, and "file" with a dict of the
    `name` of a file, its `size` in bytes and its `text`. That is None for a file of more than
    `largest` bytes, which the browser does not send, and for one that is not UTF-8.
    """

    title = param.String(default="", doc="Of the lesson.")
    slug = param.String(default="", doc="Its name, by which the browser keeps what was done of it.")
    paragraphs = param.List(
        default=[],
        item_type=list,
        doc="Each a list of dicts with `words` and `href`, `bold`, `mathml` or `mark`.",
    )
    questions = param.List(default=[], item_type=dict, doc="As `asked` makes them.")
    index = param.Integer(default=0, doc="The event on screen, counted from 0.")
    last = param.Integer(default=-1, doc="The event at which the lesson ends, or -1.")
    place = param.String(default="", doc="Which lesson of how many.")
    number = param.Integer(default=-1, doc="Its number on the shelves.")
    shelves = param.List(
        default=[],
        item_type=dict,
        doc="Dicts with `title`, `note`, `numbered`, and `lessons`, which are dicts with `number`, "
        "`place`, `title` and `slug`; none if no other lesson can be chosen.",
    )
    largest = param.Integer(default=1, bounds=(1, None), doc="Size of the largest file, in bytes.")
    setting = param.String(default="", doc="Kernel and band, which a presented page names.")
    before = param.String(
        default="", doc="Title of the lesson before; empty if none can be chosen."
    )
    after = param.String(default="", doc="Title of the next lesson; as `before`.")
    here = param.Integer(default=-1, doc="The link whose moment is on screen, or -1.")
    changed = param.Boolean(default=False, doc="Whether the settings are others than the lesson's.")

    _esm = script(
        "fragment.js",
        "element.js",
        "stored.js",
        "progress.js",
        "questions.js",
        "shelves.js",
        "lesson.js",
    )
    _stylesheets: ClassVar[list[str]] = [script("lesson.css", "shelves.css", "words.css")]

    def __init__(self, on_ask: Callable[[str, Any], None] | None = None, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._ask = on_ask

    def receive(self, data: Any) -> None:
        """Do what was clicked; only what is on the card can be asked for."""
        ((what, about),) = data.items()
        links = sum("href" in span for spans in self.paragraphs for span in spans)
        numbers = [lesson["number"] for shelf in self.shelves for lesson in shelf["lessons"]]
        offered = {
            "link": about in range(links),
            "step": (about == 1 and bool(self.after)) or (about == -1 and bool(self.before)),
            "choose": about in numbers,
            "file": bool(self.shelves),
            "reset": True,
        }
        if self._ask is not None and offered.get(what):
            self._ask(what, about)


class EndCard(Component):
    """What was found in a lesson, what to remember and to try, and where to go on.

    `on_next` is called to open the next lesson.
    """

    found = param.String(default="", doc="What was found, in a few words.")
    how = param.String(default="", doc="Where, and with how many measurements.")
    remember = param.String(default="", doc="One sentence, or empty.")
    attempt = param.String(default="", doc="What to try, or empty.")
    next = param.String(default="", doc="The next lesson; empty if there is none to go to.")
    others = param.Boolean(default=False, doc="Whether another lesson can be chosen.")
    slug = param.String(default="", doc="Of the lesson, as on its card.")

    _esm = script("element.js", "stored.js", "progress.js", "ending.js")
    _stylesheets: ClassVar[list[str]] = [script("lesson.css", "ending.css")]

    def __init__(self, on_next: Callable[[], None] | None = None, **params: Any) -> None:
        """Take any parameter above; it is hidden until there is something to say."""
        super().__init__(
            **{"sizing_mode": "stretch_width", "margin": 0, "visible": False, **params}
        )
        self._next = on_next

    def receive(self, data: Any) -> None:
        if self._next is not None and self.next:
            self._next()
