"""Rows of an experiment, with fields for results."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.views.parts import source
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.pages.problem.rows import RowsPage

_EMPTY = {"names": [], "numeric": [], "rows": [], "page": 0, "pages": 1, "total": 0}


class RowsView(Component):
    """A page of rows. What is typed stays in the browser until `settle` says that it is recorded.

    `on_tell` takes the number of the request and the texts by key, `on_remove` the key of a row.
    Each request is to be answered by `settle`, which lets the browser ask again.
    Nothing in it is read as markup.
    """

    page = param.Dict(_EMPTY, doc="A `RowsPage`, as a dict.")
    wanted = param.Integer(0, doc="Which page a person has turned to.")
    caption = param.String("", doc="For screen readers.")
    status = param.String("status", doc="Heading of the statuses; none are shown without.")
    reasons = param.Boolean(False, doc="Whether the last column has sentences, which may wrap.")
    field = param.String("", doc="Heading of the fields; none without.")
    verb = param.String("Record", doc="Of the button.")
    one = param.String("result", doc="What it records.")
    many = param.String("results", doc="The same for several.")
    remove = param.String("", doc="What a button in each row does; none without.")
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
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **params)
        self._on_tell, self._on_remove = on_tell, on_remove

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
