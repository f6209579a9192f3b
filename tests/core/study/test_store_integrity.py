"""A store that is damaged, old, shared or full: no other results, and errors of this package's."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.records.test_atomic import full_disk
from tests.core.study.studies import small
from tests.core.study.test_store import filled, made_up
from ucbpe_core import UCBPEError
from ucbpe_core.study import Result, Store, Task, config, database
from ucbpe_core.study.database import StoreError

# In each trial two processes, released together, make one new store and add a result each.
CREATE = """
import os, sys
from tests.core.study.studies import small
from tests.core.study.test_store import made_up
from ucbpe_core.study import Store
folder, trials, study = sys.argv[1], int(sys.argv[2]), small()
failed = 0
for trial in range(trials):
    ready, go = os.pipe()
    children = []
    for task in study.tasks()[:2]:
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(ready, 1)
            try:
                with Store.create_or_open(f"{folder}/{trial}.db", study) as store:
                    store.add(made_up(task))
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    os.close(ready), os.close(go)
    failed += sum(os.waitpid(child, 0)[1] != 0 for child in children)
    with Store.open(f"{folder}/{trial}.db") as store:
        failed += len(list(store.results())) != 2
print(failed)
"""
FORMAT_1 = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE result (
    problem TEXT, policy TEXT, replicate INTEGER,
    fingerprint TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    error TEXT, batch_size INTEGER NOT NULL, initialization INTEGER NOT NULL,
    hyperparameters TEXT NOT NULL,
    PRIMARY KEY (problem, policy, replicate)
) WITHOUT ROWID;
CREATE TABLE regret (
    problem TEXT, policy TEXT, replicate INTEGER, t INTEGER,
    simple REAL NOT NULL, total REAL NOT NULL, region_share REAL NOT NULL,
    PRIMARY KEY (problem, policy, replicate, t)
) WITHOUT ROWID;
CREATE TABLE timing (
    problem TEXT, policy TEXT, replicate INTEGER, seconds REAL NOT NULL,
    PRIMARY KEY (problem, policy, replicate)
) WITHOUT ROWID;
PRAGMA application_id = 1969451106;
PRAGMA user_version = 1;
"""


def content(path: Path) -> list[Any]:
    """All that a reader gets from a store."""
    with Store.open(path) as store:
        results = [
            (*vars(one).values(), *(one.simple, one.total, one.region_share))
            for one in store.results()
        ]
        return [config.to_json(store.study), store.missing(), repr(results)]


def outcome(path: Path) -> Any:
    try:
        return content(path)
    except UCBPEError as error:
        return type(error)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with 4 results in every table, one of them a failure, and 2 runs missing."""
    study, path = small(replicates=1), tmp_path / "s.db"
    first, second, third, fourth, *_ = study.tasks()
    with Store.create_or_open(path, study) as opened:
        for task in (first, second, third):
            opened.add(made_up(task))
        opened.add(Result(*fourth, error="ValueError: no"))
    return path


def flips(path: Path, stride: int) -> tuple[int, list[int]]:
    """How many single bit flips were tried, and at which bytes one was accepted."""
    whole, expected = path.read_bytes(), content(path)
    used = [at for at, byte in enumerate(whole) if byte]  # the rest is free space, nearly all
    accepted = []
    for i, at in enumerate(used[::stride]):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << i % 8
        path.write_bytes(damaged)
        found = outcome(path)
        if not isinstance(found, type) and found != expected:
            accepted.append(at)
    path.write_bytes(whole)
    assert content(path) == expected
    return len(used[::stride]), accepted


def test_no_flipped_bit_gives_other_results(store: Path) -> None:
    """Wherever it is in the file: an error of this package's, or the same content."""
    tried, accepted = flips(store, stride=7)
    assert tried > 400
    assert accepted == []


@pytest.mark.slow
def test_no_flipped_bit_anywhere_gives_other_results(store: Path) -> None:
    for _ in range(2):
        tried, accepted = flips(store, stride=1)
        assert tried > 3000
        assert accepted == []


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("study", "value = replace(value, '\"seed\":0', '\"seed\":1')"),
        ("result", "fingerprint = replace(fingerprint, 'a', 'b')"),
        ("result", "status = 'failed', error = 'x'"),
        ("result", "batch_size = batch_size + 1"),
        ("result", "hyperparameters = '{\"a\":3}'"),
        ("result", "digest = replace(digest, '1', '3')"),
        ("result", "replicate = replicate + 1"),
        ("regret", "simple = simple * 2 WHERE t = 2"),
        ("regret", "t = t + 8"),
        ("regret", "policy = 'PF' WHERE policy = 'PE'"),
        ("timing", "seconds = seconds + 1"),
        ("timing", "replicate = 2"),
    ],
)
def test_what_was_changed_is_not_accepted(store: Path, table: str, change: str) -> None:
    """In the payload of every table, by whatever means."""
    connection = sqlite3.connect(store)
    with connection:
        assert connection.execute(f"UPDATE {table} SET {change}").rowcount > 0
    connection.close()
    with pytest.raises(StoreError, match=r"as stored.*; restore a copy, or run the study again"):
        content(store)


@pytest.mark.parametrize(("table", "column"), [("result", "fingerprint"), ("regret", "policy")])
def test_no_digest_of_what_is_no_text(store: Path, table: str, column: str) -> None:
    """Bytes, as a damaged row can have them."""
    connection = sqlite3.connect(store)
    with connection:
        connection.execute(f"UPDATE {table} SET {column} = CAST({column} AS BLOB)")
    connection.close()
    with Store.open(store) as opened, pytest.raises(StoreError, match=f"table {table} in .*bytes"):
        opened.digest()


