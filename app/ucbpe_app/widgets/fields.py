"""One control per setting. Each refuses invalid values, with a notice at the control."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.notation import sentences
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError
from ucbpe_core.tables.numbers import is_ambiguous, typed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from panel.viewable import Viewable

    from ucbpe_app.run.setting import SpecSettings

# A notice at a field in a row lies over what is below it, so that a wrong value moves nothing. In a
# column, as on a narrow screen, the next field is below: there the notice has its own place.
NOTICE = {
    "@media (min-width: 1000px)": {
        "& .MuiFormHelperText-root.Mui-error": {
            "position": "absolute", "top": "calc(100% + 2px)", "zIndex": 1, "width": "100%",
            "margin": 0, "padding": "4px 8px", "boxSizing": "border-box",
            "border": "1px solid", "borderRadius": "4px", "backgroundColor": "background.paper",
            "boxShadow": 3, "pointerEvents": "none",
        }
    }
}  # fmt: skip
# What every control shares: PMUI's default width of 300 px would break the column.
COMPACT: dict[str, Any] = {
    "size": "small",
    "sizing_mode": "stretch_width",
    "width": None,
    "margin": (6, 0),
}
_BOXES = {
    "& .MuiFormControlLabel-root": {"minHeight": "28px"},
    "& .MuiTypography-root": {"fontSize": "0.875rem"},
    "& .MuiFormLabel-root": {"fontSize": "0.75rem"},
    "& .MuiCheckbox-root": {"padding": "2px 8px"},
}
_WRONG = (
    ":host { color: var(--mui-palette-error-main, #d32f2f);"
    " font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif); } p { margin: 4px 0; }"
)
_WRITTEN_OUT = 1e7  # larger numbers are written with an exponent


def shown(value: float) -> str:
    """A number as its text field shows it: four significant digits, 40000 and not 4e+04."""
    text = f"{value:.4g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < _WRITTEN_OUT else text


class Field(ABC):
    """A control bound to one setting; `show_error` shows an error at it, the next edit clears it.

    The control is made when it is first asked for: of a form's fields a run uses half.
    `kept` is the text after an error: what stays as it was.
    """

    kept = "The run is kept."

    def __init__(self, settings: SpecSettings[Any], name: str) -> None:
        self.settings, self.name = settings, name
        self.visible = True
        self._syncing = False
        settings.param.watch(self._follow, name)

    @cached_property
    def control(self) -> Any:
        """The widget that shows the setting."""
        control = self._make(str(self.settings.param[self.name].label))
        control.visible = self.visible
        control.param.watch(self._edit, "value")
        return control

    @abstractmethod
    def _make(self, label: str) -> Any:
        """A widget with the setting's value."""

    @property
    def _made(self) -> bool:
        return "control" in vars(self)

    @property
    def parts(self) -> list[Viewable]:
        """What is to be laid out, one below the other."""
        return [self.control]

    def show(self, *, visible: bool) -> None:
        """Show the field, or leave it out."""
        self.visible = visible
        if self._made:
            for part in self.parts:
                part.visible = visible

    def show_error(self, error: UCBPEError) -> None:
        """Say at the control what was expected, what was found and what to do."""
        message = f"{sentences(error)} {self.kept}".strip()
        self.control.param.update(error_state=True, helper_text=message)

    def accepted(self) -> None:
        """Remove the notice."""
        if self._made and self.control.error_state:
            self.control.param.update(error_state=False, helper_text="")

    def read(self, value: Any) -> Any:
        """The setting that a control's value stands for."""
        return value

    def write(self, value: Any) -> Any:
        """The control's value for a setting."""
        return value

    def resync(self) -> None:
        """Show the setting as it is, without a notice."""
        self._show(getattr(self.settings, self.name))
        self.accepted()

    def _edit(self, event: param.parameterized.Event) -> None:
        if self._syncing or event.new == self.write(getattr(self.settings, self.name)):
            self.accepted()
            return
        try:
            value = self.read(event.new)
        except UCBPEError as error:
            self.show_error(error)
        else:
            self.propose(value)

    def propose(self, value: Any) -> None:
        """Set the setting, or show why not."""
        try:
            self.settings.accept(**{self.name: value})
        except UCBPEError as error:
            self.show_error(error)
        else:
            self.accepted()

    def _follow(self, event: param.parameterized.Event) -> None:
        self._show(event.new)

    def _show(self, value: Any) -> None:
        if not self._made:
            return
        self._syncing = True
        try:
            self.control.value = self.write(value)
        finally:
            self._syncing = False


