"""The table that a person brings, how it is read and what its columns are for; and examples."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import param

from ucbpe_app.problem.sheets.draft import Draft
from ucbpe_app.problem.sheets.limits import MOST, check_bytes
from ucbpe_app.problem.sheets.ranges import is_ranges, read_ranges
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import guess
from ucbpe_core.tables.workbook import read_content, worksheets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ucbpe_core.tables.table import Table


class Example(NamedTuple):
    """A named table; `purpose` says what to do with it."""

    name: str
    purpose: str
    text: str


def _extraction(temperature: float, time: float) -> float:
    """A made-up yield in percent, with a narrow best region and a broad second one."""
    best = 34 * math.exp(-(((temperature - 92) / 5) ** 2) - ((time - 6) / 1.8) ** 2)
    broad = 26 * math.exp(-(((temperature - 76) / 14) ** 2) - ((time - 14) / 7) ** 2)
    return 48 + best + broad


def _written(measured: Collection[int] | None = None) -> str:
    """Every 2 °C and minute; the yield of the settings that are measured, or else of all."""
    lines = ["setting,temperature (°C),time (min),yield (%)"]
    for number, (temperature, time) in enumerate(product(range(60, 101, 2), range(2, 21))):
        shown = measured is None or number in measured
        value = f"{_extraction(temperature, time):.1f}" if shown else ""
        lines.append(f"S{number + 1:03d},{temperature},{time},{value}")
    return "\n".join(lines) + "\n"


EXAMPLES = (
    Example(
        "All values known",
        "399 settings of an extraction with the yield of each: simulate policies on it.",
        _written(),
    ),
    Example(
        "Four measured so far",
        "The same settings with four yields: go on as an experiment.",
        _written((45, 130, 260, 355)),
    ),
    Example(
        "Ranges",
        "No list yet: give the range of each input, and the settings are listed for you.",
        "temperature (°C): 60 to 100\ntime (min): 2 to 20\nsolvent: water, ethanol\n"
        "yield (%): measured\n",
    ),
)


class _Source(NamedTuple):
    """A file as it came, with its worksheets; without a title it is called as before."""

    content: bytes
    worksheets: tuple[str, ...]
    title: str
    confirmed: bool


class TableData(Worker):
    """A table, once one has been taken. What cannot be read leaves the table before.

    The choices of a person apply in the order in which they were made, each to the result of the
    ones before.
    """

    title = param.String("Your table", doc="What the table is called.")
    draft = param.ClassSelector(class_=(Draft,), doc="None before there is a table.")
    error = param.ClassSelector(
        class_=UCBPEError, doc="Why there is none, or why the last change was not taken."
    )

    def __init__(self) -> None:
        super().__init__()
        self.asked = Reading()  # how to read the file, as a person chose
        self._source: _Source | None = None  # of the table, or the one that a question is about
        self._turn = asyncio.Lock()

    @property
    def can_be_read(self) -> bool:
        """Whether there is a file, which another `Reading` may suit."""
        return self._source is not None

    @property
    def worksheets(self) -> tuple[str, ...]:
        """Those of a workbook that are in sight; none of another file."""
        return () if self._source is None else self._source.worksheets

    async def load(self, content: bytes, title: str, *, confirmed: bool = False) -> bool:
        """Read a table; whether there is a new one.

        `confirmed` says that its value column is known, as of an example, and need not be asked.
        """
        async with self._turn:
            try:
                check_bytes(content)
                names = await self.work(worksheets, content)
            except UCBPEError as error:
                self.error = error
                return False
            self.asked = Reading()
            return await self._read(_Source(content, names, title, confirmed))

    async def read_as(self, reading: Reading) -> bool:
        """Read the same file another way, unless a later request has come by its turn."""
        if self._source is None:
            return False
        self.asked = reading
        async with self._turn:
            if reading != self.asked:
                return False
            return await self._read(self._source._replace(confirmed=False))

    async def change(self, make: Callable[[Draft], Draft]) -> bool:
        """Take what a person says of the table; whether it could be taken."""
        async with self._turn:
            return self.draft is not None and await self._take(partial(make, self.draft))

    async def settled(self) -> Draft | None:
        """The table with all that a person chose for it until now."""
        async with self._turn:
            draft: Draft | None = self.draft
            return draft

    async def _read(self, source: _Source) -> bool:
        reading = self.asked

        def read() -> Draft:
            content = read_content(source.content, reading)
            if is_ranges(content.text):
                return read_ranges(content.text)
            sheet = parse(content.text, content.reading, MOST)
            sheet = replace(sheet, remarks=(*content.remarks, *sheet.remarks))
            return Draft(sheet, guess(sheet), confirmed=source.confirmed)

        before, self._source = self._source, source
        taken = await self._take(read, source.title)
        if taken:
            self._source = source._replace(title="")  # from now on it is called as a person says
        elif not self._is_open(source):
            self._source = before  # the table before can be read another way
        return taken

    def _is_open(self, source: _Source) -> bool:
        """Whether a person may still say how to read a file that was not taken."""
        choice = isinstance(self.error, UndecidedError) or len(source.worksheets) > 1
        return self.draft is None or choice

    async def _take(self, make: Callable[[], Draft], title: str = "") -> bool:
        def made() -> tuple[Draft, Table | InputError]:
            draft = make()
            return draft, draft.chosen

        try:
            draft, chosen = await self.work(made)
        except UCBPEError as error:
            self.error = error
            return False
        fault = chosen if isinstance(chosen, InputError) else None
        self.param.update(title=title or self.title, draft=draft, error=fault)
        return True
