"""A table with a row for each trial of a run."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.foreign.optuna import seconds
from ucbpe_core.foreign.run import STATES, ForeignTrial, Run
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import Kind
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.row_numbers import numbers_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core.foreign.run import State
    from ucbpe_core.support.validation import Direction
    from ucbpe_core.tables.columns import Column, Sheet

# What columns are called, in lower case: by Optuna, Ax, BayBE, and by people.
_NAMES = {
    "number": ("number", "trial", "trial_id", "iteration"),
    "batch": ("batch", "batchnr", "trial_index"),
    "start": ("start", "datetime_start"),
    "end": ("end", "datetime_complete"),
    "state": ("state", "status", "trial_status"),
    "value": ("value", "target", "objective", "result", "y", "score", "loss", "yield"),
}
_UNUSED = ("arm_name", "generation_node", "generation_method", "duration", "fitnr", "params")
_PARAMETER, _ATTRIBUTES = "params_", ("system_attrs", "user_attrs")


def read(text: str, direction: Direction | None = None, output: str | None = None) -> Run:
    """The run in a table.

    Raises
    ------
    InputError
        For several objectives, results that cannot be read, and what `parse` and `Run.of` refuse;
        `UndecidedError` without a direction, or if no name is that of the results.
    """
    sheet = parse(_without_attributes(text), Reading(minutes=False))
    roles = {
        role: next((one for one in sheet.columns if one.name.lower() in names), None)
        for role, names in _NAMES.items()
    }
    parameters = _parameters(sheet, roles)
    result = _result(sheet, roles["value"], parameters, output)
    if direction is None:
        answers = {"maximize": "The largest", "minimize": "The smallest"}
        raise UndecidedError(
            "direction", f"Which {result.name} is best?", "a table, which does not say it", answers,
            wanted="whether results are maximised or minimised", remedy="choose one",
        )  # fmt: skip
    parameters = {name: one for name, one in parameters.items() if one is not result}
    remarks, times = list(sheet.remarks), list[list[float | None]]()
    for role in ("start", "end"):
        times.append(_times(roles[role], len(sheet)))
        if (column := roles[role]) and not any(times[-1]):
            remarks.append(f"The times in {column.name} cannot be read, and are not used.")
    whole = [_whole_numbers(roles[role], len(sheet)) for role in ("number", "batch")]
    trials = list[ForeignTrial]()
    for i, line in enumerate(sheet.lines):
        state = _state(roles["state"], i, line)
        if state is not None:
            setting = {name: _value(column, i) for name, column in parameters.items()}
            number, batch = (every[i] for every in whole)
            y, (start, end) = _number(result, i, line), (every[i] for every in times)
            number = i if number is None else number
            trials.append(ForeignTrial(number, setting, y, state, start, end, batch))
    return Run.of(trials, direction, tool="Table", output=result.name, remarks=remarks)


def _without_attributes(text: str) -> str:
    """The table without what Optuna notes for itself, in cells of any length."""
    if not any(f",{word}" in text.split("\n", 1)[0] for word in _ATTRIBUTES):
        return text
    rows = list(csv.reader(io.StringIO(text, newline="")))
    kept = [i for i, name in enumerate(rows[0]) if not name.startswith(_ATTRIBUTES)]
    out = io.StringIO(newline="")
    csv.writer(out).writerows([row[i] for i in kept if i < len(row)] for row in rows)
    return out.getvalue()


def _parameters(sheet: Sheet, roles: Mapping[str, Column | None]) -> dict[str, Column]:
    """The columns of parameters by name: those that Optuna marks as such, or all that are left."""
    taken = {column.name for column in roles.values() if column}
    rest = [
        column
        for column in sheet.columns
        if column.name not in taken
        and column.name.lower() not in _UNUSED
        and column.kind is not Kind.EMPTY
        and not numbers_rows(column)
    ]
    marked = [column for column in rest if column.name.startswith(_PARAMETER)]
    return {column.name.removeprefix(_PARAMETER): column for column in marked or rest}


def _result(
    sheet: Sheet, found: Column | None, parameters: Mapping[str, Column], output: str | None
) -> Column:
    """The column of results."""
    names = [column.name for column in sheet.columns]
    if output is not None:
        if output not in names:
            raise InputError(f"a column {output}", ", ".join(names), "choose one of these")
        return sheet.columns[names.index(output)]
    several = [name for name in names if name.startswith("values_")]
    if len(several) > 1:
        raise InputError("one objective", ", ".join(several), "leave all but one column out")
    numeric = [one.name for one in parameters.values() if one.kind is not Kind.TEXT]
    answers = {name: name for name in reversed(numeric)}  # people write results last
    if found is None and answers:
        raise UndecidedError(
            "output", "Which column has the results?", "no column called value", answers,
            wanted="a column of results", remedy="choose one",
        )  # fmt: skip
    if found is None:
        raise InputError("a column of results", ", ".join(names), 'call it "value"')
    return found


def _state(column: Column | None, i: int, line: int) -> State | None:
    """The state of a trial; None for one that has not begun."""
    cell = "" if column is None else column.cells[i]
    word = cell.lower().removeprefix("trialstate.")
    if word not in STATES:
        wanted = f"one of {', '.join(filter(None, STATES))} as the state in line {line}"
        raise InputError(wanted, repr(cell), "correct it, or leave that column out")
    return STATES[word]


def _value(column: Column, i: int) -> Any:
    """A cell of a parameter; None for an empty one."""
    if i in column.missing:
        return None
    if column.kind in (Kind.TEXT, Kind.FAULTY):
        return column.cells[i]
    number = float(column.values[i])
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _whole_numbers(column: Column | None, size: int) -> Sequence[int | None]:
    values = [np.nan] * size if column is None else column.values.tolist()
    return [int(one) if float(one).is_integer() else None for one in values]


def _number(column: Column, i: int, line: int) -> float | None:
    """A result; None for an empty cell."""
    if i not in column.faults:
        return None if i in column.missing else float(column.values[i])
    if column.cells[i].lower().lstrip("+-") in ("inf", "infinity"):
        return float("inf")
    wanted = f"a number as {column.name} in line {line}"
    raise InputError(wanted, repr(column.cells[i]), "correct or empty it")


def _times(column: Column | None, size: int) -> list[float | None]:
    """Times in seconds, from numbers or dates in ISO 8601; all None if one is neither."""
    if column is None:
        return [None] * size
    try:
        return [
            None if numbers.is_missing(cell) else seconds(cell) if value != value else value
            for cell, value in zip(column.cells, column.values.tolist(), strict=True)
        ]
    except ValueError:
        return [None] * size
