"""A table as it was read, and the rows of an experiment with their fields."""

from __future__ import annotations

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
    from ucbpe_app.pages.problem.sheets.columns import Column
    from ucbpe_app.pages.problem.sheets.draft import Draft

_SHOWN = 8  # rows


class SheetView(Component):
    """Hands each use that a person chose to `on_use`, as (column, role, number of the request).

    What is chosen stays in sight until `answered` has its number: what the server sends meanwhile
    is older. Nothing in it is read as markup.

    Not Panel's Tabulator: that has one editor for a whole column, and here a choice stands over
    each.
    """

    columns = param.List([], item_type=dict, doc="Dicts: name, role, kind, numeric, cells, lines.")
    uses = param.List([], item_type=str, doc="The roles to choose from.")
    counted = param.String("line", doc="What the rows are counted by.")
    caption = param.String("The table's first rows", doc="For screen readers.")
    answered = param.Integer(0, doc="The number of the last request that was taken, or was not.")

    _esm = source("dom.js", "sheet.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "sheet.css")]

    def __init__(self, on_use: Callable[[str, Role, int], None]) -> None:
        super().__init__(sizing_mode="stretch_width")
        self._on_use = on_use

    def load(self, draft: Draft | None) -> None:
        """Show another table, or other roles."""
        pairs = () if draft is None else zip(draft.sheet.columns, draft.roles, strict=True)
        lines = () if draft is None else draft.sheet.lines
        self.param.update(
            uses=[] if draft is None else [role.value for role in draft.uses],
            counted="line" if draft is None else draft.counted,
            columns=[_as_dict(column, role, lines) for column, role in pairs],
        )

    def receive(self, data: Any) -> None:
        """Take what a column is for."""
        self._on_use(data["column"], Role(data["role"]), int(data["request"]))


def _as_dict(column: Column, role: Role, lines: Sequence[int]) -> dict[str, Any]:
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
    """A page of rows. What is typed stays in its field until `settle` says that it is recorded.

    `on_ask` takes what a person asks for: to "tell" texts by key with the number of the "request",
    to "remove" the row of a key, or the "action" of a button.
    Each "tell" is to be answered by `settle`, which lets the browser ask again.
    Nothing in it is read as markup.

    Not Panel's Tabulator (6.4, of Panel 1.9.4): a field is there only while its cell is edited, and
    all have one accessible name. What is typed and not entered is lost when the server changes any
    row, and by a reload. Enter does not go on to the next field. On a phone the field is out of
    sight, and the editor does not open where its column is frozen to be in sight.
    """

    page = param.Dict(_EMPTY, doc="A `RowsPage`, as a dict.")
    wanted = param.Integer(0, doc="Which page a person has turned to.")
    caption = param.String("", doc="For screen readers.")
    status = param.String("status", doc="Heading of the statuses; none are shown without.")
    field = param.String("", doc="What a field is for; none without.")
    output = param.String("", doc="Heading of the fields, if it is another.")
    verb = param.String("Record", doc="Of the button.")
    noun = param.String("result", doc="What it records.")
    remove = param.String("", doc="What a button in each row does; none without.")
    actions = param.List([], doc="Buttons beside that one: [name, label, whether it is filled].")
    nothing = param.String("", doc="What to say without rows.")
    identity = param.String("", doc="Of the experiment, whose fields have what is typed.")
    keeps = param.Boolean(False, doc="Whether the browser keeps what is typed.")
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
        self, on_ask: Callable[[RowsView, Mapping[str, Any]], None], **params: Any
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **params)
        self._on_ask = on_ask

    def load(self, page: RowsPage) -> None:
        """Show a page."""
        self.page = page._asdict() | {"rows": [row._asdict() for row in page.rows]}

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
        """Turn to another page, or hand on what is asked for."""
        if "page" in data:
            self.wanted = int(data["page"])
        else:
            self._on_ask(self, data)
