"""A form for settings: their fields in sections, of which those are shown that a run uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.html import escape
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.sentences import number
from ucbpe_app.run.setting import arranged
from ucbpe_app.widgets.fields import COMPACT, BoxesField, ChoiceField, Field, NumberField
from ucbpe_app.widgets.slider_field import LogSliderField

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.run.setting import Row, Setting, SpecSettings
    from ucbpe_core import UCBPEError
    from ucbpe_core.gp.fitting import Fit

# Where the page has another word than links and lessons, which keep theirs.
_HEADINGS = {"Belief": "Prior", "Joined": "Second kernel"}
_CAPTION = ".markup { font-size: 0.75rem; line-height: 1.66; letter-spacing: 0.03333em; }"


class SettingsForm(pn.viewable.Viewer):
    """A field for each of the `entries`, bound to `settings`.

    A setting is shown for the choices that use it, a heading while anything under it is shown.
    Nothing is laid out before the form is, and a row when a field of it is first shown. What the
    settings do not accept is reported at its field.

    Parameters
    ----------
    settings : what the fields show and change
    entries : the settings: how each is set, where its field is, and which choices use it
    own : fields made elsewhere, by the name of their setting
    under : what else is under a setting or, by its heading, at the end of a section
    kept : the text after an error
    """

    def __init__(
        self,
        settings: SpecSettings[Any],
        entries: Mapping[str, Setting],
        *,
        own: Mapping[str, Field] | None = None,
        under: Mapping[str, Sequence[Viewable]] | None = None,
        kept: str = Field.kept,
    ) -> None:
        super().__init__()
        self.settings, self.entries, self.under = settings, entries, under or {}
        self.fields = {name: (own or {}).get(name) or self._field(name) for name in entries}
        for field in self.fields.values():
            field.kept = kept
        self.headings: dict[str, Viewable] = {}
        self._sections = arranged(entries)
        self._hidden: frozenset[str] = frozenset()
        self._laid_out: dict[Row, list[Viewable]] = {}
        self._panel: pn.Column | None = None
        self.show_used()
        deciders = {entry.shown_for[0] for entry in entries.values() if entry.shown_for}
        settings.param.watch(self.show_used, sorted(deciders & set(settings.param)))

    def __panel__(self) -> pn.Column:
        if self._panel is None:
            self._panel = self._make_panel()
            self.show_used()
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
            used = self.entries[name].used(self.settings)
            field.show(visible=used and name not in self._hidden)
        if self._panel is not None:
            self._lay_out_new(self._panel)
        for title, heading in self.headings.items():
            names = [name for row in self._sections[title] for name in row]
            shown = [name for name in names if self.fields[name].visible]
            # The name of the first field can be that of the section already.
            repeated = bool(shown) and self.settings.param[shown[0]].label == title
            below = any(part.visible for part in self.under.get(title, ()))
            heading.visible = not repeated and (bool(shown) or below)

    def _lay_out_new(self, panel: pn.Column) -> None:
        before = len(self._laid_out)
        for row in (row for rows in self._sections.values() for row in rows):
            if row not in self._laid_out and any(self.fields[name].visible for name in row):
                self._laid_out[row] = self._lay_out(row)
        if len(self._laid_out) > before:
            self._fill(panel)

    def _field(self, name: str) -> Field:
        if isinstance(self.settings.param[name], param.ListSelector):
            return BoxesField(self.settings, name)
        if isinstance(self.settings.param[name], param.Selector):
            return ChoiceField(self.settings, name)
        if self.entries[name].slider:
            return LogSliderField(self.settings, name)
        return NumberField(self.settings, name)

    def _make_panel(self) -> pn.Column:
        return pn.Column(sizing_mode="stretch_width", margin=0)

    def _lay_out(self, row: Row) -> list[Viewable]:
        """The parts for a row of settings, from the top down."""
        fields = [self.fields[name].parts for name in row]
        return fields[0] if len(row) == 1 else [side_by_side(fields)]

    def _fill(self, panel: pn.Column) -> None:
        """Lay out the sections."""
        if not self.headings:
            titles = filter(None, self._sections)
            self.headings = {title: group_heading(_HEADINGS.get(title, title)) for title in titles}
        panel.objects = [
            part
            for title in self._sections
            for part in (*([self.headings[title]] if title else []), *self._section(title))
        ]

    def _section(self, title: str) -> list[Viewable]:
        """The parts under a heading."""
        parts: list[Viewable] = []
        for row in self._sections[title]:
            if row in self._laid_out:
                parts.extend(self._laid_out[row])
                parts.extend(part for name in row for part in self.under.get(name, ()))
        return [*parts, *self.under.get(title, ())]


def group_heading(text: str) -> Markup:
    """The title of a group of settings."""
    return Markup(escape(text), margin=(6, 0, 0, 0))


def caption(text: str = "", **options: Any) -> Markup:
    """Small text, below what it is about."""
    return Markup(escape(text), stylesheets=[_CAPTION], **options)


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


def words_of_fit(fit: Fit, n: int) -> str:
    """What a fit to n measurements found."""
    if fit.winner == "unchanged":
        return f"{n} measurements: none of the {len(fit.starts)} searches improved on these values."
    named = {
        "given": "the present values",
        "data": "the scales of the data",
        "little noise": "little noise",
    }
    start = named.get(fit.winner, fit.winner.replace(" ", " start "))
    return (
        f"{n} measurements: log likelihood {number(fit.given)} → "
        f"{number(fit.log_marginal_likelihood)}, found from {start} ({len(fit.starts)} tried)."
    )
