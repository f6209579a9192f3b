"""A table, and what a person chose for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from ucbpe_app.problem.sheets.limits import check_inputs
from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError
from ucbpe_core.tables.columns import without
from ucbpe_core.tables.roles import Role, is_open, unreadable
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ucbpe_core.tables.columns import Column, Sheet
    from ucbpe_core.tables.roles import Cell

_MANY = 4  # texts listed in a sentence
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True, eq=False)
class Draft:
    """A table, and what a person chose for it.

    Attributes
    ----------
    whole : the sheet as it was read
    roles : what each column is for
    left_out : the lines of the rows left out
    confirmed : whether a person chose the column of the value
    settled : names of the columns of text whose use a person chose
    uses, counted : the roles to choose from, and what the rows are counted by
    """

    uses: ClassVar[tuple[Role, ...]] = tuple(role for role in Role if role is not Role.WHOLE)
    counted: ClassVar[str] = "line"

    whole: Sheet
    roles: tuple[Role, ...]
    left_out: tuple[int, ...] = ()
    confirmed: bool = False
    settled: tuple[str, ...] = ()

    @cached_property
    def sheet(self) -> Sheet:
        """The sheet without the rows that are left out."""
        return without(self.whole, self.left_out)

    @cached_property
    def chosen(self) -> Table | InputError:
        """The candidates, or what keeps them from being used."""
        try:
            table = Table.of_sheet(self.sheet, self.roles)
            check_inputs(table)
        except InputError as error:
            return error
        return table

    @property
    def table(self) -> Table | None:
        """The candidates, if they can be used."""
        return self.chosen if isinstance(self.chosen, Table) else None

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        """The cells that keep their row from being used."""
        return unreadable(self.sheet, self.roles)

    @property
    def open_texts(self) -> tuple[Column, ...]:
        """The columns of text that may be inputs, but nobody has confirmed it."""
        open_columns = (column for column in self.sheet.columns if is_open(column))
        return tuple(column for column in open_columns if column.name not in self.settled)

    @property
    def ready(self) -> bool:
        """Whether there is a table, and no question about it is open."""
        return self.table is not None and self.confirmed and not self.open_texts

    @property
    def value(self) -> str | None:
        """The name of the value column; None without one."""
        pairs = zip(self.whole.columns, self.roles, strict=True)
        return next((column.name for column, role in pairs if role is Role.VALUE), None)

    def confirm(self, value: str | None) -> Draft:
        """The value column is `value`, as asked about; no change if it is another by now."""
        return replace(self, confirmed=self.confirmed or value == self.value)

    def assign(self, roles: Mapping[str, Role]) -> Draft:
        """Say what columns are for, by name; the others stay as they are, unknown names count not.

        A column of text counts as answered even if its use stays the same.
        """
        names = [column.name for column in self.whole.columns]
        pairs = [(roles.get(name, old), old) for name, old in zip(names, self.roles, strict=True)]
        chosen = any(now is not before and Role.VALUE in (now, before) for now, before in pairs)
        return replace(
            self,
            roles=tuple(now for now, _ in pairs),
            confirmed=self.confirmed or chosen,
            settled=(*self.settled, *(name for name in names if name in roles)),
        )

    def leave_out(self, lines: str) -> Draft:
        """Leave out the rows on these lines, as in "5, 12-14", and no others.

        Raises
        ------
        InputError
            For anything else, and if no row is left.
        """
        return self._without(read_lines(lines, self.whole))

    def leave_out_unreadable(self, lines: Collection[int]) -> Draft:
        """Leave out also those of these rows that have a cell that cannot be used."""
        unreadable = {cell.line for cell in self.unreadable}
        return self._without({*self.left_out, *unreadable.intersection(lines)})

    def _without(self, lines: Iterable[int]) -> Draft:
        draft = replace(self, left_out=tuple(sorted(lines)))
        _ = draft.sheet  # which refuses lines that are not there
        return draft


def question(column: Column) -> str:
    """What to ask about it."""
    return (
        f"{column.name} is text: {_listed(column.levels)}. Is it an input? As a category, any two "
        "of its texts are equally far apart. If left out, rows that differ only in "
        f"{column.name} are the same to the method."
    )


def _listed(levels: Sequence[str]) -> str:
    more = len(levels) - _MANY
    return ", ".join(levels[:_MANY]) + (f" and {more} more" if more > 0 else "")


def read_lines(text: str, sheet: Sheet) -> tuple[int, ...]:
    """The lines of a sheet that a person named, as in "5, 12-14"; of a range those with a row.

    Raises
    ------
    InputError
        For anything else than whole numbers and ranges of them.
    """
    lines = set[int]()
    joined = re.sub(r"(?<!\s)\s*+[-–]\s*", "-", text.strip())
    for part in filter(None, re.split(r"[,;\s]+", joined)):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise InputError("lines as in 5, 12-14", short(repr(part)), "write numbers of lines")
        first, last = int(match[1]), int(match[2] or match[1])
        if match[2] is None:
            lines.add(first)
        else:
            lines.update(line for line in sheet.lines if first <= line <= last)
    return tuple(sorted(lines))
