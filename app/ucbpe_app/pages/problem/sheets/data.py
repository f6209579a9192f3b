"""The table that a person brings: its text, how it is read, and what its columns are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import param

from ucbpe_app.pages.problem.sheets.decode import decode
from ucbpe_app.pages.problem.sheets.omission import Cell, read_lines, unreadable, without
from ucbpe_app.pages.problem.sheets.parse import Reading, Sheet, parse
from ucbpe_app.pages.problem.sheets.table import Choice, Role, choose, guess
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class TableData(Worker):
    """A table, once one has been taken. What cannot be read leaves the table before."""

    title = param.String("Your table", doc="What the table is called.")
    sheet = param.ClassSelector(class_=(Sheet,), doc="None before there is one.")
    roles = param.ClassSelector(
        default=(), class_=tuple, allow_None=False, doc="What each column is for: `Role`s."
    )
    left_out = param.ClassSelector(
        default=(), class_=tuple, allow_None=False, doc="Lines of the rows left out."
    )
    confirmed = param.Boolean(False, doc="Whether a person said which column is the value.")
    choice = param.ClassSelector(class_=(Choice,), doc="Of sheet, roles and rows left out.")
    error = param.ClassSelector(
        class_=UCBPEError, doc="Why there is none, or why the last table was not taken."
    )

    def __init__(self) -> None:
        super().__init__()
        self.remarks: tuple[str, ...] = ()
        self.asked = Reading()  # how to read the text, as a person has said
        self._text = ""

    @property
    def shown(self) -> Sheet | None:
        """The sheet without the rows that are left out."""
        return None if self.sheet is None else without(self.sheet, self.left_out)

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        """The cells that keep their row from being used."""
        return () if self.shown is None else unreadable(self.shown, self.roles)

    async def load(self, content: bytes, title: str, *, confirmed: bool = False) -> bool:
        """Read a table; whether there is a new one.

        `confirmed` says that its value column is known, as of an example, and need not be asked.
        """
        return await self._load(lambda: decode(content), Reading(), title, confirmed=confirmed)

    async def read_as(self, reading: Reading) -> bool:
        """Read the same text another way."""
        if not self._text:
            return False
        kept = self._text, self.remarks
        return await self._load(lambda: kept, reading, self.title)

    async def assign(self, roles: Sequence[Role]) -> None:
        """Say what the columns are for."""
        if self.sheet is None or len(roles) != len(self.sheet.columns):
            return
        chosen = tuple(roles)
        said = _values(chosen) != _values(self.roles)
        choice, error = await self.work(_chosen, self.shown, chosen)
        confirmed = self.confirmed or said
        self.param.update(roles=chosen, choice=choice, error=error, confirmed=confirmed)

    def confirm(self) -> None:
        """The value column is the one suggested, or there is none yet."""
        self.confirmed = True

    async def leave_out(self, lines: str) -> bool:
        """Leave out the rows on these lines, as in "5, 12-14", and no others; whether it could."""
        return await self._leave_out(lambda sheet: read_lines(lines, sheet))

    async def leave_out_unreadable(self) -> bool:
        """Leave out also the rows with a cell that cannot be used; whether it could."""
        bad = {cell.line for cell in self.unreadable}
        return await self._leave_out(lambda _: tuple(sorted({*self.left_out, *bad})))

    async def _leave_out(self, find: Callable[[Sheet], tuple[int, ...]]) -> bool:
        if self.sheet is None:
            return False
        try:
            lines = find(self.sheet)
            kept = await self.work(without, self.sheet, lines)
        except InputError as error:
            self.error = error
            return False
        choice, fault = await self.work(_chosen, kept, self.roles)
        self.param.update(left_out=lines, choice=choice, error=fault)
        return True

    async def _load(
        self,
        text: Callable[[], tuple[str, tuple[str, ...]]],
        reading: Reading,
        title: str,
        *,
        confirmed: bool = False,
    ) -> bool:
        self.asked = reading

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
        new = {"title": title, "sheet": sheet, "roles": roles, "left_out": ()}
        self.param.update(**new, choice=choice, error=fault, confirmed=confirmed)
        return True


def _values(roles: Sequence[Role]) -> list[int]:
    return [i for i, role in enumerate(roles) if role is Role.VALUE]


def _chosen(sheet: Sheet, roles: Sequence[Role]) -> tuple[Choice | None, InputError | None]:
    try:
        return choose(sheet, roles), None
    except InputError as error:
        return None, error
