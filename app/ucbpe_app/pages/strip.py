"""The settings above the pictures: those that are explored by dragging."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.pages.fields import NOTICE
from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.private.panel import Region
from ucbpe_app.theme import style, styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Accepting, Field
    from ucbpe_app.run.setting import Row

# By the name of their region. All in one row from 1280 px on, which the variance would break.
EXPLORED: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {
        "Kernel": (("kernel",), ("lengthscale",), ("noise_variance",)),
        "Confidence": (("schedule",), ("beta",), ("scale",)),
    }
)
# px: of a choice or a number, by what it and its label need.
_WIDTHS: Mapping[str, int] = MappingProxyType(
    {"kernel": 160, "lengthscale": 92, "noise_variance": 106, "beta": 56, "scale": 90}
)
_WIDTH = 108  # px: of the others
# Wider than its field, a notice has four lines at most.
_WIDE_NOTICE = {"& .MuiFormHelperText-root.Mui-error": {"width": "224px !important"}}
_LOOK = {
    **NOTICE,
    "& .MuiInputBase-input": {"fontSize": "0.875rem"},
    # A choice with the longest name, "Rational quadratic", is shown whole.
    "& .MuiSelect-select": {"paddingLeft": "10px !important", "paddingRight": "26px !important"},
    "& .MuiSelect-icon": {"right": "2px"},
    **_WIDE_NOTICE,
}


class SettingsStrip(SettingsForm):
    """Kernel and confidence in one row: each number with its slider beside it.

    All sliders have one length, so that the row is full.
    """

    def __init__(self, settings: Accepting) -> None:
        super().__init__(settings, EXPLORED)

    def show_used(self, *events: param.parameterized.Event) -> None:
        super().show_used(*events)
        sliders = sum(len(field.parts) - 1 for field in self.fields.values() if field.visible)
        self._panel.styles = {"--strip-sliders": f"{sliders}"}

    def _make_panel(self) -> pn.Column:
        self._groups = {
            title: Region(label=title, margin=0, **style("lab-strip-group"))
            for title in self._sections
        }
        return styled("lab-strip-groups", *self._groups.values(), margin=0)

    def _lay_out(self, row: Row) -> list[Viewable]:
        return [_cell(self.fields[name]) for name in row]

    def _fill(self) -> None:
        for title, group in self._groups.items():
            group.objects = self._section(title)


def _cell(field: Field) -> Viewable:
    """A field, its slider beside it."""
    control, *slider = field.parts
    control.param.update(
        sizing_mode=None, width=_WIDTHS.get(field.name, _WIDTH), margin=(6, 0, 2, 0), sx=_LOOK
    )
    for part in slider:
        part.param.update(
            sizing_mode=None, styles={"width": "var(--strip-slider)"}, margin=(12, 4, 0, 8)
        )
    return pn.Row(*field.parts, margin=0, align="center") if slider else control
