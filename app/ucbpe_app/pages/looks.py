"""Policies in HTML and in sentences: the mark as the pictures draw it, and the names."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app.render import legends
from ucbpe_app.render.labels import in_either_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.line_styles import PolicyLook

_PLACE = ' style="vertical-align:-4px;margin-right:4px"'


def symbol(look: PolicyLook) -> str:
    """SVG element of its mark."""
    fill = look.mark.color if look.filled else "none"
    shapes = legends.point(look.mark.marker, fill, line=look.edge, width=1.4)
    return legends.swatch(shapes, _PLACE)


def named(look: PolicyLook, name: str) -> str:
    """HTML of the mark and of the name in its ink."""
    ink = in_either_theme(look.inks)
    return f'{symbol(look)}<b style="color:{ink}">{escape(name)}</b>'


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: A, B and C."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
