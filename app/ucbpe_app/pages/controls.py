"""The settings column: lessons, and every setting of a run with its control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.components.lesson_file import LessonFile
from ucbpe_app.lessons import LARGEST, offered
from ucbpe_app.pages.fields import COMPACT, ChoiceField, Field, LogSliderField, NumberField
from ucbpe_app.pages.setting_fields import SHOWN_FOR, ProblemField, group_heading, side_by_side
from ucbpe_app.run.screen import CONTROLS, GROUPS, SECTIONS, controls_of
from ucbpe_app.run.settings import suggested

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.pages.session import Session

_SLIDERS = ("lengthscale", "variance", "noise_variance", "beta", "scale")


class Controls:
    """Every control, bound to a session. `panel` is the column to lay out."""

    def __init__(self, session: Session, lesson: Lesson) -> None:
        self.session = session
        settings = session.settings
        self.fields: dict[str, Field] = {
            name: self._field(name) for rows in SECTIONS.values() for row in rows for name in row
        }
        self.preset = pmui.Select(
            label="Lesson", options={one.title: one for one in offered()}, value=lesson, **COMPACT
        )
        self.reset = pmui.Button(
            label="Reset settings", variant="text", size="small", margin=(0, 0, 0, -5)
        )
        self.file = LessonFile(largest=LARGEST)
        self.fit = pmui.Button(
            label="Fit by marginal likelihood",
            variant="outlined",
            margin=(8, 0, 4, 0),
            **{key: COMPACT[key] for key in ("size", "sizing_mode", "width")},
        )
        self.fit_notice = pmui.Typography("", variant="caption", visible=False, margin=(0, 0, 6, 0))
        self._headings = {title: group_heading(title) for title in SECTIONS}
        self._hidden: frozenset[str] = frozenset()
        self.panel = self._layout()
        self._choose_visible()
        settings.param.watch(self._choose_visible, sorted({v[0] for v in SHOWN_FOR.values()}))
        settings.param.watch(self._recentre, "problem")
        session.param.watch(self._show_refusal, "refusal")

    def say_of_fit(self, text: str) -> None:
        """Show the outcome of a fit under its button; an empty text removes it."""
        self.fit_notice.param.update(object=text, visible=bool(text))

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        for field in self.fields.values():
            field.resync()

    def hide(self, names: Iterable[str]) -> None:
        """Offer all controls but these, and those of these groups; the settings are kept."""
        self._hidden = controls_of(names)
        for name in ("preset", "reset", "fit"):
            getattr(self, name).visible = name not in self._hidden
        self.file.offer(self.preset.visible)
        self._choose_visible()
        self.panel.visible = not CONTROLS - GROUPS["Layers"] <= self._hidden

    def _field(self, name: str) -> Field:
        settings = self.session.settings
        if name == "problem":
            return ProblemField(self.session.settings, self.session.choose)
        if isinstance(settings.param[name], param.Selector):
            return ChoiceField(settings, name)
        return LogSliderField(settings, name) if name in _SLIDERS else NumberField(settings, name)

    def _layout(self) -> pn.Column:
        beneath = pn.FlexBox(self.reset, self.file, sizing_mode="stretch_width", gap="0 12px")
        parts: list[Any] = [self.preset, beneath]
        for title, rows in SECTIONS.items():
            parts.append(self._headings[title])
            for row in rows:
                parts.extend(self._row(row))
            if title == "Belief":
                parts.extend([self.fit, self.fit_notice])
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)

    def _row(self, names: tuple[str, ...]) -> list[Any]:
        fields = [self.fields[name] for name in names]
        if len(fields) > 1:
            return [side_by_side(field.panel for field in fields)]
        (field,) = fields
        return [field.panel, *([field.slider] if isinstance(field, LogSliderField) else [])]

    def _choose_visible(self, *_: param.parameterized.Event) -> None:
        for name, field in self.fields.items():
            decider, values = SHOWN_FOR.get(name, (name, ()))
            used = not values or getattr(self.session.settings, decider) in values
            visible = used and name not in self._hidden
            field.control.visible = visible
            if isinstance(field, LogSliderField):
                field.slider.visible = visible
        for title, heading in self._headings.items():
            fields = [self.fields[name] for name in GROUPS[title] - {"fit"}]
            heading.visible = any(field.control.visible for field in fields) or (
                title == "Belief" and self.fit.visible
            )

    def _recentre(self, *_: param.parameterized.Event) -> None:
        """Centre the sliders on the suggested values of the problem now chosen."""
        settings = self.session.settings
        for name, value in suggested(settings.problem).items():
            field = self.fields[name]
            if isinstance(field, LogSliderField):
                field.centre(value)

    def _show_refusal(self, event: param.parameterized.Event) -> None:
        if event.new is not None:
            names, error = event.new
            for name in names[:1]:
                self.fields[name].refuse(error)
