"""Summaries as CSV files, and back; numbers read back exactly unless fewer digits are asked for.

Labels that a spreadsheet would run as a formula are escaped (`ucbpe_core.records.sheets`).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ucbpe_core.errors import InputError
from ucbpe_core.records import atomic, sheets
from ucbpe_core.study.summarise import CURVE_COLUMNS, STATISTIC_COLUMNS
from ucbpe_core.validation import count

_LIMITS = ("mean", "low", "high")
_READ = {
    **dict.fromkeys(("problem", "policy", "reference", "quantity", "statistic"), sheets.unescape),
    **dict.fromkeys(("t", "replicates", "failed"), int),
}


def table_text(table: pd.DataFrame, digits: int | None = None) -> str:
    """A table of `summarise` as CSV; "nan" where there is no limit.

    Parameters
    ----------
    digits : significant digits of mean, low and high; None for as many as read back exactly
    """
    columns = {name: table[name].tolist() for name in table}
    if digits is not None:
        for name in _LIMITS:
            columns[name] = [f"{x:.{count(digits, 'digits')}g}" for x in columns[name]]
    return sheets.dumps([list(columns), *zip(*columns.values(), strict=True)])


def write_table(path: Path | str, table: pd.DataFrame, digits: int | None = None) -> None:
    """Write `table_text(table, digits)`, whole or not at all."""
    atomic.write_text(path, table_text(table, digits))


def read_table(path: Path | str) -> pd.DataFrame:
    """The table that `write_table` wrote.

    Raises
    ------
    InputError
        For columns or numbers that `write_table` would not have written.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if list(table) not in (CURVE_COLUMNS, STATISTIC_COLUMNS):
            raise ValueError(f"the columns {', '.join(table)}")
        for name in table:
            table[name] = table[name].map(_READ.get(name, float))
    except (AttributeError, TypeError, ValueError) as error:  # short rows have NaN for text
        message = f"a summary without a damaged row in {Path(path).name}"
        raise InputError(message, str(error), "write the summary again") from None
    return table
