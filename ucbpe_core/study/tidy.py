"""Summaries as tidy CSV, one row per problem, policy, quantity and t; and back.

Numbers are written so that they read back exactly, unless fewer digits are asked for. Labels that
a spreadsheet would run as a formula are escaped (`ucbpe_core.records.sheets`), and read back as
they were.
"""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.records import sheets
from ucbpe_core.study.summarise import Curve, Statistic
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_Record = TypeVar("_Record", Curve, Statistic)

_TAIL = ("mean", "low", "high", "replicates", "failed", "level")
CURVE_COLUMNS = ("problem", "policy", "reference", "quantity", "t", *_TAIL)
STATISTIC_COLUMNS = ("problem", "policy", "reference", "statistic", *_TAIL)


def write_curves(path: Path | str, curves: Iterable[Curve], digits: int | None = None) -> None:
    """Write `CURVE_COLUMNS`, t rising within each curve; "nan" where there is no limit.

    Parameters
    ----------
    digits : significant digits of mean, low and high; None for as many as read back exactly
    """
    rows: list[list[object]] = []
    for curve in curves:
        labels = (curve.problem, curve.policy, curve.reference, curve.quantity)
        columns = (curve.t, curve.mean, curve.low, curve.high)
        for t, *limits in zip(*(column.tolist() for column in columns), strict=True):
            rows.append([*labels, t, *_tail(limits, curve, digits)])
    sheets.write(path, [CURVE_COLUMNS, *rows])


def write_statistics(
    path: Path | str, statistics: Iterable[Statistic], digits: int | None = None
) -> None:
    """Write `STATISTIC_COLUMNS`, one row each; `digits` as in `write_curves`."""
    rows: list[list[object]] = []
    for one in statistics:
        labels = (one.problem, one.policy, one.reference, one.statistic)
        rows.append([*labels, *_tail((one.mean, one.low, one.high), one, digits)])
    sheets.write(path, [STATISTIC_COLUMNS, *rows])


def read_curves(path: Path | str) -> tuple[Curve, ...]:
    """The curves that `write_curves` wrote, in its order.

    Raises
    ------
    InputError
        For columns or numbers that `write_curves` would not have written.
    """
    return tuple(_parse(path, CURVE_COLUMNS, _curves))


def read_statistics(path: Path | str) -> tuple[Statistic, ...]:
    """The statistics that `write_statistics` wrote; errors as `read_curves`."""
    return tuple(_parse(path, STATISTIC_COLUMNS, _statistics))


def _tail(limits: Sequence[float], record: Curve | Statistic, digits: int | None) -> list[object]:
    shown = [repr(x) if digits is None else f"{x:.{count(digits, 'digits')}g}" for x in limits]
    return [*shown, record.n, record.failed, repr(record.level)]


def _parse(
    path: Path | str,
    columns: Sequence[str],
    build: Callable[[list[dict[str, str]]], list[_Record]],
) -> list[_Record]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != tuple(columns):
            got = ",".join(reader.fieldnames or ()) or "an empty file"
            raise InputError(f"the columns {','.join(columns)}", got, "write the summary again")
        rows = list(reader)
    try:
        return build([{name: sheets.unescape(row[name]) for name in columns} for row in rows])
    except (AttributeError, TypeError, ValueError) as error:  # None in a short row, or a word
        message = f"a summary without a damaged row in {Path(path).name}"
        raise InputError(message, str(error), "write the summary again") from None


def _curves(rows: list[dict[str, str]]) -> list[Curve]:
    found = []
    constant = [column for column in CURVE_COLUMNS if column not in ("t", "mean", "low", "high")]
    for _, group in groupby(rows, key=lambda row: [row[column] for column in constant]):
        members = list(group)
        first = members[0]
        found.append(
            Curve(
                problem=first["problem"],
                policy=first["policy"],
                quantity=first["quantity"],
                t=np.array([int(row["t"]) for row in members]),
                mean=np.array([float(row["mean"]) for row in members]),
                low=np.array([float(row["low"]) for row in members]),
                high=np.array([float(row["high"]) for row in members]),
                n=int(first["replicates"]),
                failed=int(first["failed"]),
                level=float(first["level"]),
                reference=first["reference"],
            )
        )
    return found


def _statistics(rows: list[dict[str, str]]) -> list[Statistic]:
    return [
        Statistic(
            problem=row["problem"],
            policy=row["policy"],
            statistic=row["statistic"],
            mean=float(row["mean"]),
            low=float(row["low"]),
            high=float(row["high"]),
            n=int(row["replicates"]),
            failed=int(row["failed"]),
            level=float(row["level"]),
            reference=row["reference"],
        )
        for row in rows
    ]
