"""Why this point, in a sentence, and the algorithm with its current line highlighted."""

from __future__ import annotations

from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup
from ucbpe_app.run.glossary import Part, explain, parts

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_app.run.sentences import Line

_CSS = "".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("algorithm.css", "words.css")
)


# The browser's engine fills the same. The value of a line has its place, empty, before it is
# reached, so that nothing moves.
MARKUP = MappingProxyType(
    {
        "item": '<li class="{state}"{current}><code>{text}</code>'
                '<span class="value" title="{value}">{value}</span></li>',
        "current": ' aria-current="step"',
        "steps": "<h2>{title}</h2><ol>{items}</ol>",
        "why": '<section aria-label="Why this point"><h2>Why this point</h2>'
               "<p>{sentence}</p><ol>{item}</ol></section>",
        "term": '<span class="term" role="term" tabindex="0" data-mark="{mark}" title="{meaning}">'
                "{words}</span>",
    }
)  # fmt: skip


class AlgorithmView:
    """Two cards: `why` has the reason and the current line, `steps` all lines.

    ``beneath`` is laid out under the reason, in its card. With ``acting``, terms of the reason
    highlight their marks: explore.js reports them.
    """

    def __init__(
        self, title: str = "Algorithm", beneath: Viewable | None = None, *, acting: bool = False
    ) -> None:
        self._acting = acting
        self._title, self._sentence, self._stop = title, "", ""
        self._stopping = False
        self._lines: tuple[Line, ...] = ()
        self.reason, self.algorithm = _text("reason"), _text("algorithm")
        under, classes = [] if beneath is None else [beneath], ["lab-card", "lab-why"]
        self.why = theme.styled("lab-card", self.reason, *under, css_classes=classes)
        self.steps = theme.styled("lab-card", self.algorithm)
        self._panel = pn.Column(self.why, self.steps, sizing_mode="stretch_width")
        self._draw()

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        return {"why": self.reason, "algorithm": self.algorithm}

    def set_title(self, title: str) -> None:
        """Head the algorithm with the name of the policy."""
        self._title = title
        self._draw()

    def load(self, scene: Scene) -> None:
        """Nothing here depends on the run: `update` brings every word."""

    def update(self, frame: Frame) -> None:
        """Show the reason and highlight the current line."""
        self._sentence, self._stop, self._lines = frame.sentence, frame.stop, frame.lines
        self._draw()

    def show(self, layers: Layers) -> None:
        """Say what the band says to somebody who stops, or not."""
        if layers.stop != self._stopping:
            self._stopping = layers.stop
            self._draw()

    def _draw(self) -> None:
        # One event can highlight two lines (y and R+); the step is then the last, its result.
        lit = [i for i, line in enumerate(self._lines) if line.active][-1:]
        items = "".join(_item(line, step=i in lit) for i, line in enumerate(self._lines))
        self.algorithm.object = MARKUP["steps"].format(title=escape(self._title), items=items)
        item = "".join(_item(self._lines[i], step=False) for i in lit)
        said = f"{self._sentence} {self._stop if self._stopping else ''}".rstrip()
        sentence = acting(said) if self._acting else escape(said)
        self.reason.object = MARKUP["why"].format(sentence=sentence, item=item)


def acting(sentence: str) -> str:
    """A sentence as HTML, its terms marked for explore.js."""
    return "".join(map(_part, parts(sentence)))


def _part(part: Part) -> str:
    words = escape(part.words)
    if part.mark:
        meaning = escape(explain(part.words))
        return MARKUP["term"].format(mark=part.mark, meaning=meaning, words=words)
    return words


def _item(line: Line, *, step: bool) -> str:
    return MARKUP["item"].format(
        state="lit" if line.active else "told" if line.value else "ahead",
        current=MARKUP["current"] if step else "",
        text=escape(line.text),
        value=escape(line.value),
    )


def _text(name: str) -> Markup:
    return Markup(css_classes=[name], stylesheets=[_CSS], margin=0, sizing_mode="stretch_width")
