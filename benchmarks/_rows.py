"""Runs that are kept: a file with a line of JSON for each, so that only what it lacks is run."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

Run = TypeVar("Run", bound="tuple[Any, ...]")


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Of Python, of what computes, of the functions and of a method's packages, where installed."""
    found = {"python": platform.python_version()}
    for name in ("numpy", "scipy", "coco-experiment", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def read(store: Path) -> list[dict[str, Any]]:
    """All rows that were kept."""
    if not store.exists():
        return []
    return [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]


def lacking(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], every: Iterable[Run]
) -> Iterator[Run]:
    """Of `every` run, told by its values in these columns, those that no row is of."""
    done = {tuple(row[name] for name in columns) for row in rows}
    return (run for run in every if run not in done)


def keep(store: Path, row: Mapping[str, Any]) -> None:
    """Add a row, with what every row has."""
    threads = int(os.environ.get("OMP_NUM_THREADS", "0"))  # 0: as many as there are
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**row, "threads": threads}) + "\n")


def fill(
    store: Path,
    columns: Sequence[str],
    every: Iterable[tuple[Any, ...]],
    run: Callable[..., dict[str, Any]],
    seconds: float = float("inf"),
    **alike: Any,
) -> int:
    """Keep a row of each of `every` run that has none yet; after so many seconds, none begins.

    A run is told by its values in these columns, among the rows that have what is `alike` in all.
    `run` takes these values and returns what its row has beside them. Returns how many were kept.
    """
    until, count = time.monotonic() + seconds, 0
    rows = [row for row in read(store) if alike.items() <= row.items()]
    for values in lacking(rows, columns, every):
        if time.monotonic() > until:
            break
        cell = dict(zip(columns, values, strict=True))
        keep(store, alike | cell | run(*values))
        count += 1
    return count
