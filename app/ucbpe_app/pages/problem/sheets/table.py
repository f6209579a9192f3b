"""A sheet, and what its columns are for -> candidates, and the values that are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.problem.sheets.columns import Column, Kind
from ucbpe_app.pages.problem.sheets.limits import MOST_INPUTS, check_choice
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.experiment import Table
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pages.problem.sheets.parse import Sheet
    from ucbpe_core.validation import Floats


class Role(StrEnum):
    """What a column is for."""

    INPUT = "input"
    VALUE = "value"
    LABEL = "label"
    CATEGORY = "category (one-hot)"
    UNUSED = "unused"


_UNREADABLE = "fix the cell, leave the row out, or use the column as a label"
_MISSING = "fill it in, or leave the row or the column out"

# Names that say that a column was measured, or only counts the rows.
_VALUES = frozenset({
    "y", "f", "value", "output", "target", "response", "yield", "result", "score", "objective",
    "measured", "measurement", "outcome", "quality",
})  # fmt: skip
_COUNTS = frozenset({
    "id", "index", "candidate", "row", "no", "nr", "no.", "number", "sample", "name", "label",
})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Choice:
    """Candidates, and what is known of them.

    Attributes
    ----------
    table : the candidates with their names and labels
    y : value of each, nan where it is not known, shape (M,); None without a value column
    remarks : what a person should know
    """

    table: Table
    y: Floats | None = field(repr=False)
    remarks: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """How many values are known."""
        return 0 if self.y is None else int(np.count_nonzero(~np.isnan(self.y)))

    @property
    def complete(self) -> bool:
        """Whether every value is known, so that the problem can be simulated."""
        return self.known == len(self.table)


def guess(sheet: Sheet) -> tuple[Role, ...]:
    """A first idea of what the columns are for, by their names and kinds.

    The value column is a suggestion: a person confirms it, or chooses another.
    """
    roles = [_guess(one) for one in sheet.columns]
    values = [i for i, role in enumerate(roles) if role is Role.VALUE]
    for i in values[:-1]:
        numeric = sheet.columns[i].kind in (Kind.NUMBERS, Kind.FAULTY)
        roles[i] = Role.INPUT if numeric else Role.UNUSED
    return tuple(roles)


def _guess(one: Column) -> Role:
    name = one.name.casefold().split("(")[0].split("[")[0].strip()
    if one.kind in (Kind.PARTLY, Kind.EMPTY):
        return Role.VALUE if one.kind is Kind.PARTLY or name in _VALUES else Role.UNUSED
    counts = one.kind is Kind.FAULTY or _counts(one)
    if one.kind is Kind.TEXT or (name in _COUNTS and counts):
        return Role.LABEL
    if one.kind is Kind.CONSTANT:
        return Role.UNUSED
    return Role.VALUE if name in _VALUES else Role.INPUT


def _counts(one: Column) -> bool:
    return len(np.unique(one.values)) == len(one.cells) and bool(
        np.all(one.values == np.round(one.values))
    )


def choose(sheet: Sheet, roles: Sequence[Role]) -> Choice:
    """The candidates of a sheet.

    Raises
    ------
    InputError
        For no input, several value columns, a cell that is no number, a category without a
        text, or a table that is too large or has a single row.
    """
    by_role = {
        role: [c for c, given in zip(sheet.columns, roles, strict=True) if given is role]
        for role in Role
    }
    inputs, values = by_role[Role.INPUT], by_role[Role.VALUE]
    categories = by_role[Role.CATEGORY]
    if not inputs and not categories:
        raise InputError("at least one input", "none", "say which columns are inputs")
    if len(values) > 1:
        names = ", ".join(one.name for one in values)
        raise InputError("one value column at most", names, "keep one of them")
    for one in (*inputs, *values):
        _check_readable(sheet, one, one.faults, "", _UNREADABLE)
        _check_readable(
            sheet, one, one.missing if one in inputs else (), ", which is not a value", _MISSING
        )
    coded = [part for one in categories for part in _coded(sheet, one)]
    columns = [*(one.name for one in inputs), *(name for name, _ in coded)]
    X = np.stack([*(one.values for one in inputs), *(values for _, values in coded)], axis=1)
    labels = [one for one in sheet.columns if one in by_role[Role.LABEL] or one in categories]
    table = Table(
        inputs=tuple(columns),
        candidates=X,
        output=values[0].name if values else "y",
        labels=tuple((one.name, one.cells) for one in labels),
    )
    y = frozen_copy(values[0].values) if values else None
    choice = Choice(table, y, _remarks(columns, X))
    check_choice(choice)
    return choice


def _check_readable(sheet: Sheet, one: Column, bad: Sequence[int], why: str, remedy: str) -> None:
    """Refuse a column that has cells which cannot be used as numbers."""
    if bad:
        others = f" (and {grouped(len(bad) - 1)} cells more)" if len(bad) > 1 else ""
        wanted = f"a number in line {sheet.lines[bad[0]]}, column {one.name}"
        raise InputError(wanted, f"{one.cells[bad[0]]!r}{others}{why}", remedy)


def _coded(sheet: Sheet, one: Column) -> list[tuple[str, Floats]]:
    """A column of texts as inputs: one for each text, 1 where a row has it and 0 elsewhere."""
    if one.missing:
        wanted = f"a text in line {sheet.lines[one.missing[0]]}, column {one.name}"
        raise InputError(
            wanted, repr(one.cells[one.missing[0]]), "fill it in, or leave the row out"
        )
    levels = list(dict.fromkeys(one.cells))
    if len(levels) == 1:
        wanted = f"two texts or more in column {one.name}"
        raise InputError(wanted, repr(levels[0]), "use it as a label")
    if len(levels) > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} different texts in column {one.name}"
        raise InputError(wanted, grouped(len(levels)), "use it as a label")
    return [
        (f"{one.name} = {level}", frozen_copy([float(cell == level) for cell in one.cells]))
        for level in levels
    ]


def _remarks(names: Sequence[str], X: Floats) -> tuple[str, ...]:
    remarks = []
    constant = [name for name, x in zip(names, X.T, strict=True) if np.ptp(x) == 0]
    if constant:
        which = ", ".join(constant)
        remarks.append(f"The same number in every row, so it is not informative: {which}.")
    again = len(X) - len(np.unique(X, axis=0))
    if again:
        rows = "row has" if again == 1 else "rows have"
        said = f"{grouped(again)} {rows} the inputs of another row."
        remarks.append(f"{said} Each stays a candidate.")
    return tuple(remarks)
