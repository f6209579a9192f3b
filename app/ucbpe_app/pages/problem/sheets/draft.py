"""A table with what a person has said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from ucbpe_app.pages.problem.sheets.columns import read_lines, without
from ucbpe_app.pages.problem.sheets.table import Choice, Role, choose, is_open, unreadable
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ucbpe_app.pages.problem.sheets.columns import Column, Sheet
    from ucbpe_app.pages.problem.sheets.table import Cell


@dataclass(frozen=True, eq=False)
class Draft:
    """A table with what a person has said of it.

    Attributes
    ----------
    whole : the sheet as it was read
    roles : what each column is for
    left_out : the lines of the rows left out
    confirmed : whether a person said which column is the value
    settled : names of the columns of text whose use a person said
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
    def chosen(self) -> Choice | InputError:
        """The candidates, or what keeps them from being used."""
        try:
            return choose(self.sheet, self.roles)
        except InputError as error:
            return error

    @property
    def choice(self) -> Choice | None:
        """The candidates, if they can be used."""
        return self.chosen if isinstance(self.chosen, Choice) else None

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        """The cells that keep their row from being used."""
        return unreadable(self.sheet, self.roles)

    @property
    def open_text(self) -> Column | None:
        """A column of text that may be an input, and nobody has said whether it is."""
        open_columns = (column for column in self.sheet.columns if is_open(column))
        return next((column for column in open_columns if column.name not in self.settled), None)

    @property
    def ready(self) -> bool:
        """Whether there is a choice, and nothing left to be said."""
        return self.choice is not None and self.confirmed and self.open_text is None

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
