"""A form for settings: their fields in sections, of which those are shown that a run uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.pages.fields import COMPACT, ChoiceField, Field, LogSliderField, NumberField
from ucbpe_app.run.screen import SHOWN_FOR, uses
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Accepting
    from ucbpe_app.run.setting import Row
    from ucbpe_core import UCBPEError

# Headings, and under each the settings, those of a row side by side; "" for no heading.
Sections = Mapping[str, "Sequence[Row]"]
# Where the page has another word than links and lessons, which keep theirs.
_HEADINGS = {"Belief": "Prior"}


class SettingsForm(pn.viewable.Viewer):
    """A field for each setting in `sections`, bound to `settings`.

    A setting is shown for the choices that use it, a heading while anything under it is shown.
    What the settings do not accept is told at its field.

    Parameters
    ----------
    settings : what the fields show and change
    sections : where each field stands
    own : fields made elsewhere, by the name of their setting
    under : what else stands under a setting or, by its heading, at the end of a section
    shown_for : (setting that decides, its values for which this one is shown), by setting
    sliders : whether numbers have the slider that `SETTINGS` gives them
    kept : what is said after an error
    """

    def __init__(
        self,
        settings: Accepting,
        sections: Sections,
        *,
        own: Mapping[str, Field] | None = None,
        under: Mapping[str, Sequence[Viewable]] | None = None,
        shown_for: Mapping[str, tuple[str, tuple[str, ...]]] = SHOWN_FOR,
        sliders: bool = True,
        kept: str = Field.kept,
    ) -> None:
        super().__init__()
        self.settings, self._sections = settings, sections
        self._under, self._shown_for, self._sliders = under or {}, shown_for, sliders
        self.fields: dict[str, Field] = {
            name: (own or {}).get(name) or self._field(name)
            for rows in sections.values()
            for row in rows
            for name in row
        }
        for field in self.fields.values():
            field.kept = kept
        self.headings = {
            title: group_heading(_HEADINGS.get(title, title)) for title in sections if title
        }
        self._hidden: frozenset[str] = frozenset()
        self._panel = self._layout()
        self.show_used()
        deciders = {shown_for[name][0] for name in self.fields if name in shown_for}
        settings.param.watch(self.show_used, sorted(deciders))

    def __panel__(self) -> pn.Column:
        return self._panel

    def hide(self, names: Iterable[str]) -> None:
        """Offer all settings but these, which are kept as they are."""
        self._hidden = frozenset(names)
        self.show_used()

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        for field in self.fields.values():
            field.resync()

    def centre(self, values: Mapping[str, Any]) -> None:
        """Centre the sliders of these settings on these values."""
        for name, value in values.items():
            field = self.fields.get(name)
            if isinstance(field, LogSliderField):
                field.centre(value)

    def show_error(self, names: Sequence[str], error: UCBPEError) -> None:
        """Say at the first of these settings what is wrong."""
        for name in names[:1]:
            self.fields[name].show_error(error)

    def show_used(self, *_: param.parameterized.Event) -> None:
        """Show the settings that the choices use, and the headings of what is shown."""
        for name, field in self.fields.items():
            used = uses(self.settings, name, self._shown_for)
            field.show(visible=used and name not in self._hidden)
        for title, heading in self.headings.items():
            fields = [self.fields[name].control for row in self._sections[title] for name in row]
            heading.visible = any(part.visible for part in (*fields, *self._under.get(title, ())))

    def _field(self, name: str) -> Field:
        if isinstance(self.settings.param[name], param.Selector):
            return ChoiceField(self.settings, name)
        below = SETTINGS[name].slider if self._sliders and name in SETTINGS else 0.0
        if below:
            return LogSliderField(self.settings, name, below)
        return NumberField(self.settings, name)

    def _layout(self) -> pn.Column:
        parts: list[Any] = []
        for title, rows in self._sections.items():
            parts.extend([self.headings[title]] if title else [])
            for row in rows:
                fields = [self.fields[name].parts for name in row]
                parts.extend(fields[0] if len(row) == 1 else [side_by_side(fields)])
                parts.extend(part for name in row for part in self._under.get(name, ()))
            parts.extend(self._under.get(title, ()))
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)


def group_heading(text: str) -> Any:
    """The title of a group of settings."""
    return pmui.Typography(text, variant="overline", margin=(6, 0, 0, 0))


def side_by_side(fields: Iterable[Sequence[Viewable]]) -> pn.Row:
    """Fields that share a row, without their sliders."""
    controls = [parts[0] for parts in fields]
    return pn.Row(*controls, sizing_mode="stretch_width", margin=0, styles={"gap": "8px"})


def fit_button() -> Any:
    """The button that fits the prior to the measurements."""
    return pmui.Button(
        label="Fit by marginal likelihood",
        variant="outlined",
        margin=(8, 0, 4, 0),
        **{key: COMPACT[key] for key in ("size", "sizing_mode", "width")},
    )
