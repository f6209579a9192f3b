"""The pages of the laboratory as links, which take the run on screen along.

Where that is a run on a function of the visitor's own, the links name it, and `kept` hands it over.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import panel as pn

from ucbpe_app.components.kept_function import KeptFunction

if TYPE_CHECKING:
    from collections.abc import Mapping

# A field of the links to other pages from one that shows an experiment, or a table with values
# missing: none of them can show these.
OWN = "own"
_STYLE = Path(__file__).with_name("navigation.css").read_text(encoding="utf-8")


class Navigation:
    """Plain links, so that the browser's own back, forward and open-in-a-tab work.

    Parameters
    ----------
    labels : name of each page in an address -> what the link says; the first is the page without
        a name
    current : name of the page on screen
    query : of the run that the links keep

    Attributes
    ----------
    panel, kept : to be laid out; `kept` shows nothing
    """

    def __init__(self, labels: Mapping[str, str], current: str, query: str = "") -> None:
        self._labels, self._current = labels, current
        self.kept = KeptFunction(query)
        self.panel = pn.pane.HTML(
            "", stylesheets=[_STYLE], margin=0, styles={"flex": "1 1 0", "min-width": "0"}
        )
        self.update(query)

    def update(self, query: str) -> None:
        """Make the links open their pages with the run of `query`."""
        fields = [field for field in parse_qsl(query.removeprefix("?")) if field[0] != "page"]
        links = "".join(self._link(name, label, fields) for name, label in self._labels.items())
        title = f"GP-UCB-PE laboratory: {escape(self._labels[self._current])}"
        self.panel.object = f'<h1>{title}</h1><nav aria-label="Pages">{links}</nav>'

    def _link(self, name: str, label: str, fields: list[tuple[str, str]]) -> str:
        own = [] if name == next(iter(self._labels)) else [("page", name)]
        here = ' aria-current="page"' if name == self._current else ""
        return f'<a href="?{escape(urlencode([*own, *fields]))}"{here}>{escape(label)}</a>'
