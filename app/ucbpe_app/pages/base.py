"""What a page is: what main.py puts on the screen for one visitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from panel.viewable import Viewable


class Page(pn.viewable.Viewer):
    """One page, made for one session from the query of its address and its navigation.

    The page alone follows its state, and calls its parts: so a change is drawn once, as one
    message to the browser. `panel` is all of the page below the bar.
    """

    panel: pn.Column

    @property
    def header(self) -> Sequence[Viewable]:
        """What it adds to the bar, right of the navigation."""
        return []

    def __panel__(self) -> pn.Column:
        return self.panel
