"""What the columns of a sheet are for -> candidates, and the values that are known."""

from __future__ import annotations

import reprlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.spaces.design import Design
from ucbpe_core.spaces.inputs import Category, Real
from ucbpe_core.support.validation import choice
from ucbpe_core.tables.columns import (
    NUMBERS_PER_FAULT,
    Column,
    Kind,
    coded,
    is_choice,
    lines_words,
    repeats,
    without,
)
from ucbpe_core.tables.limits import MOST_LEVELS
from ucbpe_core.tables.row_numbers import (
    counts_rows,
    is_of_rows,
    last_resort,
    numbers_rows,
    plain_name,
    row_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ucbpe_core.support.validation import Floats
    from ucbpe_core.tables.columns import Sheet


class Role(StrEnum):
    """What a column is for."""

    INPUT = "input"
    LOG = "logarithmic"
    CATEGORY = "category"
    VALUE = "value"
    LABEL = "label"
    UNUSED = "unused"
    WHOLE = "whole number"  # of ranges alone: of a list the numbers are what they are


_NUMBERS = (Role.INPUT, Role.LOG)
_INPUTS = frozenset({*_NUMBERS, Role.CATEGORY})
_MOST = 5  # cells
_FEWEST = 2  # rows: of one there is nothing to choose
# Over a hundredfold range, and fivefold in its middle half of the rows, ratios are what was varied:
# of evenly spread numbers the middle half is threefold. Of fewer rows nothing is guessed.
_RATIO, _MIDDLE, _ROWS = 100.0, 5.0, 8

# Names that say that a column was measured.
_VALUES = frozenset({
    "y", "f", "value", "output", "target", "response", "yield", "result", "score", "objective",
    "measured", "measurement", "outcome", "quality",
})  # fmt: skip


def guess(sheet: Sheet, output: str | None = None) -> tuple[Role, ...]:
    """A first idea of what the columns are for, by their names and kinds.

    The value column is `output`, or else a suggestion: a person confirms it, or chooses another;
    and says of each column for which `is_open` holds whether it is coded. A column that numbers the
    rows is an input only if there is no other.
    """
    roles = [_guess(column) for column in sheet.columns]
    if not {*roles} & _INPUTS:
        for i in last_resort(sheet.columns):
            roles[i] = Role.INPUT
    values = [i for i, role in enumerate(roles) if role is Role.VALUE]
    values.sort(key=lambda i: _likelihood(sheet.columns[i]))
    for i, column in enumerate(sheet.columns):
        if column.name == output:
            roles[i] = Role.VALUE
            values = [*(other for other in values if other != i), i]
    for i in values[:-1]:
        column = sheet.columns[i]
        few = len(column.cells) > NUMBERS_PER_FAULT * len(column.missing)
        numeric = column.kind in (Kind.NUMBERS, Kind.FAULTY) or (column.kind is Kind.PARTLY and few)
        roles[i] = Role.INPUT if numeric else Role.UNUSED
    return tuple(roles)


def assigned(sheet: Sheet, output: str | None, given: Mapping[str, str] | None) -> tuple[Role, ...]:
    """The roles that are given by name, of columns and of the value, and those guessed of the rest.

    Raises
    ------
    InputError
        For a name that no column has, or a role that there is not.
    """
    own = {str(name): role for name, role in (given or {}).items()}
    if output is not None:
        own[output] = Role.VALUE
    names = [column.name for column in sheet.columns]
    if unknown := [name for name in own if name not in names]:
        raise InputError(f"a column among {', '.join(names)}", unknown[0], "name one of them")
    known = [role.value for role in Role if role is not Role.WHOLE]
    said = {name: Role(choice(role, f"role of {name}", *known)) for name, role in own.items()}
    value = next((name for name, role in said.items() if role is Role.VALUE), None)
    return tuple(
        said.get(name, role) for name, role in zip(names, guess(sheet, value), strict=True)
    )


def is_open(column: Column) -> bool:
    """Whether a person has to say if a column of texts is an input."""
    return is_choice(column, identifies=is_of_rows(column))


def _likelihood(column: Column) -> tuple[bool, bool]:
    """How likely a column is the value: by its name; but one that is the same everywhere is less.

    Of equals the last one is.
    """
    return plain_name(column) in _VALUES, column.kind is not Kind.CONSTANT


def _guess(column: Column) -> Role:
    name = plain_name(column)
    if column.kind is Kind.TEXT:
        is_category = is_open(column) and repeats(column) and not column.blank
        return Role.CATEGORY if is_category and not is_of_rows(column) else Role.LABEL
    if numbers_rows(column):
        return Role.LABEL
    if column.kind in (Kind.PARTLY, Kind.EMPTY):
        return Role.VALUE if column.kind is Kind.PARTLY or name in _VALUES else Role.UNUSED
    if name in _VALUES:
        return Role.VALUE
    if counts_rows(column):
        return Role.LABEL
    if column.kind is Kind.CONSTANT:
        return Role.UNUSED
    return Role.LOG if column.kind is Kind.NUMBERS and is_logarithmic(column.values) else Role.INPUT


def is_logarithmic(x: Floats) -> bool:
    """Whether ratios of the numbers x (n,) are what was varied."""
    low, first, third, high = np.quantile(x, [0, 0.25, 0.75, 1]).tolist()
    return len(x) >= _ROWS and 0 < low * _RATIO <= high and third >= _MIDDLE * first


def encoded(sheet: Sheet, roles: Sequence[Role]) -> dict[str, Any]:
    """The fields of a `Table` with the candidates of a sheet.

    Raises
    ------
    InputError
        For no input, several value columns, a cell that is no number, a category without a
        text, or a single row.
    """
    if len(sheet) < _FEWEST:
        raise InputError(f"at least {_FEWEST} rows", str(len(sheet)), "add rows to choose from")
    if bad := unreadable(sheet, roles):
        raise _refused(bad)
    by_role = {
        role: [c for c, assigned in zip(sheet.columns, roles, strict=True) if assigned is role]
        for role in Role
    }
    inputs = [c for c, role in zip(sheet.columns, roles, strict=True) if role in _NUMBERS]
    values, categories = by_role[Role.VALUE], by_role[Role.CATEGORY]
    if not inputs and not categories:
        raise InputError("at least one input", "none", _input_remedy(sheet))
    if len(values) > 1:
        names = ", ".join(column.name for column in values)
        raise InputError("one value column at most", names, "keep one of them")
    parts = [part for column in categories for part in coded(column)]
    logs = by_role[Role.LOG]
    numbers = [np.log10(column.values) if column in logs else column.values for column in inputs]
    X = np.stack([*numbers, *(values for _, values in parts)], axis=1)
    labelled = [*by_role[Role.LABEL], *categories, *logs]
    design = _design(inputs, logs, categories) if logs or categories else None
    titles = tuple(column.name for column in inputs) if design is None else design.columns
    remarks = (*_text_words(sheet, roles), *row_words(by_role[Role.LABEL], inputs))
    return {
        "inputs": titles,
        "candidates": X,
        "output": values[0].name if values else "y",
        "labels": tuple((one.name, one.cells) for one in sheet.columns if one in labelled),
        "design": design,
        "y": values[0].values if values else None,
        "remarks": (*remarks, *_remarks(titles, X)),
    }


_LAST = 2  # lines below a table


def _input_remedy(sheet: Sheet) -> str:
    """How to have an input: without the last lines, if their texts alone keep a column from it."""
    for last in range(1, min(_LAST, len(sheet) - _LAST) + 1):
        above = without(sheet, sheet.lines[-last:])
        pairs = list(zip(sheet.columns, above.columns, strict=True))
        if any(of.kind is Kind.TEXT and column.kind is Kind.NUMBERS for of, column in pairs):
            lines = lines_words(sheet.lines[-last:])
            cell = next(of.cells[-last] for of, column in pairs if of.kind is not column.kind)
            return f"leave out line {lines}, {reprlib.repr(cell)}, or say which columns are inputs"
    return "say which columns are inputs"


def _design(
    inputs: Sequence[Column], logs: Sequence[Column], categories: Sequence[Column]
) -> Design:
    """What the columns stand for. A list has no ranges: its numbers give their ends."""
    kinds: list[Real | Category] = []
    for column in inputs:
        low, high = column.extent or (1.0, 1.0)
        kinds.append(Real(low, high if high > low else low + 1, log=column in logs))
    names = (column.name for column in (*inputs, *categories))
    return Design(tuple(names), (*kinds, *(Category(column.levels) for column in categories)))


class Cell(NamedTuple):
    """A cell that cannot be used: its line in the text, the name of its column, and what it has."""

    line: int
    column: str
    content: str


def unreadable(sheet: Sheet, roles: Sequence[Role]) -> tuple[Cell, ...]:
    """The cells that keep their row from being used, by line.

    Cells that are no number in inputs and values; in inputs and categories also empty ones; in
    logarithmic inputs also numbers that are not above 0.
    """
    cells = list[Cell]()
    for column, role in zip(sheet.columns, roles, strict=True):
        faults = column.faults if role in (*_NUMBERS, Role.VALUE) else ()
        if role is Role.LOG:
            faults = (*faults, *np.flatnonzero(column.values <= 0).tolist())
        missing = column.missing if role in _NUMBERS else ()
        missing = column.blank if role is Role.CATEGORY else missing
        cells += [Cell(sheet.lines[i], column.name, column.cells[i]) for i in (*faults, *missing)]
    return tuple(sorted(cells))


def _refused(cells: Sequence[Cell]) -> InputError:
    """Which cells cannot be used."""
    texts = [f"line {cell.line}, column {cell.column}: {cell.content!r}" for cell in cells[:_MOST]]
    more = f"; and {grouped(len(cells) - _MOST)} more" if len(cells) > _MOST else ""
    count = "1 cell" if len(cells) == 1 else f"{grouped(len(cells))} cells"
    wanted = (
        "a number in every input and value, above 0 in a logarithmic one, a text in every category"
    )
    remedy = "fix what is there, leave the rows out, or use the column as a label"
    return InputError(wanted, f"{count} without: {'; '.join(texts)}{more}", remedy)


def _text_words(sheet: Sheet, roles: Sequence[Role]) -> Iterator[str]:
    """Which columns of texts are inputs, and which are not."""
    for column, role in zip(sheet.columns, roles, strict=True):
        many = len(column.levels)
        if role is Role.CATEGORY:
            yield f"{column.name} is a category of {many} texts."
        elif is_open(column) or (column.kind is Kind.TEXT and repeats(column)):
            why = "text"
            if many > MOST_LEVELS:
                why = f"with {grouped(many)} texts, too many to be coded"
            yield f"{column.name}, {why}, is left out: it is not an input."


def _remarks(names: Sequence[str], X: Floats) -> tuple[str, ...]:
    remarks = []
    constant = [name for name, x in zip(names, X.T, strict=True) if np.ptp(x) == 0]
    if constant:
        which = ", ".join(constant)
        remarks.append(f"Not informative, because every row has the same number: {which}.")
    again = len(X) - len(np.unique(X, axis=0))
    if again:
        rows = "row has" if again == 1 else "rows have"
        text = f"{grouped(again)} {rows} the same inputs as another row."
        remarks.append(f"{text} Each stays a candidate.")
    return tuple(remarks)
