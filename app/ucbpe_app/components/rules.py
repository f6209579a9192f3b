"""Two rules side by side, the changed parts marked and the current line lit."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.components.parts import script
from ucbpe_app.html import EMPTY, Html, escape, joined
from ucbpe_app.markup import Markup
from ucbpe_app.private.panel import Region
from ucbpe_app.run.sentences.rules import both_rules
from ucbpe_app.run.sentences.texts import say

if TYPE_CHECKING:
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.sentences.rules import RulePair
    from ucbpe_core import Trace

_CSS = script("rules.css")
_CHANGED = re.compile(r"\*\*(.+?)\*\*")
_TABLE = Html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>")
_HEAD, _BOLD = Html('<th scope="col">{}</th>'), Html("<b>{}</b>")
_ROW, _LIT = Html("<tr{}><td>{}</td><td>{}</td></tr>"), Html(' class="lit" aria-current="step"')


class RulesView:
    """A table of both rules; `panel` is to be laid out."""

    def __init__(self) -> None:
        self._pairs: tuple[RulePair, ...] = ()
        self.table = Markup(stylesheets=[_CSS], margin=0, sizing_mode="stretch_width")

    @cached_property
    def panel(self) -> Region:
        """The table, which scrolls where there is little room."""
        return Region(
            self.table, label="Both rules", scrolls=True, margin=0,
            **theme.style("lab-rules-box", theme.SCREEN),
        )  # fmt: skip

    def load(self, trace: Trace) -> None:
        """Take the rules of another run."""
        self._pairs = both_rules(trace)

    @property
    def offered(self) -> bool:
        """Whether there are two rules to compare."""
        return bool(self._pairs)

    def update(self, event: Event) -> None:
        """Light the lines by which the event is made."""
        heads = (say("both.usual"), say("both.vizier"))
        head = joined(_HEAD.format(title) for title in heads)
        rows = joined(_row(pair, current=pair.current(event)) for pair in self._pairs)
        self.table.object = _TABLE.format(head, rows) if rows else EMPTY


def _row(pair: RulePair, *, current: bool) -> Html:
    # Of the parts that the marks separate, each second one has changed.
    parts = enumerate(_CHANGED.split(pair.other))
    changed = joined(_BOLD.format(part) if i % 2 else escape(part) for i, part in parts)
    return _ROW.format(_LIT if current else EMPTY, pair.usual, changed)
