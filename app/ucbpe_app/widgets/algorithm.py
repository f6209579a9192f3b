"""Why this point: a sentence, and the algorithm with its current line lit; and a list of words."""

from __future__ import annotations

import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html, escape, joined
from ucbpe_app.render.markup import Markup
from ucbpe_app.render.view import View
from ucbpe_app.run.glossary import GLOSSARY, Part, explain, parts
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    import panel as pn

    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.screen import Layers
    from ucbpe_app.run.sentences import Line

_RULE = re.compile(r":| ←")  # before the rule of a line
_CSS = script("algorithm.css", "words.css")


# The browser's engine fills the same. The value of a line has its place, empty, before it is
# reached, so that nothing moves.
MARKUP = MappingProxyType(
    {
        "item": Html(
            '<li class="{state}" data-look="{look}"{current}><span>{text}</span>'
            '<span class="value" title="{value}">{value}</span></li>'
        ),
        "current": Html(' aria-current="step"'),
        "why": Html(
            '<section aria-label="Why this point"><h2 title="{heading}">{heading}</h2>'
            "<p>{sentence}</p><ol>{items}</ol></section>"
        ),
        "term": Html(
            '<span class="term" role="term" tabindex="0" data-mark="{mark}" title="{meaning}">'
            "{words}</span>"
        ),
    }
)


class AlgorithmView(View):
    """Why this point: the reason, and below it the algorithm; `panel`, or it, is to be laid out.

    With ``acting``, terms of the reason highlight their marks: explore.js reports them.
    """

    def __init__(self, *, acting: bool = False) -> None:
        self._acting, self._stop, self._hides = acting, False, False
        self._words = (False, False)
        self._frame: Frame | None = None
        self.reason = Markup(
            css_classes=["reason"],
            stylesheets=[theme.variables(), _CSS],
            margin=0,
            sizing_mode="stretch_width",
        )

    @cached_property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return theme.within("lab-why", self.reason)

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        return {"why": self.reason}

    def update(self, frame: Frame) -> None:
        """Show the reason and highlight the current line."""
        self._frame = frame
        self._draw()

    def show(self, layers: Layers) -> None:
        """Choose plain words or the field's, and whether to say what the band says of stopping."""
        chosen = layers.words, layers.stop
        changed, (self._words, self._stop) = chosen != (self._words, self._stop), chosen
        if changed and self._frame is not None:
            self._draw()

    def hide_rules(self, *, on: bool) -> None:
        """Name no rule before its event, where a visitor is asked first."""
        changed, self._hides = on != self._hides, on
        if changed and self._frame is not None:
            self._draw()

    def _draw(self) -> None:
        assert self._frame is not None
        reason = self._frame.tell(*self._words)
        # One event can highlight two lines (y and R+); the step is then the last, its result.
        highlight = [i for i, line in enumerate(reason.lines) if line.active][-1:]
        sentence = f"{reason.sentence} {self._frame.stop if self._stop else ''}".rstrip()
        self.reason.object = MARKUP["why"].format(
            heading=reason.heading,
            sentence=acting(sentence) if self._acting else sentence,
            items=joined(
                _item(line, step=i in highlight, bare=self._hides)
                for i, line in enumerate(reason.lines)
            ),
        )


def acting(sentence: str) -> Html:
    """A sentence as HTML, its terms marked for explore.js."""
    return joined(map(_part, parts(sentence)))


def _part(part: Part) -> Html:
    if part.mark:
        meaning = explain(part.words)
        return MARKUP["term"].format(mark=part.mark, meaning=meaning, words=part.words)
    return escape(part.words)


def _item(line: Line, *, step: bool, bare: bool) -> Html:
    reached = bool(line.active or line.value)
    return MARKUP["item"].format(
        state="lit" if line.active else "told" if line.value else "ahead",
        look=line.look,
        current=MARKUP["current"] if step else EMPTY,
        text=line.text if reached or not bare else _RULE.split(line.text)[0],
        value=line.value,
    )


_WORDS = """
:host {
  padding: 8px 16px;
  color: var(--mui-palette-text-primary, #1a1a1a);
  font: 400 0.875rem/1.45 var(--bokeh-base-font, system-ui, sans-serif);
}
summary { font-weight: 600; cursor: pointer; min-height: 32px; }
dl { display: grid; grid-template-columns: fit-content(9rem) 1fr; gap: 4px 12px; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--mui-palette-text-secondary, #5f6368); text-wrap: pretty; }
"""


def glossary() -> Markup:
    """A list of every word, closed at first."""
    entry = Html("<dt>{}</dt><dd>{}</dd>")
    words = joined(entry.format(word.name, word.meaning) for word in GLOSSARY)
    html = Html("<details><summary>Words on this page</summary><dl>{}</dl></details>")
    options = {"stylesheets": [_WORDS], "margin": 0, "sizing_mode": "stretch_width"}
    return Markup(html.format(words), css_classes=["lab-glossary"], **options)
