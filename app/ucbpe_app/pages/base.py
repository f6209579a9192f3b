"""What a page is: what main.py puts on the screen for one visitor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from panel.viewable import Viewable


class Page(Protocol):
    """One page, made for one session from the query of its address and its navigation."""

    @property
    def panel(self) -> Viewable:
        """All of the page below the bar."""

    @property
    def header(self) -> Sequence[Viewable]:
        """What it adds to the bar, right of the navigation."""
