"""Columns that number or name the rows, and so are no inputs.

A row number is what programs write first: `DataFrame.to_csv` and R's `write.csv` without a name,
designs of experiments as run order. As an input it would get a lengthscale, and be explored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.tables.columns import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.support.validation import Floats


def made_up_name(i: int) -> str:
    """The name of column i, from 0, of a table that has names, but none for it."""
    return f"column {i + 1}"


# Whose numbers number the rows if all differ; equal ones may be a quantity, as a number of coats.
_NUMBERS = frozenset({
    "#", "index", "candidate", "row", "rownames", "no", "nr", "number", "name", "label", "sl",
    "serial", "unnamed: 0", made_up_name(0),
})  # fmt: skip
# What is measured once or several times: whole numbers say which one.
_THINGS = frozenset({
    "id", "identifier", "sample", "run", "runorder", "stdorder", "std order", "standard order",
    "obs", "observation", "trial", "experiment", "exp", "subject", "patient", "individual",
    "participant", "block",
})  # fmt: skip
_BEHIND = frozenset({"id", "no", "nr", "number", "num", "#", "index", "order", "name"})
_BETWEEN = re.compile(r"[\s_.-]+")


def plain_name(column: Column) -> str:
    """The name of a column without its unit, in small letters."""
    return column.name.casefold().split("(")[0].split("[")[0].strip()


def _words(column: Column) -> str:
    """Its name, also with a word such as number behind it: Run_No., patient id."""
    name = _BETWEEN.sub(" ", plain_name(column)).strip()
    first, _, last = name.rpartition(" ")
    return first if last in _BEHIND and first in _NUMBERS | _THINGS else name


def is_of_rows(column: Column) -> bool:
    """Whether a column identifies rows, by its name."""
    return _words(column) in _NUMBERS | _THINGS


def numbers_rows(column: Column) -> bool:
    """Whether a column of numbers identifies rows, by its name, and they can be that."""
    if column.kind in (Kind.TEXT, Kind.EMPTY) or not is_of_rows(column):
        return False
    numbers = _present(column)
    if not np.array_equal(numbers, np.round(numbers)):
        return False
    return _words(column) in _THINGS or len(np.unique(numbers)) == len(numbers)


def counts_rows(column: Column) -> bool:
    """Whether the numbers of a column are 1, 2, .., or 0, 1, .., in the order of the rows."""
    first, count = column.values[0], len(column.cells)
    return first in (0, 1) and np.array_equal(column.values, first + np.arange(count))


def last_resort(columns: Sequence[Column]) -> list[int]:
    """What to take as inputs where no other column is one, or no table of them could be used.

    Numbers that only their order makes suspicious, or else the first that a name does.
    """
    counting = [i for i, column in enumerate(columns) if counts_rows(column)]
    unnamed = [i for i in counting if not is_of_rows(columns[i])]
    complete = (Kind.NUMBERS, Kind.CONSTANT)
    named = [i for i, one in enumerate(columns) if one.kind in complete and numbers_rows(one)]
    return unnamed or named[:1]


def _present(column: Column) -> Floats:
    return column.values[~np.isnan(column.values)]


def row_words(labels: Sequence[Column], inputs: Sequence[Column]) -> Iterator[str]:
    """Which of the columns that are used as labels and inputs number the rows."""
    numbering = [one.name for one in labels if numbers_rows(one) or counts_rows(one)]
    if numbering:
        what = "numbers the rows: a label" if len(numbering) == 1 else "number the rows: labels"
        yield f"{', '.join(numbering)} {what} and no input."
    for column in inputs:
        if numbers_rows(column) or counts_rows(column):
            yield f"{column.name} is an input, but may only number the rows."
