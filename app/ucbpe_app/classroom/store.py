"""Where the rooms of a server are: one SQLite file that all of its processes read and change."""

from __future__ import annotations

import gzip
import json
import secrets
import sqlite3
from contextlib import closing, contextmanager
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from typing import TYPE_CHECKING, Any

from ucbpe_app.classroom.room import Room, RoomError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST_ROOMS = 50
UNUSED = 2 * 60 * 60  # s after its last change, a room is deleted
FAREWELL = 5 * 60  # s in which phones can still see that a class is over
MOMENTS = 4  # of a room, the last ones: phones draw that of the round, and soon that of its reveal
# Neither vowels, which spell words, nor letters that look like others or like figures.
LETTERS, LENGTH = "CDFHJKLMNPQRTVWX", 4
_PATIENCE = 10.0  # s for which a change waits for that of another process

_TABLES = """
CREATE TABLE IF NOT EXISTS rooms (
    code TEXT PRIMARY KEY, owner TEXT NOT NULL, version INTEGER NOT NULL, used REAL NOT NULL,
    is_over INTEGER NOT NULL, value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS moments (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, code TEXT NOT NULL, data BLOB NOT NULL
);
"""
_OLD = "DELETE FROM moments WHERE code = :code AND number NOT IN (SELECT number FROM moments \
WHERE code = :code ORDER BY number DESC LIMIT :most)"


class Rooms:
    """The rooms in a file.

    Parameters
    ----------
    path
        Of the file, which is made if it is not there. Each process makes a `Rooms` of its own, or
        inherits one that it has not used before it was forked.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._connection: sqlite3.Connection | None = None  # SQLite forbids one from before a fork
        self._read: dict[str, tuple[tuple[str, int], Room]] = {}  # as last read, and which it was
        with closing(_connected(path)) as connection:
            connection.executescript(_TABLES)

    def open(self, now: float) -> tuple[Room, str]:
        """A new room, and the key of its owner, who alone has it.

        Raises
        ------
        RoomError
            If there are `MOST_ROOMS`.
        """
        self.sweep(now)
        owner = secrets.token_urlsafe(16)
        with self._changing() as connection:
            codes = {code for (code,) in connection.execute("SELECT code FROM rooms")}
            if len(codes) >= MOST_ROOMS:
                raise RoomError(f"at most {MOST_ROOMS} classes at once", "one more", "end another")
            code = _code()
            while code in codes:
                code = _code()
            room = Room(code, used=now)
            row = (code, _hashed(owner), room.version, now, False, room.to_json())
            connection.execute("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?)", row)
        return room, owner

    def find(self, code: str) -> Room | None:
        """The room of this code, in small or capital letters; None if there is none."""
        with self._using() as connection:
            return self._found(connection, code.upper())

    def own(self, code: str, owner: str) -> Room | None:
        """The room, for who has the key of its owner; None for others."""
        with self._using() as connection:
            room = self._found(connection, code.upper())
            if room is None:
                return None
            (hashed, _), _ = self._read[room.code]
            return room if compare_digest(hashed, _hashed(owner)) else None

    def change(self, code: str, verb: Callable[[Room], Room]) -> Room:
        """Change a room by one of its verbs, while no other process does; the room after that.

        Raises
        ------
        RoomError
            If there is no such room, or its verb refuses.
        """
        with self._changing() as connection:
            room = self._there(connection, code)
            after = verb(room)
            if after is not room:
                connection.execute(
                    "UPDATE rooms SET version = ?, used = ?, is_over = ?, value = ? WHERE code = ?",
                    (after.version, after.used, after.is_over, after.to_json(), after.code),
                )
            (owner, _), _ = self._read[room.code]
        self._read[room.code] = (owner, after.version), after  # now that it is written
        return after

    def put(self, code: str, moment: dict[str, Any]) -> str:
        """Keep what phones of a room are to draw; its id. Nobody can guess one."""
        name = secrets.token_urlsafe(16)
        text = json.dumps(moment, separators=(",", ":"), allow_nan=False)
        data = gzip.compress(text.encode(), mtime=0)
        with self._changing() as connection:
            code = self._there(connection, code).code
            connection.execute(
                "INSERT INTO moments (id, code, data) VALUES (?, ?, ?)", (name, code, data)
            )
            connection.execute(_OLD, {"code": code, "most": MOMENTS})
        return name

    def moment(self, code: str, name: str) -> bytes | None:
        """The JSON of what has been put in this room under this id, compressed by gzip."""
        query = "SELECT data FROM moments WHERE id = ? AND code = ?"
        with self._using() as connection:
            row = connection.execute(query, (name, code.upper())).fetchone()
        return row[0] if row else None

    def sweep(self, now: float) -> None:
        """Delete rooms that have not been used for two hours, or are over, with their moments."""
        with self._changing() as connection:
            connection.execute(
                "DELETE FROM rooms WHERE used < ? OR (is_over AND used < ?)",
                (now - UNUSED, now - FAREWELL),
            )
            connection.execute("DELETE FROM moments WHERE code NOT IN (SELECT code FROM rooms)")
            self._read.clear()

    def close(self) -> None:
        """Close the file, which opens again at the next use."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._connection is None:
                self._connection = _connected(self._path)
            yield self._connection

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, which no other process writes beside; undone by an error."""
        with self._using() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _found(self, connection: sqlite3.Connection, code: str) -> Room | None:
        """A room is read again only if it has changed: each phone asks once a second."""
        query = "SELECT owner, version FROM rooms WHERE code = ?"
        which = connection.execute(query, (code,)).fetchone()
        if which is None:
            self._read.pop(code, None)
            return None
        if code not in self._read or self._read[code][0] != which:
            query = "SELECT value FROM rooms WHERE code = ? AND owner = ?"
            row = connection.execute(query, (code, which[0])).fetchone()
            if row is None:  # deleted in between
                return None
            room = Room.from_json(row[0])
            self._read[code] = (which[0], room.version), room
        return self._read[code][1]

    def _there(self, connection: sqlite3.Connection, code: str) -> Room:
        room = self._found(connection, code.upper())
        if room is None:
            raise RoomError("the code of a class", code[:20], "look at the code on the screen")
        return room


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    # Readers do not wait for who writes. What a process has written is there when it is killed; a
    # room need not outlive the machine.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def _code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def _hashed(owner: str) -> str:
    return sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()
