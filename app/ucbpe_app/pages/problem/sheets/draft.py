"""A table with what a person has said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from ucbpe_app.pages.problem.sheets.columns import read_lines, without
from ucbpe_app.pages.problem.sheets.table import Choice, Role, choose, is_open, unreadable
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

    def confirm(self) -> Draft:
        """The value column is the one suggested, or there is none yet."""
        return replace(self, confirmed=True)

    def assign(self, roles: Sequence[Role], settled: Sequence[str] = ()) -> Draft:
        """Say what the columns are for; `settled` columns count as answered even if unchanged."""
        if len(roles) != len(self.roles):  # said of a table that is gone
            return self
        pairs = list(zip(self.whole.columns, roles, self.roles, strict=True))
        changed = [column.name for column, now, before in pairs if now is not before]
        chosen = any(now is not before and Role.VALUE in (now, before) for _, now, before in pairs)
        return replace(
            self,
            roles=tuple(roles),
            confirmed=self.confirmed or chosen,
            settled=(*self.settled, *settled, *changed),
        )

    def settle(self, role: Role) -> Draft:
        """Say what the column `open_text` is for: coded as inputs, or a label."""
        column = self.open_text
        if column is None:
            return self
        pairs = zip(self.whole.columns, self.roles, strict=True)
        roles = [role if other.name == column.name else old for other, old in pairs]
        return self.assign(roles, [column.name])

    def leave_out(self, lines: str) -> Draft:
        """Leave out the rows on these lines, as in "5, 12-14", and no others.

        Raises
        ------
        InputError
            For anything else, and if no row is left.
        """
        return self._without(read_lines(lines, self.whole))

    def leave_out_unreadable(self) -> Draft:
        """Leave out also the rows with a cell that cannot be used."""
        return self._without({*self.left_out, *(cell.line for cell in self.unreadable)})

    def _without(self, lines: Iterable[int]) -> Draft:
        draft = replace(self, left_out=tuple(sorted(lines)))
        _ = draft.sheet  # which refuses lines that are not there
        return draft
