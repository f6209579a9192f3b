"""The settings above the pictures: those that are explored by dragging."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.fields import NOTICE
from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.private.panel import Region
from ucbpe_app.run.choices import SCHEDULES
from ucbpe_app.run.screen import SHOWN_FOR
from ucbpe_app.theme import SCREEN, style, within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Accepting, Field
    from ucbpe_app.run.setting import Row

# By the name of their region; all in one row from 1280 px on.
EXPLORED: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {
        "Kernel": (("kernel",), ("lengthscale",), ("noise_variance",)),
        "Confidence": (("schedule",), ("beta",), ("scale",)),
    }
)
# A constant beta needs no multiplier.
_SHOWN_FOR = {
    **SHOWN_FOR,
    "scale": ("schedule", tuple(one for one in SCHEDULES if one != "Constant")),
}
_WIDE = {"width": "var(--slider-width)"}
# A name, and at its right or below it the value, which looks like text until it is pointed at.
_NAME: dict[str, Any] = {
    "position": "absolute", "transform": "none", "fontSize": "var(--small)", "lineHeight": "20px",
    "maxWidth": "none", "color": "text.secondary",
}  # fmt: skip
_VALUE = {"marginTop": "0 !important", "fontSize": "var(--small)", "lineHeight": "20px"}
_NUMBER = {
    **NOTICE,
    "& .MuiInputLabel-root": _NAME,
    "& .MuiInputBase-root": {**_VALUE, "alignSelf": "flex-end", "width": "5.5em"},
    "& .MuiInputBase-input": {"padding": 0, "height": "20px", "textAlign": "right"},
    "& .MuiInputBase-root::before": {"borderBottomStyle": "dotted"},
    # Wider than its field, a notice has four lines at most.
    "& .MuiFormHelperText-root.Mui-error": {
        **NOTICE["@media (min-width: 1000px)"]["& .MuiFormHelperText-root.Mui-error"],
        "width": "224px",
    },
}
_CHOICE = {
    "& .MuiInputLabel-root": {**_NAME, "top": 0},
    "& .MuiInputBase-root": {**_VALUE, "marginTop": "20px !important", "fontSize": "14px"},
    "& .MuiInputBase-root::before, & .MuiInputBase-root::after": {"display": "none"},
    "& .MuiSelect-select": {"padding": "0 24px 0 0 !important", "lineHeight": "20px"},
}


class SettingsStrip(SettingsForm):
    """Kernel and confidence in one row: each number above its slider."""

    def __init__(self, settings: Accepting) -> None:
        super().__init__(settings, EXPLORED, shown_for=_SHOWN_FOR)

    def _make_panel(self) -> pn.Column:
        self._groups = {
            title: Region(label=title, margin=0, **style("lab-group", SCREEN))
            for title in self._sections
        }
        return within("lab-groups", *self._groups.values())

    def _lay_out(self, row: Row) -> list[Viewable]:
        return [_cell(self.fields[name]) for name in row]

    def _fill(self) -> None:
        for title, group in self._groups.items():
            group.objects = self._section(title)


def _cell(field: Field) -> Viewable:
    """A field, its slider below it."""
    control, *slider = field.parts
    shape = {"sizing_mode": None, "margin": 0, "variant": "standard"}
    if not slider:
        control.param.update(**shape, styles={"width": "auto", "min-width": "88px"}, sx=_CHOICE)
        return control
    control.param.update(**shape, styles=_WIDE, sx=_NUMBER)
    slider[0].param.update(sizing_mode=None, height=20, styles=_WIDE, margin=0)
    return pn.Column(*field.parts, margin=0, styles=_WIDE)
