"""The SQLite file behind a store: its tables, how it is opened, and what its errors mean."""

from __future__ import annotations

import contextlib
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterator

_APPLICATION = 0x75637062  # "ucpb" in the file header: marks a database as a study
FORMAT = 2  # no single bit makes it 1, the format without digests
_BUSY_SECONDS = 60.0  # how long a reader's lock may hold up a write
_SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE result (
    problem TEXT, policy TEXT, replicate INTEGER,
    fingerprint TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    error TEXT, batch_size INTEGER NOT NULL, initialization INTEGER NOT NULL,
    hyperparameters TEXT NOT NULL, digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (problem, policy, replicate)
) WITHOUT ROWID;
CREATE TABLE regret (
    problem TEXT, policy TEXT, replicate INTEGER, t INTEGER,
    simple REAL NOT NULL, total REAL NOT NULL, region_share REAL NOT NULL,
    PRIMARY KEY (problem, policy, replicate, t)
) WITHOUT ROWID;
CREATE TABLE timing (
    problem TEXT, policy TEXT, replicate INTEGER, seconds REAL NOT NULL,
    digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (problem, policy, replicate)
) WITHOUT ROWID;
"""
_FROM_1 = """
ALTER TABLE result ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE timing ADD COLUMN digest TEXT NOT NULL DEFAULT '';
"""
_DAMAGED = "restore a copy, or run the study again into another file"
_WAIT = "wait until the other process that uses it has ended"
_CHECK = "check the path and the permissions"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: _WAIT,
    sqlite3.SQLITE_LOCKED: _WAIT,
    sqlite3.SQLITE_FULL: "make room on the disk; stored results are kept",
    sqlite3.SQLITE_IOERR: "check the disk; stored results are kept",
    sqlite3.SQLITE_READONLY: "open it for writing, with the permission to",
    sqlite3.SQLITE_CANTOPEN: _CHECK,
    sqlite3.SQLITE_PERM: _CHECK,
    sqlite3.SQLITE_CONSTRAINT: "store numbers that are not NaN, each result once",
}


class StoreError(UCBPEError):
    """A store that is damaged, in use, or cannot be read or written."""

    @classmethod
    def damaged(cls, what: str, path: str | Path, got: str) -> StoreError:
        """The error of a store that does not hold what was stored."""
        return cls(f"{what} in {path} as stored", got, _DAMAGED)


@contextmanager
def transaction(
    connection: sqlite3.Connection, path: str | Path, kind: str = "IMMEDIATE"
) -> Iterator[None]:
    """All that is done inside, or none of it; reads see one state of the file.

    An immediate one waits for other writers before it reads, a deferred one is for reading.

    Raises
    ------
    InputError
        For a file that is not a database.
    StoreError
        For any other error of SQLite, and for values that it cannot hold.
    """
    try:
        connection.execute(f"BEGIN {kind}")
        yield
        connection.commit()
    except BaseException as error:
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        if isinstance(error, sqlite3.Error):
            raise _explained(error, path) from error
        if isinstance(error, OverflowError | UnicodeError):
            remedy = "use text that UTF-8 can encode and 64-bit numbers"
            raise StoreError(f"values that {path} can hold", str(error), remedy) from error
        raise


def connect(path: str | Path, *, create: bool) -> sqlite3.Connection:
    """Open the file for writing even where only reading follows.

    After a crash the first to open it rolls the unfinished transaction back.
    """
    if "\0" in str(path):
        raise InputError("a path of a store", f"{str(path)!r}, with NUL", "check it")
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"a folder {path.parent}", "none", "make it, or write elsewhere")
    if path.is_dir() or not (create or path.is_file()):
        what = "a folder" if path.is_dir() else "none"
        raise InputError(f"a store at {path}", what, "check the path, or run the study first")
    try:
        return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise _explained(error, path) from error


def version(connection: sqlite3.Connection, path: str | Path) -> int:
    """The format of the file; 0 for one without tables.

    Raises
    ------
    InputError
        For another database, or a format that this package cannot read.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (known,) = connection.execute("PRAGMA user_version").fetchone()
    if not tables and not application:
        return 0
    if application != _APPLICATION:
        raise InputError(f"{path} to be a store", "another database", "name another file")
    if not 1 <= known <= FORMAT:
        remedy = "use the version of this package that wrote it, or name another file"
        raise InputError(f"a store of format {FORMAT} or earlier", f"format {known}", remedy)
    return int(known)


def bring_up_to_date(connection: sqlite3.Connection, known: int) -> None:
    """Make the tables, or add to those of format 1 the columns that they lack.

    For use inside a transaction: a crash leaves the file as it was.
    """
    for statement in (_SCHEMA if known == 0 else _FROM_1).split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _explained(error: sqlite3.Error, path: str | Path) -> UCBPEError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is where it occurred
    if code == sqlite3.SQLITE_NOTADB:
        return InputError(f"{path} to be a store", str(error), "name another file")
    remedy = _REMEDIES.get(code, _DAMAGED)
    return StoreError(f"{path} to be read or written", str(error), remedy)
