"""A store that is damaged, shared or full: errors of this package's, and nothing lost."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.study.studies import small
from tests.core.study.test_store import made_up
from ucbpe_core.study import Result, Store
from ucbpe_core.study.store import StoreError, to_dict


def content(path: Path) -> list[Any]:
    """All that a reader gets from a store."""
    with Store.open(path) as store:
        results = [
            (*vars(one).values(), *(one.simple, one.total, one.region_share))
            for one in store.results()
        ]
        return [to_dict(store.study), store.missing(), repr(results)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with 4 results, one of them a failure, and 2 runs missing."""
    study, path = small(replicates=1), tmp_path / "s.db"
    first, second, third, fourth, *_ = study.tasks()
    with Store.create_or_open(path, study) as opened:
        for task in (first, second, third):
            opened.add(made_up(task))
        opened.add(Result(*fourth, error="ValueError: no"))
    return path


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("content", "'[' || replace(hex(zeroblob(9999)), '0', '[')"),
        ("content", "json_set(content, '$.simple[0]', 'x')"),
        ("content", "json_remove(content, '$.total[0]')"),
        ("content", "replace(content, '\"total\": [', '\"total\": [NaN, ')"),
        ("content", "json_set(content, '$.batch_size', 'x')"),
    ],
)
def test_what_no_result_can_be_is_not_accepted(store: Path, column: str, value: str) -> None:
    connection = sqlite3.connect(store)
    with connection:
        connection.execute(f"UPDATE result SET {column} = {value} WHERE policy = 'PE'")
    connection.close()
    wanted = r"result of .*PE.* as stored.*; restore a copy, or run the study again"
    with Store.open(store) as opened:
        for read in (opened.planned, opened.missing, opened.digest):
            with pytest.raises(StoreError, match=wanted):
                read()


def test_a_damaged_page_is_found_at_opening(store: Path) -> None:
    """By SQLite's own check, though the study itself could still be read."""
    with Store.create_or_open(store, small(replicates=1)) as opened:
        for task in opened.missing():
            opened.add(replace(made_up(task), hyperparameters="x" * 9000))
    pages = bytearray(store.read_bytes())
    pages[-4096:] = bytes([0xFF]) * 4096
    store.write_bytes(pages)
    for attempt in (Store.open, lambda path: Store.create_or_open(path, small(replicates=1))):
        with pytest.raises(StoreError, match="restore a copy, or run the study again"):
            attempt(store)


@pytest.mark.parametrize("change", [{"simple": [np.nan] * 3}, {"replicate": 2**70}])
def test_values_that_no_store_can_hold(store: Path, change: dict[str, Any]) -> None:
    """The store stays as it was, and can be gone on with."""
    study, expected = small(replicates=1), content(store)
    with Store.create_or_open(store, study) as opened:
        with pytest.raises(StoreError):
            opened.add(replace(made_up(study.tasks()[0]), **change))
        assert content(store) == expected
        opened.add(made_up(study.tasks()[4]))
    assert len(content(store)[1]) == len(expected[1]) - 1


def test_a_store_in_use(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a process that holds it for longer than another one waits."""
    monkeypatch.setattr("ucbpe_core.study.store._BUSY_SECONDS", 0.01)
    connection = sqlite3.connect(store)
    connection.execute("BEGIN EXCLUSIVE")
    wait = "database is locked; wait until the other process"
    with pytest.raises(StoreError, match=wait):
        Store.create_or_open(store, small(replicates=1))
    with pytest.raises(StoreError, match=wait):
        Store.open(store)
    connection.close()
