"""A table with a row for each trial of a run."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.foreign.optuna import seconds
from ucbpe_core.foreign.run import ForeignTrial, Run
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import Kind
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.row_numbers import counts_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    "value": ("value", "target", "objective", "result", "y", "score", "loss"),
}
_UNUSED = ("arm_name", "generation_node", "generation_method", "duration", "fitnr", "params")
_PARAMETER, _ATTRIBUTES = "params_", ("system_attrs", "user_attrs")
_STATES: dict[str, State] = {
    **dict.fromkeys(("complete", "completed", "done", "ok", ""), "done"),
    **dict.fromkeys(("fail", "failed", "abandoned", "error"), "failed"),
    **dict.fromkeys(("pruned", "early_stopped"), "pruned"),
    **dict.fromkeys(("running", "pending"), "running"),
}
_WAITING = ("waiting", "candidate", "staged")  # not begun


def read(text: str, direction: Direction | None = None, output: str | None = None) -> Run:
    """The run in a table.

    Raises
    ------
    InputError
        For several objectives, results or times that cannot be read, and what `parse` and `Run.of`
        refuse; `UndecidedError` without a direction, or if no name is that of the results.
    """
    sheet = parse(_without_attributes(text), Reading(minutes=False))
    columns = {column.name: column for column in sheet.columns}
    roles = {
        role: next((columns[name] for name in columns if name.lower() in names), None)
        for role, names in _NAMES.items()
    }
    several = [name for name in columns if name.startswith("values_")]
    if len(several) > 1 and output is None:
        raise InputError("one objective", ", ".join(several), "leave all but one column out")
    parameters = _parameters(sheet, [column for column in roles.values() if column])
    result = _result(columns, roles["value"], parameters, output)
    if direction is None:
        answers = {"maximize": "The largest", "minimize": "The smallest"}
        raise UndecidedError(
            "direction", f"Which {result.name} is best?", "a table, which does not say it", answers,
            wanted="whether results are maximised or minimised", remedy="choose one",
        )  # fmt: skip
    parameters = {name: one for name, one in parameters.items() if one is not result}
    trials = list(_trials(sheet, roles, parameters, result))
    return Run.of(trials, direction, tool="a table", output=result.name, remarks=sheet.remarks)


def _without_attributes(text: str) -> str:
    """The table without what Optuna notes for itself, in cells of any length."""
    if not any(f",{word}" in text.split("\n", 1)[0] for word in _ATTRIBUTES):
        return text
    rows = list(csv.reader(io.StringIO(text, newline="")))
    kept = [i for i, name in enumerate(rows[0]) if not name.startswith(_ATTRIBUTES)]
    out = io.StringIO(newline="")
    csv.writer(out).writerows([row[i] for i in kept if i < len(row)] for row in rows)
    return out.getvalue()


def _parameters(sheet: Sheet, taken: Sequence[Column]) -> dict[str, Column]:
    """The columns of parameters by name: those that Optuna marks as such, or all that are left."""
    rest = [
        column
        for column in sheet.columns
        if not any(column is one for one in taken)
        and column.name.lower() not in _UNUSED
        and column.kind is not Kind.EMPTY
        and not (column is sheet.columns[0] and counts_rows(column))
    ]
    marked = [column for column in rest if column.name.startswith(_PARAMETER)]
    return {column.name.removeprefix(_PARAMETER): column for column in marked or rest}


def _result(
    columns: dict[str, Column],
    found: Column | None,
    parameters: dict[str, Column],
    output: str | None,
) -> Column:
    """The column of results."""
    if output is not None and output in columns:
        return columns[output]
    if output is None and found is not None:
        return found
    answers = [one.name for one in parameters.values() if one.kind is not Kind.TEXT]
    if not answers or output is not None:
        got = ", ".join(columns) if output is None else f"none called {output}"
        raise InputError("a column of results", got, 'call it "value"')
    raise UndecidedError(
        "output", "Which column has the results?", "no column called value",
        {one: one for one in answers}, wanted="a column of results", remedy="choose one",
    )  # fmt: skip


def _trials(
    sheet: Sheet, roles: dict[str, Column | None], parameters: dict[str, Column], result: Column
) -> Iterator[ForeignTrial]:
    """The trials that have begun."""
    for i, line in enumerate(sheet.lines):
        cells = {role: "" if column is None else column.cells[i] for role, column in roles.items()}
        word = cells["state"].lower().removeprefix("trialstate.")
        if word in _WAITING:
            continue
        if word not in _STATES:
            wanted = f"one of {', '.join(filter(None, _STATES))} as the state in line {line}"
            raise InputError(wanted, repr(cells["state"]), "correct it, or leave that column out")
        setting = {name: _value(column, i) for name, column in parameters.items()}
        number, batch = (_whole(roles[role], i) for role in ("number", "batch"))
        start, end = (_time(cells[role], line) for role in ("start", "end"))
        y = _number(result, i, line)
        yield ForeignTrial(
            i if number is None else number, setting, y, _STATES[word], start, end, batch
        )


def _value(column: Column, i: int) -> Any:
    """A cell of a parameter; None for an empty one."""
    if i in column.missing:
        return None
    return column.cells[i] if column.kind is Kind.TEXT else _plain(float(column.values[i]))


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _whole(column: Column | None, i: int) -> int | None:
    number = float("nan") if column is None else float(column.values[i])
    return int(number) if number.is_integer() else None


def _number(column: Column, i: int, line: int) -> float | None:
    """A result; None for an empty cell and for infinity."""
    if i not in column.faults:
        return None if i in column.missing else float(column.values[i])
    if column.cells[i].lower().lstrip("+-") in ("inf", "infinity"):
        return float("inf")
    wanted = f"a number as {column.name} in line {line}"
    raise InputError(wanted, repr(column.cells[i][: numbers.MOST_LETTERS]), "correct or empty it")


def _time(text: str, line: int) -> float | None:
    """A time in seconds: a number, or a date and time in ISO 8601."""
    if numbers.is_missing(text):
        return None
    number = numbers.read(text)
    try:
        return seconds(text) if number is None else number
    except ValueError:
        wanted = f"a time as 2026-01-31 14:05:00 in line {line}"
        raise InputError(wanted, repr(text), "correct it, or leave that column out") from None
