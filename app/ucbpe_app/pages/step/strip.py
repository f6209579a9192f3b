"""The settings above the pictures: those that are explored by dragging."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.private.panel import Region
from ucbpe_app.theme import style, styled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Accepting, Field
    from ucbpe_app.run.setting import Row

# By the name of their region. All in one row from 1280 px on, which the variance would break.
EXPLORED: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {
        "Kernel": (("kernel", "lengthscale", "noise_variance"),),
        "Confidence": (("schedule", "beta", "scale"),),
    }
)
_WIDTH = 112  # px: of a choice or a number
_SLIDER = "clamp(64px, (100vw - 1000px) / 4, 160px)"


class SettingsStrip(SettingsForm):
    """Kernel and confidence in one row: each number with its slider beside it.

    `beside` stands at the end of the group of its name.
    """

    def __init__(self, settings: Accepting, beside: Mapping[str, Sequence[Viewable]]) -> None:
        super().__init__(settings, EXPLORED, under=beside)

    def _layout(self) -> pn.Column:
        groups = [
            Region(
                *(_cell(self.fields[name]) for row in rows for name in row),
                *self._under.get(title, ()),
                label=title,
                margin=0,
                **style("lab-strip-group"),
            )
            for title, rows in self._sections.items()
        ]
        return styled("lab-strip-groups", *groups, margin=0)


def _cell(field: Field) -> pn.Row:
    """A field, its slider beside it."""
    control, *slider = field.parts
    control.param.update(sizing_mode=None, width=_WIDTH)
    for part in slider:
        part.param.update(sizing_mode=None, styles={"width": _SLIDER}, margin=(14, 6, 0, 10))
    return pn.Row(*field.parts, margin=0, align="center")
