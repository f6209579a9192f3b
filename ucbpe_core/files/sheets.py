"""The trials of a history as one table: for pandas, and as tidy CSV for a spreadsheet.

A spreadsheet evaluates a cell that begins with ``=``, ``+``, ``-`` or ``@``, also after a tab or a
line break, and in some languages with the full-width form of one of these. `escape` puts an
apostrophe before such text, and `unescape` removes it: ``unescape(escape(text)) == text`` for every
text. Numbers stay as they are.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any

from ucbpe_core.files import text as files
from ucbpe_core.support.optional import optional
from ucbpe_core.tables.dialect import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from ucbpe_core.files.text import PathOrFile
    from ucbpe_core.history.history import History
    from ucbpe_core.history.steps import Trial

_RESULT = ("y", "noise_variance", "told", "reason")
_PICK = ("t", "k", "role", "std", "score", "in_region_plus", "asked")


def dumps(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; cells that are text are escaped, all others written as `csv.writer` does."""
    lines = _Lines()
    # Only cells with a character of the line terminator are quoted, and "\r" has to be.
    writer = csv.writer(lines, lineterminator="\r\n")
    for row in rows:
        writer.writerow([escape(cell) if isinstance(cell, str) else cell for cell in row])
    return "".join(lines)


@dataclass(frozen=True)
class Columns:
    """Where trials are, and what their inputs and labels are called.

    Attributes
    ----------
    points : gives the points (k, d) of k trials
    dimension, inputs : d, and the names of the inputs; None if they have none
    labels : name and texts, one for each candidate, of each label
    more : name and cells, one for each trial, of each further column at the end
    """

    points: Callable[[Sequence[Trial]], Any]
    dimension: int
    inputs: Sequence[str] | None = None
    labels: Sequence[tuple[str, Sequence[str]]] = ()
    more: Mapping[str, Sequence[object]] = field(default_factory=dict)


def rows(history: History, columns: Columns) -> Iterator[list[object]]:
    """The names of the columns, then one row for each trial; None for an empty cell.

    Measurements come in the order told, then all others in the order asked.

    =============== =============================================================================
    state           "done", "pending", "withdrawn" or "failed"; "void" for a void measurement
    measurement     its number, from 0 in the order told
    candidate       index of the candidate, or number of the pick on a box, from 0
    label i: name   label i = 1, 2, .. of the candidate
    input i: name   input i = 1 .. d, where it was measured or is to be
    y               the measurement
    noise_variance  of the measurement, if it was given
    told            when it was measured, withdrawn or failed
    reason          why it failed
    t, k            it is pick k, from 0, of batch t, from 1
    role            why that was picked
    std             standard deviation of f just before the pick, earlier picks hallucinated
    score           value of the criterion that the pick maximised, of -f where f is minimised
    in_region_plus  1 if the pick is in R+, else 0
    asked           when the batch was asked
    =============== =============================================================================
    """
    labels = [f"label {i}: {name}" for i, (name, _) in enumerate(columns.labels, start=1)]
    names = columns.inputs or [""] * columns.dimension
    inputs = [f"input {i}: {name}".removesuffix(": ") for i, name in enumerate(names, start=1)]
    yield ["state", "measurement", "candidate", *labels, *inputs, *_RESULT, *_PICK, *columns.more]
    asked = {batch.t: batch.time for batch in history.batches}
    trials = (*history.measured, *(trial for trial in history.trials if trial.place < 0))
    X = columns.points(trials).tolist()
    more = zip(*columns.more.values(), strict=True) if columns.more else repeat(())
    for trial, x, others in zip(trials, X, more, strict=False):
        done, index = trial.state == "done", trial.index
        yield [
            "void" if done and trial.y is None else trial.state,
            trial.place if done else None,
            index if index >= 0 else None,
            *(texts[index] if index >= 0 else None for _, texts in columns.labels),
            *x,
            trial.y,
            trial.noise_variance,
            None if trial.state == "pending" else trial.time,
            trial.reason or None,
            *_reasons(trial, asked),
            *others,
        ]


def frame(history: History, columns: Columns) -> pd.DataFrame:
    """The table as a frame of pandas."""
    head, *found = rows(history, columns)
    return optional("pandas", "study").DataFrame(found, columns=head)


def write(path: PathOrFile, history: History, columns: Columns) -> None:
    """Write the table as CSV; numbers read back exactly.

    A label that a spreadsheet would evaluate as a formula is preceded by an apostrophe, which
    `unescape` removes.

    Raises
    ------
    InputError
        For a path that cannot be written. An existing file is then left unchanged.
    """
    files.write(dumps(rows(history, columns)), path)


def _reasons(trial: Trial, asked: dict[int, str]) -> list[object]:
    if trial.t == 0:
        return [None] * len(_PICK)
    inside = int(trial.in_region_plus)
    return [trial.t, trial.k, trial.role, trial.std, trial.score, inside, asked[trial.t]]


class _Lines(list[str]):
    """Takes rows from a `csv.writer`, and ends each with a line feed alone."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")
