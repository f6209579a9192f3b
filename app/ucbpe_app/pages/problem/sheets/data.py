"""The table that a person brings, how it is read and what its columns are for; and examples."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import param

from ucbpe_app.pages.problem.sheets.columns import Sheet
from ucbpe_app.pages.problem.sheets.dialect import Reading, UndecidedError, decode
from ucbpe_app.pages.problem.sheets.omission import Cell, read_lines, unreadable, without
from ucbpe_app.pages.problem.sheets.parse import parse
from ucbpe_app.pages.problem.sheets.table import Choice, Role, choose, guess, is_open
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.pages.problem.sheets.columns import Column
    from ucbpe_core.validation import Floats


@dataclass(frozen=True)
class Example:
    """A named table; `purpose` says what to do with it."""

    name: str
    purpose: str
    text: str


def _extraction(temperature: Floats, time: Floats) -> Floats:
    """A made-up yield in percent, with a narrow best region and a broad second one."""
    best = 34 * np.exp(-(((temperature - 92) / 5) ** 2) - ((time - 6) / 1.8) ** 2)
    broad = 26 * np.exp(-(((temperature - 76) / 14) ** 2) - ((time - 14) / 7) ** 2)
    return 48 + best + broad


def _written(with_yield: Callable[[int], bool]) -> str:
    """Every 2 °C and minute; the yield where it is known."""
    lines = io.StringIO()
    lines.write("setting,temperature (°C),time (min),yield (%)\n")
    number = 0
    for temperature in range(60, 101, 2):
        for time in range(2, 21):
            known = _extraction(np.array(float(temperature)), np.array(float(time)))
            value = f"{float(known):.1f}" if with_yield(number) else ""
            lines.write(f"S{number + 1:03d},{temperature},{time},{value}\n")
            number += 1
    return lines.getvalue()


EXAMPLES = (
    Example(
        "All values known",
        "399 settings of an extraction with the yield of each: simulate policies on it.",
        _written(lambda _: True),
    ),
    Example(
        "Four measured so far",
        "The same settings with four yields: go on as an experiment.",
        _written(lambda number: number in (45, 130, 260, 355)),
    ),
)


@dataclass(frozen=True)
class _Source:
    """A text as it came."""

    text: str
    remarks: tuple[str, ...]
    title: str
    confirmed: bool


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
    settled = param.ClassSelector(
        default=(), class_=tuple, allow_None=False, doc="Columns of text whose use a person said."
    )
    choice = param.ClassSelector(class_=(Choice,), doc="Of sheet, roles and rows left out.")
    error = param.ClassSelector(
        class_=UCBPEError, doc="Why there is none, or why the last table was not taken."
    )

    def __init__(self) -> None:
        super().__init__()
        self.remarks: tuple[str, ...] = ()
        self.asked = Reading()  # how to read the text, as a person has said
        self._source: _Source | None = None  # of the table, or the one that a question is about

    @property
    def shown(self) -> Sheet | None:
        """The sheet without the rows that are left out."""
        return None if self.sheet is None else without(self.sheet, self.left_out)

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        """The cells that keep their row from being used."""
        return () if self.shown is None else unreadable(self.shown, self.roles)

    @property
    def open_text(self) -> Column | None:
        """A column of text of which nobody has said whether it is an input."""
        if self.shown is None:
            return None
        there = (one for one in self.shown.columns if is_open(one))
        return next((one for one in there if one.name not in self.settled), None)

    @property
    def ready(self) -> bool:
        """Whether there is a choice, and nothing left to be said."""
        return self.choice is not None and self.confirmed and self.open_text is None

    @property
    def can_be_read(self) -> bool:
        """Whether there is a text, which another `Reading` may suit."""
        return self._source is not None

    async def load(self, content: bytes, title: str, *, confirmed: bool = False) -> bool:
        """Read a table; whether there is a new one.

        `confirmed` says that its value column is known, as of an example, and need not be asked.
        """
        self.asked = Reading()
        try:
            text, remarks = await self.work(decode, content)
        except UCBPEError as error:
            self.error = error
            return False
        return await self._read(_Source(text, remarks, title, confirmed))

    async def read_as(self, reading: Reading) -> bool:
        """Read the same text another way."""
        if self._source is None:
            return False
        self.asked = reading
        return await self._read(replace(self._source, confirmed=False))

    async def assign(self, roles: Sequence[Role], settled: Sequence[str] = ()) -> None:
        """Say what the columns are for; of the `settled` ones also if it is as before."""
        if self.sheet is None or len(roles) != len(self.sheet.columns):
            return
        chosen = tuple(roles)
        said = _values(chosen) != _values(self.roles)
        pairs = zip(self.sheet.columns, chosen, self.roles, strict=True)
        changed = [one.name for one, now, before in pairs if now is not before]
        choice, error = await self.work(_chosen, self.shown, chosen)
        confirmed = self.confirmed or said
        said_of = (*self.settled, *settled, *changed)
        self.param.update(
            roles=chosen, choice=choice, error=error, confirmed=confirmed, settled=said_of
        )

    async def settle(self, role: Role) -> None:
        """Say what the column `open_text` is for: coded as inputs, or a label."""
        one = self.open_text
        if one is None or self.sheet is None:
            return
        pairs = zip(self.sheet.columns, self.roles, strict=True)
        roles = [role if other.name == one.name else old for other, old in pairs]
        await self.assign(roles, [one.name])

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

    async def _read(self, source: _Source) -> bool:
        reading = self.asked

        def read() -> tuple[Sheet, tuple[Role, ...]]:
            sheet = parse(source.text, reading)
            return sheet, guess(sheet)

        try:
            sheet, roles = await self.work(read)
        except UCBPEError as error:
            if self.sheet is None or isinstance(error, UndecidedError):
                self._source = source  # to be read another way; else the table before can be
            self.error = error
            return False
        choice, fault = await self.work(_chosen, sheet, roles)
        self.remarks = source.remarks
        self._source = replace(source, title="")  # from now on it is called as a person says
        new = {"title": source.title or self.title, "sheet": sheet, "roles": roles, "left_out": ()}
        said = {"confirmed": source.confirmed, "settled": ()}
        self.param.update(**new, **said, choice=choice, error=fault)
        return True


def _values(roles: Sequence[Role]) -> list[int]:
    return [i for i, role in enumerate(roles) if role is Role.VALUE]


def _chosen(sheet: Sheet, roles: Sequence[Role]) -> tuple[Choice | None, InputError | None]:
    try:
        return choose(sheet, roles), None
    except InputError as error:
        return None, error