@pytest.mark.parametrize("tables", [("result", "regret", "timing"), ("regret",), ("timing",)])
def test_results_that_are_missing(store: Path, tables: tuple[str, ...]) -> None:
    """All of a result, or a part of it: it is not computed again in silence."""
    connection = sqlite3.connect(store)
    with connection:
        for table in tables:
            connection.execute(f"DELETE FROM {table} WHERE policy = 'PE'")
    connection.close()
    with pytest.raises(StoreError, match="as stored"):
        content(store)
    with (
        Store.create_or_open(store, small(replicates=1)) as opened,
        pytest.raises(StoreError, match="as stored"),
    ):
        opened.missing()


def old_store(path: Path) -> None:
    """As the last version wrote it: format 1, without digests."""
    with filled(path.with_name("new.db"), small()) as new:
        new.add(Result(*small().tasks()[0], error="ValueError: no"))
    connection = sqlite3.connect(path)
    connection.executescript(FORMAT_1)
    connection.execute("ATTACH ? AS new", [str(path.with_name("new.db"))])
    columns = "problem, policy, replicate"
    rest = "fingerprint, status, error, batch_size, initialization, hyperparameters"
    with connection:
        connection.execute("INSERT INTO study SELECT * FROM new.study WHERE key = 'plan'")
        connection.execute(f"INSERT INTO result SELECT {columns}, {rest} FROM new.result")
        connection.execute("INSERT INTO regret SELECT * FROM new.regret")
        connection.execute(f"INSERT INTO timing SELECT {columns}, seconds FROM new.timing")
    connection.close()


def test_a_store_of_the_last_version(tmp_path: Path) -> None:
    """It is read as it is; when its study goes on, the results get digests."""
    path, study = tmp_path / "s.db", small()
    old_store(path)
    expected, before = content(tmp_path / "new.db"), path.read_bytes()
    assert content(path) == expected
    assert path.read_bytes() == before
    with Store.create_or_open(path, study) as opened:
        assert opened.missing(retry_failed=True) == [study.tasks()[0]]
        opened.add(made_up(study.tasks()[0]))
    assert content(path)[1] == []
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE regret SET total = 3 WHERE policy = 'UCB' AND t = 1")
    connection.close()
    with pytest.raises(StoreError, match=r"the result of UCB on Curve, replicate 0, in"):
        content(path)


def create_at_once(folder: Path, trials: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CREATE, folder, str(trials)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "0", done.stderr


def test_two_processes_make_one_store(tmp_path: Path) -> None:
    """Both go on with it, and both results are in it."""
    create_at_once(tmp_path, trials=5)


@pytest.mark.slow
def test_two_processes_make_one_store_many_times(tmp_path: Path) -> None:
    create_at_once(tmp_path, trials=100)


def test_values_that_sqlite_stores_as_others(store: Path) -> None:
    """-0.0 becomes 0.0, and a whole number a float: no damage."""
    study = small(replicates=1)
    zero = replace(made_up(study.tasks()[4]), simple=[-0.0, 1.0, 2e300], seconds=2)  # type: ignore[arg-type]
    with Store.create_or_open(store, study) as opened:
        opened.add(zero)
        (found,) = (one for one in opened.results() if one.seconds == 2)
    np.testing.assert_array_equal(found.simple, zero.simple)


@pytest.mark.parametrize("change", [{"simple": [np.nan] * 3}, {"error": "\ud800"}])
def test_values_that_no_store_can_hold(store: Path, change: dict[str, Any]) -> None:
    """The store stays as it was, and can be gone on with."""
    study, expected = small(replicates=1), content(store)
    with Store.create_or_open(store, study) as opened:
        with pytest.raises(StoreError):
            opened.add(replace(made_up(study.tasks()[0]), **change))
        assert content(store) == expected
        opened.add(made_up(study.tasks()[4]))
    assert len(content(store)[1]) == len(expected[1]) - 1


def test_a_full_disk(store: Path) -> None:
    study, expected = small(replicates=1), content(store)
    with Store.create_or_open(store, study) as opened:
        with full_disk(100), pytest.raises(StoreError, match=r"disk.*stored results are kept"):
            opened.add(made_up(study.tasks()[4]))
        assert content(store) == expected
        opened.add(made_up(study.tasks()[4]))


def test_a_store_in_use(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a process that holds it for longer than another one waits."""
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.01)
    connection = sqlite3.connect(store)
    connection.execute("BEGIN EXCLUSIVE")
    wait = "database is locked; wait until the other process"
    with pytest.raises(StoreError, match=wait):
        Store.create_or_open(store, small(replicates=1))
    with pytest.raises(StoreError, match=wait):
        Store.open(store)
    connection.close()


def test_a_file_cut_short(store: Path) -> None:
    whole = store.read_bytes()
    for size in (5000, 9000, 17000):
        store.write_bytes(whole[:size])
        with pytest.raises(UCBPEError):
            content(store)


def test_a_task_is_sealed_alone(tmp_path: Path) -> None:
    """Adding one result reads that one: the cost does not grow with the store."""
    study, statements = small(), list[str]()
    with filled(tmp_path / "s.db", study) as opened:
        opened._connection.set_trace_callback(statements.append)
        opened.add(made_up(Task(*study.tasks()[0])))
        opened._connection.set_trace_callback(None)
    reads = [one for one in statements if one.startswith("SELECT")]
    assert reads
    assert all("WHERE" in one for one in reads)
