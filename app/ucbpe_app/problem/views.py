"""Places for a file, a table as it was read, rows with their fields, and what a browser keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component
from ucbpe_app.problem.sheets.limits import MOST_FILE_BYTES
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences import number
from ucbpe_app.widgets.parts import Parts, script
from ucbpe_core.errors import InputError
from ucbpe_core.tables.columns import Kind
from ucbpe_core.tables.roles import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ucbpe_app.problem.rows import RowsPage
    from ucbpe_app.problem.sheets.draft import Draft
    from ucbpe_core.tables.columns import Column


_FOLDER = Path(__file__).parent


def source(*names: str) -> str:
    """Scripts or style sheets of this folder, or else of the components, as one."""
    return script(*names, folder=_FOLDER)


class FileSource(Component):
    """Hands each file that the browser sends to `on_file`, as (name, content).

    Not panel-material-ui's FileInput (0.16): that checks sizes in the browser alone, its server
    puts parts together without a limit, and why a file is refused is in a tooltip, for five
    seconds.
    """

    __abstract = True

    limit = param.Integer(1_000_000, doc="Bytes of a file.")
    fault = param.String("", doc="Why the last file was not taken.")

    _stylesheets: ClassVar[list[str]] = [source("controls.css", "files.css")]

    def __init__(self, on_file: Callable[[str, bytes], None], **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", **params)
        self._on_file, self._parts = on_file, Parts(self.limit)

    def receive(self, data: Any) -> None:
        """Take a part of a file."""
        try:
            content = self._parts.add(data)
        except InputError as error:
            self.fault = sentences(error)
            return
        if content is not None:
            self.fault = ""
            self._on_file(str(data.get("name", "")), content)


class Upload(FileSource):
    """A place for a file, or a text that is pasted. One over `limit` bytes is not sent."""

    label = param.String("Choose a file", doc="What to click on.")
    hint = param.String("or drop it here", doc="The hint next to the button.")
    accept = param.String("", doc="Endings that the browser offers, with commas.")
    paste = param.String("", doc="What a field to paste a text is called; there is none without.")
    example = param.String("", doc="Of such a text.")

    _esm = source("dom.js", "parts.js", "upload.js")


class Steps(Component):
    """Named steps, one of which is on screen."""

    labels = param.Dict({}, doc="Their labels, by name.")
    active = param.String("", doc="Name of the step on screen.")

    _esm = source("dom.js", "focused.js", "steps.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "steps.css")]


class AutosaveBar(Component):
    """Says what is not saved, saves it, and asks before the page is left.

    The file is made in the browser from these parameters, so that it can be saved when the server
    is gone; panel-material-ui's FileDownload (0.16) has to ask the server. `on_csv` is asked for a
    CSV text, `on_zone` gets the browser's time zone.
    """

    identity = param.String("", doc="Of the experiment; nothing is shown without.")
    title = param.String("", doc="What the experiment is called.")
    head = param.String("", doc="Its file up to the steps.")
    journal = param.String("", doc="The rest.")
    entries = param.Integer(0, doc="Of the journal.")
    summary = param.String("", doc="The status in a few words.")
    safe = param.Boolean(True, doc="Whether a file or the browser has all of it.")
    opened = param.Integer(0, doc="Counts the files opened: what came from one is saved.")
    download = param.Dict({}, doc="A CSV file to save: name, text, and a number of its own.")

    _esm = source("dom.js", "database.js", "store.js", "autosave.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "autosave.css")]

    def __init__(self, on_csv: Callable[[], None], on_zone: Callable[[str], None]) -> None:
        super().__init__()
        self._on_csv, self._on_zone = on_csv, on_zone

    def offer(self, name: str, text: str) -> None:
        """Have the browser save a CSV file."""
        number = self.download.get("number", 0) + 1
        self.download = {"name": name, "text": text, "number": number}

    def receive(self, data: Any) -> None:
        """Take a request."""
        if "csv" in data:
            self._on_csv()
        elif "zone" in data:
            self._on_zone(str(data["zone"]))


class SavedExperiments(FileSource):
    """The experiments that this browser has saved; the one to resume is handed on like a file."""

    limit = param.Integer(MOST_FILE_BYTES, doc="Bytes of a file.")
    count = param.Integer(0, doc="A change has the list drawn again.")

    _esm = source("dom.js", "parts.js", "database.js", "store.js", "saved.js")


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
    to "check" texts that were left, to "remove" the row of a key, or the "action" of a button.
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
    actions = param.List([], doc="Further buttons: [name, label, whether it is filled].")
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
    undoes = param.Boolean(False, doc="Whether Ctrl+Z asks for undo, Ctrl+Shift+Z for redo.")
    busy = param.Boolean(False, doc="Whether something is under way.")

    _esm = source("dom.js", "focused.js", "undo_keys.js", "rows.js")
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
