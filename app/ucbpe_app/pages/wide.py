"""How a page is laid out that compares: settings, a verdict and two columns of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.pages.sheet import Sheet

if TYPE_CHECKING:
    import panel as pn
    from panel.viewable import Viewable

WIDE = Sheet(Path(__file__).with_suffix(".css"))


def wide_page(
    settings: Viewable,
    band: Viewable,
    left: Viewable,
    right: Viewable,
    *,
    over: tuple[Viewable, ...] = (),
    below: tuple[Viewable, ...] = (),
) -> pn.Column:
    """A page as high as its window.

    Parameters
    ----------
    settings, band : rows as wide as the page
    left, right : the columns under them
    over : lies over the right one, so that what opens there moves nothing
    below : a row always in sight
    """
    body = WIDE.column("wide-body", left, right, *over)
    return WIDE.column("wide-page", settings, band, body, *below)
