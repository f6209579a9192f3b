"""Digests of what a store holds: each result's own, and one that says which results there are.

A result is not accepted unless it hashes to what it did when it was stored.
"""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.study.database import StoreError
from ucbpe_core.study.plan import Task

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from ucbpe_core.validation import Floats

_TASK = "problem, policy, replicate"
_RESULT = f"{_TASK}, fingerprint, status, error, batch_size, initialization, hyperparameters"
_REGRET = f"{_TASK}, t, simple, total, region_share"
_TIMING = f"{_TASK}, seconds"
# Tables in which two stores of one study agree, and the columns that they had from the first.
DETERMINISTIC = {"result": _RESULT, "regret": _REGRET}
_ROW = "problem = ? AND policy = ? AND replicate = ?"
_MODULUS = 2**256


class Stored(NamedTuple):
    """One result as the tables have it.

    Attributes
    ----------
    row : from `result`: the task, fingerprint, status, error, batch_size, initialization and
        hyperparameters
    curves : simple, total and region_share, shape (3, T)
    seconds : from `timing`
    digests : of row and curves, and of the time
    """

    row: tuple[Any, ...]
    curves: Floats
    seconds: float
    digests: tuple[str, str]


def digest(*content: object) -> str:
    """SHA-256 of plain values, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, default=repr).encode()).hexdigest()


def value(connection: sqlite3.Connection, key: str) -> Any:
    """What the table `study` has under a key, None without it."""
    row = connection.execute("SELECT value FROM study WHERE key = ?", [key]).fetchone()
    return None if row is None else row[0]


def put(connection: sqlite3.Connection, key: str, text: str) -> None:
    """Write that."""
    connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", [key, text])


def read(
    connection: sqlite3.Connection, path: str | Path, task: Task | None = None
) -> dict[Task, Stored]:
    """Every result, or that of one task, sorted by problem, policy and replicate.

    Raises
    ------
    StoreError
        For tables that do not belong together.
    """
    results = {Task(*row[:3]): row for row in _rows(connection, "result", _RESULT, task)}
    seconds = {Task(*row[:3]): row[3] for row in _rows(connection, "timing", _TIMING, task)}
    curves: dict[Task, tuple[Floats, str]] = {}
    regret = _rows(connection, "regret", _REGRET, task, ", t")
    for key, group in groupby(regret, key=lambda row: row[:3]):
        one, rows = Task(*key), [row[3:] for row in group]
        if one not in results or one in curves:
            raise StoreError.damaged("the regret of each result", path, f"another of {one}")
        curves[one] = _array(rows, path), digest(results[one], rows)
    if seconds.keys() != results.keys():
        raise StoreError.damaged("the time of each result", path, "others")
    found = {}
    for one, row in results.items():
        array, known = curves.get(one) or (np.empty((3, 0)), digest(row, []))
        found[one] = Stored(row, array, seconds[one], (known, digest(one, seconds[one])))
    return found


def begin(connection: sqlite3.Connection) -> None:
    """Write the digest of no result, where no digest has been written."""
    (sealed,) = connection.execute("SELECT count(*) FROM result WHERE digest <> ''").fetchone()
    if not sealed and value(connection, "results") is None:
        put(connection, "results", _text(0, 0))


def seal(connection: sqlite3.Connection, path: str | Path, task: Task) -> None:
    """Write the digests of a result that was just stored, as it reads back.

    SQLite stores some values as others: -0.0 as 0.0.
    """
    (stored,) = read(connection, path, task).values()
    for table, known in zip(("result", "timing"), stored.digests, strict=True):
        connection.execute(f"UPDATE {table} SET digest = ? WHERE {_ROW}", (known, *task))
    _count(connection, path, stored.digests[0], 1)


def unseal(connection: sqlite3.Connection, path: str | Path, task: Task) -> None:
    """Take the result of a task, if there is one, out of the digest of all results."""
    for (known,) in connection.execute(f"SELECT digest FROM result WHERE {_ROW}", task).fetchall():
        _count(connection, path, known, -1)


def check(connection: sqlite3.Connection, path: str | Path, stored: dict[Task, Stored]) -> None:
    """Compare everything in the store, as it was read, with its digests.

    Raises
    ------
    StoreError
        For a result that is not as it was stored, or results that are missing or too many.
    """
    tables = [
        {Task(*row[:3]): row[3] for row in _rows(connection, table, f"{_TASK}, digest")}
        for table in ("result", "timing")
    ]
    for task, one in stored.items():
        if one.digests != tuple(table.get(task) for table in tables):
            what = f"the result of {task.policy} on {task.problem}, replicate {task.replicate},"
            raise StoreError.damaged(what, path, "other data")
    total = sum(int(one.digests[0], 16) for one in stored.values())
    if value(connection, "results") != _text(len(stored), total):
        raise StoreError.damaged("the results", path, "others, or some of them missing")


def _count(connection: sqlite3.Connection, path: str | Path, known: Any, sign: int) -> None:
    """Add a result's digest to, or take it from, the number and the sum of all."""
    try:
        count, total = value(connection, "results").split()
        text = _text(int(count) + sign, int(total, 16) + sign * int(known, 16))
    except (AttributeError, TypeError, ValueError) as error:
        raise StoreError.damaged("the digests", path, str(error)) from None
    put(connection, "results", text)


def _text(count: int, total: int) -> str:
    return f"{count} {total % _MODULUS:064x}"


def _rows(
    connection: sqlite3.Connection,
    table: str,
    columns: str,
    task: Task | None = None,
    order: str = "",
) -> Iterator[tuple[Any, ...]]:
    where = "" if task is None else f"WHERE {_ROW}"
    query = f"SELECT {columns} FROM {table} {where} ORDER BY {_TASK}{order}"
    return connection.execute(query, task or ())


def _array(rows: list[tuple[Any, ...]], path: str | Path) -> Floats:
    try:
        return np.array([row[1:] for row in rows], dtype=float).T
    except (TypeError, ValueError) as error:
        raise StoreError.damaged("the regret of each result", path, str(error)) from None
