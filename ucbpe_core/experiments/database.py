"""The SQLite file behind a store: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ucbpe_core.errors import InputError

_APPLICATION = 0x75637062  # "ucpb" in the file header: tells a study from any other database
_FORMAT = 1
_BUSY_SECONDS = 60.0  # how long a reader's lock may hold up a write
_SCHEMA = """
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
"""


def connect(path: str | Path, *, create: bool) -> sqlite3.Connection:
    """Open the file for writing even where only reading follows.

    After a crash the first to open it rolls the unfinished transaction back.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"a folder {path.parent}", "none", "make it, or write elsewhere")
    if path.is_dir() or not (create or path.is_file()):
        what = "a folder" if path.is_dir() else "none"
        raise InputError(f"a store at {path}", what, "check the path, or run the study first")
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        _ensure_schema(connection, path, create=create)
    except BaseException:
        connection.close()
        raise
    return connection


def _ensure_schema(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    try:
        application, version, tables = (
            connection.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path} to be a store", str(error), "name another file") from None
    if create and not tables and not application:
        # One transaction: a crash leaves either an empty file or a store.
        connection.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {_APPLICATION};"
            f" PRAGMA user_version = {_FORMAT}; COMMIT;"
        )
    elif application != _APPLICATION:
        raise InputError(f"{path} to be a store", "another database", "name another file")
    elif version != _FORMAT:
        remedy = "use the version of this package that wrote it, or name another file"
        raise InputError(f"a store of format {_FORMAT}", f"format {version}", remedy)
