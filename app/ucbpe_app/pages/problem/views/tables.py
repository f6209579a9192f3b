"""A table as it was read, and the rows of an experiment with their fields."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.sheets.columns import Kind
from ucbpe_app.pages.problem.sheets.table import Role
from ucbpe_app.pages.problem.views.parts import source
from ucbpe_app.private.panel import Component
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ucbpe_app.pages.problem.rows import RowsPage
    from ucbpe_app.pages.problem.sheets.columns import Column, Sheet

_SHOWN = 8  # rows


class SheetView(Component):
    """Hands the roles that a person chose to `on_roles`. Nothing in it is read as markup.

    Not Panel's Tabulator: that has one editor for a whole column, and here a choice stands over
    each.
    """

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


_EMPTY = {"names": [], "kinds": [], "rows": [], "page": 0, "pages": 1, "total": 0}


class RowsView(Component):
    """A page of rows. What is typed stays in the browser until `settle` says that it is recorded.

    `on_tell` takes the number of the request and the texts by key, `on_remove` the key of a row,
    `on_action` the name of a button.
    Each request is to be answered by `settle`, which lets the browser ask again.
    Nothing in it is read as markup.

    Not Panel's Tabulator: what is typed there and not entered is lost by a reload, its cells are
    28 px high and have no accessible name, and on a phone the field is out of sight.
    """

    page = param.Dict(_EMPTY, doc="A `RowsPage`, as a dict.")
    wanted = param.Integer(0, doc="Which page a person has turned to.")
    caption = param.String("", doc="For screen readers.")
    status = param.String("status", doc="Heading of the statuses; none are shown without.")
    field = param.String("", doc="What a field is for; none without.")
    output = param.String("", doc="Heading of the fields, if it is another.")
    verb = param.String("Record", doc="Of the button.")
    one = param.String("result", doc="What it records.")
    many = param.String("results", doc="The same for several.")
    remove = param.String("", doc="What a button in each row does; none without.")
    actions = param.List([], doc="Buttons beside that one: [name, label, whether it is filled].")
    nothing = param.String("", doc="What to say without rows.")
    store = param.String("", doc="Where the browser keeps what is typed; nowhere if empty.")
    parted = param.Boolean(False, doc="Whether what is typed in other rows can be recorded too.")
    clears = param.Boolean(False, doc="Whether an empty field makes a value void.")
    faults = param.Dict({}, doc="What is wrong with a field, by its key.")
    fault = param.String("", doc="What is wrong with all of it.")
    settled = param.Dict(
        {"request": 0, "keys": []},
        doc="The number of the last request to record, and the keys of what was recorded.",
    )
    busy = param.Boolean(False, doc="Whether something is under way.")

    _esm = source("dom.js", "rows.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "rows.css")]

    def __init__(
        self,
        on_tell: Callable[[int, dict[str, str]], None],
        on_remove: Callable[[str], None] | None = None,
        on_action: Callable[[str], None] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **params)
        self._on_tell, self._on_remove, self._on_action = on_tell, on_remove, on_action

    def load(self, page: RowsPage) -> None:
        """Show a page."""
        self.page = asdict(page)

    def settle(
        self,
        request: int,
        keys: list[str],
        fault: str = "",
        faults: Mapping[str, str] | None = None,
    ) -> None:
        """Answer a request: what was typed in these fields is recorded, or is wrong."""
        settled = {"request": request, "keys": keys}
        self.param.update(faults=dict(faults or {}), fault=fault, settled=settled)

    def receive(self, data: Any) -> None:
        """Do what was asked for."""
        if "tell" in data:
            texts = {str(key): str(text) for key, text in data["tell"].items()}
            self._on_tell(int(data["request"]), texts)
        elif "page" in data:
            self.wanted = int(data["page"])
        elif "remove" in data and self._on_remove is not None:
            self._on_remove(str(data["remove"]))
        elif "action" in data and self._on_action is not None:
            self._on_action(str(data["action"]))
