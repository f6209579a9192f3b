"""A table as it was read, with a choice for each column of what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.sheets.columns import Kind
from ucbpe_app.pages.problem.sheets.table import Role
from ucbpe_app.pages.problem.views.parts import source
from ucbpe_app.private.panel import Component
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.pages.problem.sheets.columns import Column
    from ucbpe_app.pages.problem.sheets.parse import Sheet

_SHOWN = 8  # rows


class SheetView(Component):
    """Hands the roles that a person chose to `on_roles`. Nothing in it is read as markup."""

    columns = param.List([], item_type=dict, doc="Dicts: name, role, kind, numeric, cells, lines.")
    uses = param.List([role.value for role in Role], doc="The roles to choose from.")
    caption = param.String("The table's first rows", doc="For screen readers.")

    _esm = source("dom.js", "sheet.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "sheet.css")]

    def __init__(self, on_roles: Callable[[tuple[Role, ...]], None]) -> None:
        super().__init__(sizing_mode="stretch_width")
        self._on_roles = on_roles

    def load(self, sheet: Sheet | None, roles: Sequence[Role]) -> None:
        """Show another sheet, or other roles."""
        found = () if sheet is None else sheet.columns
        lines = () if sheet is None else sheet.lines
        self.columns = [_told(one, role, lines) for one, role in zip(found, roles, strict=True)]

    def receive(self, data: Any) -> None:
        """Take the roles."""
        self._on_roles(tuple(Role(role) for role in data["roles"]))


def _told(column: Column, role: Role, lines: Sequence[int]) -> dict[str, Any]:
    extent = column.extent
    kind = column.kind.value
    if column.kind is Kind.FAULTY:
        kind = f"numbers, {len(column.faults)} unreadable"
    if extent is not None and column.kind in (Kind.NUMBERS, Kind.PARTLY, Kind.FAULTY):
        kind = f"{kind}, {number(extent[0])} to {number(extent[1])}"
    return {
        "name": column.name,
        "role": role.value,
        "kind": kind,
        "numeric": column.kind is not Kind.TEXT,
        "cells": list(column.cells[:_SHOWN]),
        "lines": list(lines[:_SHOWN]),
    }
