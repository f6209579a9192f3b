"""The rows of a store as results, and the digests of what it holds.

Each result has its own digest, and another covers the set of results: a result is accepted only if
its digest is the one stored with it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.study.database import FORMAT, StoreError
from ucbpe_core.study.plan import Task
from ucbpe_core.study.run import Result

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

_TASK = "problem, policy, replicate"
RESULT = f"{_TASK}, fingerprint, status, error, batch_size, initialization, hyperparameters"
REGRET = f"{_TASK}, t, simple, total, region_share"
THIS = "WHERE problem = ? AND policy = ? AND replicate = ?"
_MODULUS = 2**256


class Stored(NamedTuple):
    """A result as the tables have it, the digests of its content and of its time, and those stored.

    `stored` is None in a file of format 1.
    """

    result: Result
    digests: tuple[str, str]
    stored: tuple[str, str] | None


def load(
    connection: sqlite3.Connection, path: str | Path, known: int, task: Task | None = None
) -> dict[Task, Stored]:
    """Every result of a file of format `known`, or that of one task, in the order of tasks."""
    where, key = ("", ()) if task is None else (THIS, task)

    def rows(table: str, columns: str, order: str = _TASK) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM {table} {where} ORDER BY {order}"
        return connection.execute(query, key)

    stored = "digest" if known == FORMAT else "NULL"
    seconds = {Task(*row[:3]): row[3:] for row in rows("timing", f"{_TASK}, seconds, {stored}")}
    curves = defaultdict[Task, list[Any]](list)
    for row in rows("regret", REGRET, f"{_TASK}, t"):
        curves[Task(*row[:3])].append(row[3:])
    found = {}
    for *columns, digest in rows("result", f"{RESULT}, {stored}"):
        one = Task(*columns[:3])
        batches = curves.pop(one, [])
        time, digest_of_time = seconds.pop(one, (None, None))
        digests = digest_of(columns, batches), digest_of(one, time)
        pair = (digest, digest_of_time) if known == FORMAT else None
        found[one] = Stored(_result(one, columns, batches, time, path), digests, pair)
    if curves or seconds:
        left = next(iter((*curves, *seconds)))
        raise StoreError.damaged("the regret and time of each result", path, f"others, of {left}")
    return found


def _result(task: Task, row: list[Any], batches: list[Any], time: Any, path: str | Path) -> Result:
    try:
        simple, total, share = np.array(batches, dtype=float).reshape(-1, 4).T[1:]
        numbers = dict(
            zip(("batch_size", "initialization", "hyperparameters"), row[6:], strict=True)
        )
        return Result(*task, row[5], simple, total, share, seconds=float(time), **numbers)
    except (TypeError, ValueError) as error:
        what = f"the regret and time of {task.policy} on {task.problem}"
        raise StoreError.damaged(what, path, str(error)) from None


def begin(connection: sqlite3.Connection) -> None:
    """Write the digest of an empty set of results, unless there is one already."""
    empty = ("results", _total(0, 0))
    connection.execute("INSERT OR IGNORE INTO study VALUES (?, ?)", empty)


def seal(connection: sqlite3.Connection, path: str | Path, task: Task) -> None:
    """Write the digests of a result that was just stored, as it is read back.

    SQLite stores some values as others: -0.0 as 0.0.
    """
    (stored,) = load(connection, path, FORMAT, task).values()
    for table, digest in zip(("result", "timing"), stored.digests, strict=True):
        connection.execute(f"UPDATE {table} SET digest = ? {THIS}", (digest, *task))
    count(connection, path, stored.digests[0], 1)


def check(connection: sqlite3.Connection, path: str | Path, found: dict[Task, Stored]) -> None:
    """Compare everything in the store, as it was read, with its digests."""
    for task, one in found.items():
        if one.digests != one.stored:
            what = f"the result of {task.policy} on {task.problem}, replicate {task.replicate},"
            raise StoreError.damaged(what, path, "other data")
    total = sum(int(one.digests[0], 16) for one in found.values())
    if value(connection, "results") != _total(len(found), total):
        raise StoreError.damaged("the results", path, "others, or some of them missing")


def count(connection: sqlite3.Connection, path: str | Path, digest: Any, sign: int) -> None:
    """Add a result's digest to, or take it from, the number and the sum of all."""
    try:
        count, total = value(connection, "results").split()
        text = _total(int(count) + sign, int(total, 16) + sign * int(digest, 16))
    except (AttributeError, TypeError, ValueError) as error:
        raise StoreError.damaged("the digests", path, str(error)) from None
    put(connection, "results", text)


def _total(count: int, total: int) -> str:
    return f"{count} {total % _MODULUS:064x}"


def digest_of(*content: object) -> str:
    """SHA-256 of plain values, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, default=repr).encode()).hexdigest()


def value(connection: sqlite3.Connection, key: str) -> Any:
    """The value of a key in the table `study`; None without it."""
    row = connection.execute("SELECT value FROM study WHERE key = ?", [key]).fetchone()
    return None if row is None else row[0]


def put(connection: sqlite3.Connection, key: str, text: str) -> None:
    """Write the value of a key."""
    connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", [key, text])
