"""Your problem: what a person may say of how a file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.fields import COMPACT
from ucbpe_app.pages.form import group_heading
from ucbpe_app.pages.problem.layout import column
from ucbpe_app.pages.problem.sheets.dialect import DECIMALS, SEPARATORS, Reading
from ucbpe_app.pages.problem.sheets.times import MINUTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from panel.viewable import Viewable

    from ucbpe_core import UCBPEError

_DETECT = "detect"
# The label of each field of `Reading`, and the words for its values.
_FIELDS: dict[str, tuple[str, dict[Any, str]]] = {
    "separator": ("Separator", SEPARATORS),
    "decimal": ("Decimal", DECIMALS),
    "header": ("First line", {True: "names", False: "data"}),
    "minutes": ("Times", MINUTES),
}


class WorksheetChoice(pn.viewable.Viewer):
    """Which worksheet of a workbook is read; there if it has several in sight.

    `read` is called when a person has chosen.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        super().__init__()
        self.select = pmui.Select(label="Worksheet", options=[], visible=False, **COMPACT)
        self.select.param.watch(lambda _: read(), "value")

    def __panel__(self) -> Viewable:
        return self.select

    @property
    def asked(self) -> str | None:
        """What a person has asked for; None for the first, which is read unasked."""
        names, name = self.select.options, self.select.value
        return None if not names or name == names[0] else name

    def offer(self, names: Sequence[str], name: str | None) -> None:
        """Offer these, with this one chosen, or else the first."""
        first = names[0] if names else None
        self.select.param.update(options=list(names), value=name or first, visible=len(names) > 1)

    def others(self, error: UCBPEError | None) -> str:
        """Where the table may be, if the one that is read cannot be used."""
        names = [name for name in self.select.options if name != self.select.value]
        if error is None or not names:
            return ""
        return f"Worksheet {self.select.value} was read. Others to choose: {', '.join(names)}."


class ReadingForm(pn.viewable.Viewer):
    """How a file is read: each setting as detected, unless a person has chosen.

    `read` is called when one has.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        super().__init__()
        self.worksheet = WorksheetChoice(read)
        self.selects = {name: _select(name) for name in _FIELDS}
        for select in self.selects.values():
            select.param.watch(lambda _: read(), "value")
        self._heading = group_heading("How it is read")
        self._panel = column(self._heading, self.worksheet, *self.selects.values())

    def __panel__(self) -> Viewable:
        return self._panel

    @property
    def asked(self) -> Reading:
        """What a person has asked for."""
        values = {name: select.value for name, select in self.selects.items()}
        chosen = {name: None if value == _DETECT else value for name, value in values.items()}
        return Reading(**chosen, worksheet=self.worksheet.asked)

    def offer(self, asked: Reading, worksheets: Sequence[str], *, table: bool) -> None:
        """Show what is asked for of a file; of ranges, which are no table, nothing can be."""
        self._heading.visible = table
        self.worksheet.offer(worksheets, asked.worksheet)
        open_fields = _open_fields(asked, worksheets) if table else ()
        for name, select in self.selects.items():
            value = getattr(asked, name)
            select.param.update(
                visible=name in open_fields, value=_DETECT if value is None else value
            )

    def facts(self, read: Reading) -> list[tuple[str, str]]:
        """How a table was read, in words."""
        names = _open_fields(read, self.worksheet.select.options)
        return [(_FIELDS[name][0], _FIELDS[name][1][getattr(read, name)]) for name in names]


def _select(name: str) -> pmui.Select:
    label, choices = _FIELDS[name]
    options = {"detected": _DETECT, **{text: key for key, text in choices.items()}}
    return pmui.Select(label=label, options=options, value=_DETECT, **COMPACT)


def _open_fields(reading: Reading, worksheets: Sequence[str]) -> list[str]:
    """What there is to say: no separators of a workbook, nothing of times without any."""
    closed = {"separator": bool(worksheets), "minutes": reading.minutes is None}
    return [name for name in _FIELDS if not closed.get(name)]
