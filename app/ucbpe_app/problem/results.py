"""A file of results -> measurements of an experiment. The same file may come again, longer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.problem.entries import Entry, entry_of, tell
from ucbpe_app.problem.sheets.limits import MOST
from ucbpe_core.errors import InputError
from ucbpe_core.tables.numbers import is_missing
from ucbpe_core.tables.parse import parse

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ucbpe_core.search.experiment import Experiment, Table
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.tables.columns import Column, Sheet
    from ucbpe_core.tables.dialect import Reading

_CANDIDATE, _Y = "candidate", "y"
# Of the range of an input: a spreadsheet shows six digits or more, and saves what it shows.
_ROUNDED = 1e-5
_OTHER = (
    "add the row to the table, check that the file belongs to this experiment, or leave out a "
    "column that a spreadsheet has rewritten"
)


@dataclass(frozen=True)
class Results:
    """What a file adds to an experiment.

    Attributes
    ----------
    candidates, entries : new results, in the order of the file: of each its row, and what it is
    answers : how many of them answer outstanding picks
    again : rows left out, because as many equal measurements were recorded before
    empty : rows without a value
    remarks : how the file was read, where it could be read in another way
    """

    candidates: tuple[int, ...]
    entries: tuple[Entry, ...]
    answers: int
    again: int
    empty: int
    remarks: tuple[str, ...] = ()

    @property
    def y(self) -> tuple[float | None, ...]:
        """Their values; None for a run that failed."""
        return tuple(entry.y for entry in self.entries)

    @property
    def failed(self) -> int:
        """How many runs gave no value."""
        return sum(entry.y is None for entry in self.entries)

    def record(self, experiment: Experiment) -> None:
        """Tell them."""
        tell(experiment, self.candidates, self.entries)


def read_results(text: str, experiment: Experiment, reading: Reading | None = None) -> Results:
    """The results in a text with a line of names.

    A row is identified by the column `candidate`, labels and inputs: by all of them that the file
    has. Together they have to distinguish the rows of the table. Inputs may be rounded, as by a
    spreadsheet, to a hundred-thousandth of their range. Its value is in the column `y` or in the
    one named as the output. Names of columns are those of the table, or of the exported CSV.

    Raises
    ------
    InputError
        For a row that is no candidate, a value that is no number, columns that are missing, or
        cells that can be read in two ways while `reading` does not say in which.
    """
    sheet = parse(text, reading, MOST)
    columns = {column.name: column for column in sheet.columns}
    value = columns.get(_Y) or columns.get(experiment.table.output)
    if value is None:
        wanted = f"a column {_Y}, or {experiment.table.output}, with the values"
        raise InputError(wanted, ", ".join(columns), "name it in the first line")
    noise = experiment.plan.gp.noise_variance
    read_ = [_entry(value, row, line, noise) for row, line in enumerate(sheet.lines)]
    sought = [row for row, entry in enumerate(read_) if entry is not None]
    candidates = _candidates(sheet, columns, experiment.table, sought)
    recorded = Counter((trial.index, trial.y) for trial in experiment.history.data)
    recorded.update((trial.index, None) for trial in experiment.history.gone)
    new, again, empty = list[tuple[int, Entry]](), 0, read_.count(None)
    for row, j in zip(sought, candidates, strict=True):
        entry = read_[row]
        assert entry is not None  # it would not be sought
        if recorded[j, entry.y] > 0:
            recorded[j, entry.y] -= 1
            again += 1
        else:
            new.append((j, entry))
    pending = Counter(experiment.pending)
    answers = sum(min(count, pending[j]) for j, count in Counter(j for j, _ in new).items())
    rows, entries = tuple(j for j, _ in new), tuple(entry for _, entry in new)
    return Results(rows, entries, answers, again, empty, sheet.remarks)


def _entry(column: Column, row: int, line: int, noise: float) -> Entry | None:
    """The result in a cell, in any form that a field takes; None if it is empty."""
    y, cell = float(column.values[row]), column.cells[row]
    if y == y:
        return Entry(y)
    if is_missing(cell.strip()):
        return None
    wanted = f"a number in line {line}, column {column.name}"
    try:
        return entry_of(cell, wanted, noise)
    except InputError:
        raise InputError(wanted, repr(cell), "correct it, or leave it empty") from None


def _candidates(
    sheet: Sheet, columns: dict[str, Column], table: Table, sought: Sequence[int]
) -> list[int]:
    """The candidates of these rows, which have to agree in every column shared with the table."""
    shared = _shared(columns, table)
    rows = {key: j for j, key in enumerate(zip(*(values for _, values, _ in shared), strict=True))}
    if len(rows) < len(table):
        wanted = "a column candidate, a label of the table, or all its inputs"
        raise InputError(wanted, ", ".join(columns), "name them in the first line")
    keys = list(zip(*(cells for _, _, cells in shared), strict=True))
    for i in sought:
        if keys[i] not in rows:
            names = ", ".join(name for name, _, _ in shared)
            wanted = f"a row of the table with {names} as in line {sheet.lines[i]}"
            raise InputError(wanted, ", ".join(map(str, keys[i])), _OTHER)
    return [rows[keys[i]] for i in sought]


def _shared(
    columns: dict[str, Column], table: Table
) -> list[tuple[str, Sequence[Hashable], Sequence[Hashable]]]:
    """The columns that identify rows: name, values in the table, values in the file."""
    shared: list[tuple[str, Sequence[Hashable], Sequence[Hashable]]] = []
    if _CANDIDATE in columns:
        numbered = columns[_CANDIDATE]
        pairs = zip(numbered.values.tolist(), numbered.cells, strict=True)
        # A cell that is no whole number is no candidate, and the error quotes it as it is.
        values = [int(x) if x == x and x == int(x) else cell for x, cell in pairs]
        shared.append((_CANDIDATE, range(len(table)), values))
    for i, (name, texts) in enumerate(table.labels, start=1):
        if (column := _column(columns, "label", i, name)) is not None:
            shared.append((name, texts, column.cells))
    for i, (name, x) in enumerate(zip(table.inputs, table.candidates.T, strict=True), start=1):
        if (column := _column(columns, "input", i, name)) is not None:
            shared.append((name, x.tolist(), _unrounded(column.values, x)))
    return shared


def _unrounded(values: Floats, x: Floats) -> list[float]:
    """Values of an input, which a spreadsheet may have rounded, as those of the table x (M,)."""
    levels = np.unique(x)
    after = np.searchsorted(levels, values).clip(1, max(len(levels) - 1, 1))
    around = levels[np.stack([after - 1, np.minimum(after, len(levels) - 1)])]
    nearest = np.where(np.abs(values - around[0]) <= np.abs(values - around[1]), *around)
    slack = _ROUNDED * (np.ptp(levels) or abs(levels[0]))
    unrounded: list[float] = np.where(np.abs(values - nearest) <= slack, nearest, values).tolist()
    return unrounded


def _column(columns: dict[str, Column], kind: str, i: int, name: str) -> Column | None:
    """A column under its name as it is exported, or else the plain one."""
    return columns.get(f"{kind} {i}: {name}") or columns.get(name)
