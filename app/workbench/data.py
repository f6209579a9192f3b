"""The table that a person brings: its text, how it is read, and what its columns are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import param

from app.background import Worker
from app.workbench.decode import decode
from app.workbench.parse import Reading, Sheet, parse
from app.workbench.table import Role, choose, guess
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.workbench.table import Choice


class TableData(Worker):
    """A table, once one has been taken. What cannot be read leaves the table before."""

    title = param.String("Your table", doc="What the table is called.")
    sheet = param.Parameter(None, doc="The `Sheet`, or None.")
    roles = param.Parameter((), doc="What each column is for, a tuple of `Role`.")
    choice = param.Parameter(None, doc="The `Choice` that sheet and roles give, or None.")
    error = param.Parameter(None, doc="Why there is none, or why the last table was not taken.")

    def __init__(self) -> None:
        super().__init__()
        self.remarks: tuple[str, ...] = ()
        self._text = ""

    @property
    def reading(self) -> Reading:
        """How the sheet was read."""
        return self.sheet.reading if self.sheet is not None else Reading()

    async def take(self, content: bytes, title: str) -> bool:
        """Read a table; whether there is a new one."""
        return await self._take(lambda: decode(content), Reading(), title)

    async def read_as(self, reading: Reading) -> bool:
        """Read the same text another way."""
        if not self._text:
            return False
        kept = self._text, self.remarks
        return await self._take(lambda: kept, reading, self.title)

    async def assign(self, roles: Sequence[Role]) -> None:
        """Say what the columns are for."""
        if self.sheet is None or len(roles) != len(self.sheet.columns):
            return
        chosen = tuple(roles)
        choice, error = await self.work(_chosen, self.sheet, chosen)
        self.param.update(roles=chosen, choice=choice, error=error)

    async def _take(
        self, text: Callable[[], tuple[str, tuple[str, ...]]], reading: Reading, title: str
    ) -> bool:
        def read() -> tuple[str, tuple[str, ...], Sheet, tuple[Role, ...]]:
            plain, remarks = text()
            sheet = parse(plain, reading)
            return plain, remarks, sheet, guess(sheet)

        try:
            self._text, self.remarks, sheet, roles = await self.work(read)
        except UCBPEError as error:
            self.error = error
            return False
        choice, fault = await self.work(_chosen, sheet, roles)
        self.param.update(title=title, sheet=sheet, roles=roles, choice=choice, error=fault)
        return True


def _chosen(sheet: Sheet, roles: Sequence[Role]) -> tuple[Choice | None, InputError | None]:
    try:
        return choose(sheet, roles), None
    except InputError as error:
        return None, error
