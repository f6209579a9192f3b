"""How a legend shows a pinned run over a map."""

from __future__ import annotations

from ucbpe_app import theme
from ucbpe_app.figures import legends

DASH = "dotted"
_DARK, _LIGHT = theme.OVER_FIELD_CASING, theme.OVER_FIELD


def swatch(*, outlined: bool) -> legends.Shapes:
    """The look of it for a legend."""
    if outlined:
        return legends.stroke(_DARK, width=2.6) + legends.stroke(_LIGHT, DASH, 1.6)
    diamond = theme.PE_PICK.marker
    return legends.point(diamond, "none", line=_DARK, width=3) + legends.point(
        diamond, "none", line=_LIGHT, width=1.2
    )