class ChoiceField(Field):
    """A choice among the objects of a selector."""

    def _make(self, label: str) -> Any:
        value = getattr(self.settings, self.name)
        return pmui.Select(label=label, options=self._options(), value=value, **COMPACT)

    def _options(self) -> dict[str, Any] | list[Any]:
        parameter = self.settings.param[self.name]
        return parameter.names or list(parameter.objects)


class BoxesField(ChoiceField):
    """Some of the objects of a list selector, as boxes to tick. What is refused is not ticked."""

    @cached_property
    def notice(self) -> Markup:
        """What is wrong: boxes have no place for it."""
        return Markup(EMPTY, stylesheets=[_WRONG], margin=0, sizing_mode="stretch_width")

    @property
    def parts(self) -> list[Viewable]:
        return [self.control, self.notice]

    def show_error(self, error: UCBPEError) -> None:
        self._show(getattr(self.settings, self.name))
        self.notice.object = Html('<p role="alert">{}</p>').format(sentences(error))

    def accepted(self) -> None:
        self.notice.object = EMPTY

    def _show(self, value: Any) -> None:
        if self._made:
            self.control.options = self._options()
        super()._show(value)

    def _make(self, label: str) -> Any:
        value = getattr(self.settings, self.name)
        return pmui.CheckBoxGroup(
            label=label, options=self._options(), value=value,
            size="small", margin=(6, 0), sx=_BOXES,
        )  # fmt: skip


class ProblemChoice(ChoiceField):
    """The choice of a problem.

    It is taken by `choose`, which may take a while: a problem has to be made. A refused choice
    leaves its notice and not its name, so that choosing it again tries again.
    """

    def __init__(
        self, settings: SpecSettings[Any], name: str, choose: Callable[[str], Awaitable[None]]
    ) -> None:
        super().__init__(settings, name)
        self._choose = choose

    def show_error(self, error: UCBPEError) -> None:
        self._show(getattr(self.settings, self.name))
        super().show_error(error)

    def _edit(self, event: param.parameterized.Event) -> None:
        if not self._syncing:
            self.accepted()
            pn.state.execute(partial(self._choose, event.new))

    def _follow(self, event: param.parameterized.Event) -> None:
        super()._follow(event)
        self.accepted()


class NumberField(Field):
    """A number typed in, as text, so that nothing is silently clamped or lost.

    A decimal comma is taken as a point, as everywhere; "1,500", which may be either, is refused.
    """

    def __init__(self, settings: SpecSettings[Any], name: str) -> None:
        super().__init__(settings, name)
        self._whole = isinstance(settings.param[name], param.Integer)

    def _make(self, label: str) -> Any:
        value = self.write(getattr(self.settings, self.name))
        return pmui.TextInput(label=label, value=value, **COMPACT)

    def read(self, value: str) -> float | str:
        """The number, or the text itself where it is none: the settings refuse that.

        Raises
        ------
        InputError
            For a number that can be read in two ways.
        """
        if is_ambiguous(value):
            typed(value, str(self.settings.param[self.name].label))  # says how to write it
        try:
            number = typed(value, self.name)
        except InputError:
            try:
                return float(value)  # inf or nan: the settings say that it is not finite
            except ValueError:
                return value
        return int(number) if self._whole and number.is_integer() else number

    def write(self, value: float) -> str:
        return str(value) if self._whole else shown(value)
