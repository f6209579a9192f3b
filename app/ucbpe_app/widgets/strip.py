"""Settings in one row above the pictures: with sliders, or as fields side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.private.panel import Region
from ucbpe_app.run.choices import SCHEDULES
from ucbpe_app.run.settings import SETTINGS
from ucbpe_app.theme import SCREEN, style, within
from ucbpe_app.widgets.fields import NOTICE
from ucbpe_app.widgets.form import SettingsForm
from ucbpe_app.widgets.layouts import WIDE
from ucbpe_app.widgets.slider_field import LogSliderField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from panel.viewable import Viewable

    from ucbpe_app.run.setting import Row, Setting, SpecSettings
    from ucbpe_app.widgets.fields import Field

_SCALE = "scale"  # the setting that multiplies beta
# By the name of their region; all in one row from 1280 px on.
EXPLORED: Mapping[str, Setting] = MappingProxyType(
    {
        **{
            name: replace(SETTINGS[name], section="Kernel")
            for name in ("kernel", "lengthscale", "noise_variance")
        },
        "beta": SETTINGS["beta"],
        # Of a constant beta the band is shown, which has the multiplier.
        _SCALE: replace(
            SETTINGS[_SCALE],
            shown_for=("schedule", tuple(name for name in SCHEDULES if name != "Constant")),
        ),
    }
)
QUIET = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_WIDTH = {"width": "100%"}
_GAP = 24  # px at the right of the kernel


class BandField(LogSliderField):
    """A constant beta as how many std the band is wide to either side: sqrt(c beta)."""

    power = 2

    def __init__(self, settings: SpecSettings[Any]) -> None:
        super().__init__(settings, "beta")
        settings.param.watch(lambda _: self.resync(), _SCALE)

    @property
    def factor(self) -> float:
        return 1 / float(getattr(self.settings, _SCALE))

    def _make(self, label: str) -> Any:
        return super()._make("Band: best guess ±")

    def read(self, value: str) -> float | str:
        number = super().read(value)
        return number if isinstance(number, str) else self.factor * number**2

    def write(self, value: float) -> str:
        return super().write((value / self.factor) ** 0.5)

    def _show(self, value: Any) -> None:
        super()._show(value)
        if self._made:
            self.slider.factor = self.factor


class SettingsStrip(SettingsForm):
    """Kernel and confidence in one row: each number above its slider."""

    def __init__(self, settings: SpecSettings[Any]) -> None:
        super().__init__(settings, EXPLORED, own={"beta": BandField(settings)})

    def _make_panel(self) -> pn.Column:
        self._groups = {
            title: Region(label=title, margin=0, **style("lab-group", SCREEN))
            for title in self._sections
        }
        return within("lab-groups", *self._groups.values())

    def _lay_out(self, row: Row) -> list[Viewable]:
        return [_cell(self.fields[name]) for name in row]

    def _fill(self, panel: pn.Column) -> None:
        for title, group in self._groups.items():
            group.objects = self._section(title)


def _cell(field: Field) -> Viewable:
    """A field, its slider below it."""
    control, *slider = field.parts
    width = _WIDTH if slider else {"width": "96px"}
    margin = (0, 0 if slider else _GAP, 0, 0)
    if isinstance(field, BandField):
        width = {**_WIDTH, "--unit": '"std"', "--box": "2.4em"}
    control.param.update(
        sizing_mode=None,
        margin=margin,
        variant="standard",
        styles=width,
        stylesheets=[QUIET],
        sx=NOTICE,
    )
    for part in slider:
        part.param.update(sizing_mode=None, height=20, styles=_WIDTH, margin=margin)
    visible = control.param.visible  # a column of what is hidden would keep a gap
    if not slider:
        return control
    return pn.Column(*field.parts, margin=0, visible=visible, **style("lab-slider", SCREEN))


# px: of a field, by what it and its label need.
_FIELDS: Mapping[str, int] = MappingProxyType(
    {"problem": 224, "policy": 160, "replicates": 72, "scale": 88, "results": 120, "durations": 112}
)
_FIELD = 80  # of the others
_SIDE_BY_SIDE = QUIET + Path(__file__).with_name("field_strip.css").read_text(encoding="utf-8")


class FieldStrip(SettingsForm):
    """A field for each of these settings, side by side."""

    def __init__(
        self, settings: SpecSettings[Any], entries: Mapping[str, Setting], **options: Any
    ) -> None:
        """Take the options of a form."""
        plain = {name: entry.plain() for name, entry in entries.items()}
        super().__init__(settings, plain, **options)

    def _make_panel(self) -> pn.Column:
        return WIDE.column("wide-fields")

    def _lay_out(self, row: Row) -> list[Viewable]:
        (name,) = row
        control = self.fields[name].control
        control.param.update(
            sizing_mode=None, width=_FIELDS.get(name, _FIELD), margin=(2, 8, 2, 0),
            variant="standard", stylesheets=[_SIDE_BY_SIDE], sx=NOTICE,
        )  # fmt: skip
        return [control]
