"""How a page is laid out that compares: settings, a verdict and two columns of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.markup import Markup
from ucbpe_app.private.panel import Region

if TYPE_CHECKING:
    from panel.viewable import Viewable

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def styled(name: str, *objects: Any, **options: Any) -> pn.Column:
    """A column with one of the classes that wide.css documents."""
    return pn.Column(*objects, **{**layout(name), **options})


def region(label: str, name: str, *objects: Any, **options: Any) -> Region:
    """The same as a landmark of this name."""
    return Region(*objects, label=label, **{**layout(name), **options})


def text(name: str, html: str = "") -> Markup:
    """Words in one of these classes."""
    return Markup(html, **layout(name))


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
    body = styled("wide-body", left, right, *over)
    return styled("wide-page", settings, band, body, *below)


def layout(name: str) -> dict[str, Any]:
    """The options of a component in one of these classes."""
    return {
        "css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width", "margin": 0,
    }  # fmt: skip
