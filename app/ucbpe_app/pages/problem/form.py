"""The settings of a simulation or of an experiment on a table of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.pages.fields import COMPACT, ChoiceField, Field, LogSliderField, NumberField
from ucbpe_app.pages.problem.sentences import prior_numbers
from ucbpe_app.pages.problem.settings import KERNELS, is_scaled
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.setting_fields import SHOWN_FOR, group_heading, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pages.problem.settings import PlanSettings

Sections = Mapping[str, tuple[tuple[str, ...], ...]]

_BELIEF = ("kernel", "nu", "lengthscale", "variance", "noise_variance", "mean")
_SHARED: Sections = {
    "Belief": tuple((name,) for name in _BELIEF),
    "Confidence": (("schedule",), ("delta",), ("beta",), ("scale",)),
}
# Headings, and under each the settings, those of a row side by side.
PLAN: Sections = {"Policy": (("goal",), ("policy",), ("batch_size",)), **_SHARED}
SIMULATION: Sections = {
    "Policy": (("policy",), ("batch_size", "batches"), ("initial", "seed"), ("added_noise",)),
    **_SHARED,
}
_SHOWN_FOR = {
    **SHOWN_FOR,
    "lengthscale": ("kernel", tuple(name for name, one in KERNELS.items() if is_scaled(one))),
}
_SLIDERS = ("lengthscale", "variance", "noise_variance", "beta", "scale")


class PlanForm:
    """A control for each setting, in `sections`, and a button that fits the prior."""

    def __init__(self, settings: PlanSettings, sections: Sections) -> None:
        self.settings = settings
        self.fields: dict[str, Field] = {
            name: self._field(name) for rows in sections.values() for row in rows for name in row
        }
        self.fit = pmui.Button(
            label="Fit by marginal likelihood", variant="outlined", margin=(8, 0, 4, 0),
            **{key: COMPACT[key] for key in ("size", "sizing_mode", "width")},
        )  # fmt: skip
        self.found = texts.card("fit")
        self._scales = texts.card("lengthscales")
        self._scales.margin = (0, 0, 10, 0)
        self._inputs: tuple[str, ...] = ()
        self.panel = self._layout(sections)
        self._choose_visible()
        settings.param.watch(self._choose_visible, sorted({v[0] for v in _SHOWN_FOR.values()}))
        settings.param.watch(self._tell_scales, "lengthscale")

    def load(self, inputs: Sequence[str]) -> None:
        """Take the names of another table's inputs, and the settings as they are."""
        self._inputs = tuple(inputs)
        self.found.object = ""
        for field in self.fields.values():
            field.resync()
            if isinstance(field, LogSliderField):
                field.centre(getattr(self.settings, field.name))
        self._tell_scales()

    def refuse(self, names: Sequence[str], error: Any) -> None:
        """Say at the first of these settings what is wrong."""
        for name in names[:1]:
            self.fields[name].refuse(error)

    def _field(self, name: str) -> Field:
        if isinstance(self.settings.param[name], param.Selector):
            return ChoiceField(self.settings, name)
        kind = LogSliderField if name in _SLIDERS else NumberField
        return kind(self.settings, name)

    def _layout(self, sections: Sections) -> pn.Column:
        parts: list[Any] = []
        for title, rows in sections.items():
            parts.append(group_heading(title))
            for row in rows:
                parts.extend(self._row(row))
            if title == "Belief":
                parts.extend([self.fit, self.found])
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)

    def _row(self, names: tuple[str, ...]) -> list[Any]:
        fields = [self.fields[name] for name in names]
        if len(fields) > 1:
            return [side_by_side(field.panel for field in fields)]
        (field,) = fields
        slider = [field.slider] if isinstance(field, LogSliderField) else []
        return [field.panel, *slider, *([self._scales] if field.name == "lengthscale" else [])]

    def _choose_visible(self, *_: param.parameterized.Event) -> None:
        for name, field in self.fields.items():
            decider, values = _SHOWN_FOR.get(name, (name, ()))
            field.control.visible = not values or getattr(self.settings, decider) in values
            if isinstance(field, LogSliderField):
                field.slider.visible = field.control.visible

    def _tell_scales(self, *_: param.parameterized.Event) -> None:
        """The lengthscale of each input, in its own units."""
        if len(self._inputs) == len(self.settings.extent):
            rows = prior_numbers(self.settings.gp(), self._inputs)[: len(self._inputs)]
            plain = [(name.removeprefix("lengthscale of "), text) for name, text in rows]
            self._scales.object = texts.facts("", plain)
