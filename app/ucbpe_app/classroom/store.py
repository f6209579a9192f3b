"""Where the rooms of a server are: one SQLite file that all of its processes read and change."""

from __future__ import annotations

import gzip
import json
import os
import secrets
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ucbpe_app.classroom.room import Room, RoomError, hashed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_ROOMS = 50
UNUSED = 2 * 60 * 60  # s after its last change, a room is deleted
MOMENTS = 4  # of a room, the last ones: phones draw that of the round, and soon that of its reveal
# Neither vowels, which spell words, nor letters that look like others or like figures.
LETTERS, LENGTH = "CDFHJKLMNPQRTVWX", 4
_PATIENCE = 5.0  # s for which a change waits for that of another process

# Readers do not wait for who writes. What a process has written is there when it is killed; a room
# need not outlive the machine.
_SETTINGS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
_TABLES = """
CREATE TABLE IF NOT EXISTS rooms (code PRIMARY KEY, owner, version, used, value);
CREATE TABLE IF NOT EXISTS moments (number INTEGER PRIMARY KEY, id UNIQUE, code, data);
"""
_OLD = """
DELETE FROM moments WHERE code = :code AND number NOT IN
    (SELECT number FROM moments WHERE code = :code ORDER BY number DESC LIMIT :most)
"""


class Rooms:
    """The rooms in a file.

    Parameters
    ----------
    path
        Of the file, which is made if it is not there. Each process makes a `Rooms` of its own, or
        inherits one that was not used before it was forked.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock, self._process = path, Lock(), os.getpid()
        self._connection: sqlite3.Connection | None = None  # SQLite forbids one from before a fork
        self._read: dict[str, Room] = {}  # as last read
        with closing(_connected(path)) as connection:
            connection.executescript(_TABLES)

    def open(self, now: float) -> tuple[Room, str]:
        """A new room, and the key of its owner, which is kept nowhere else.

        Raises
        ------
        RoomError
            If there are `MOST_ROOMS`.
        """
        self.sweep(now)
        owner = secrets.token_urlsafe(16)
        with self._transaction() as connection:
            codes = {code for (code,) in connection.execute("SELECT code FROM rooms")}
            if len(codes) >= MOST_ROOMS:
                raise RoomError(f"at most {MOST_ROOMS} classes at once", "one more", "end another")
            while (code := "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) in codes:
                pass
            room = Room(code, hashed(owner), used=now)
            _write(connection, room)
        return room, owner

    def find(self, code: str) -> Room | None:
        """The room of this code, in small or capital letters; None if there is none."""
        with self._transaction("DEFERRED") as connection:
            return self._found(connection, code)

    def own(self, code: str, owner: str) -> Room | None:
        """The room, for who has the key of its owner; None for others."""
        room = self.find(code)
        return room if room and secrets.compare_digest(room.owner, hashed(owner)) else None

    def change(self, code: str, verb: Callable[[Room], Room]) -> Room:
        """Change a room by one of its verbs, while no other process does; the room after that.

        Raises
        ------
        RoomError
            If there is no such room, or its verb refuses.
        """
        with self._transaction() as connection:
            before = self._there(connection, code)
            after = verb(before)
            if after is not before:
                _write(connection, after)
        self._read[after.code] = after  # now that it is written
        return after

    def put(self, code: str, moment: dict[str, Any]) -> str:
        """Keep what phones of a room are to draw; its id, which nobody can guess."""
        name = secrets.token_urlsafe(16)
        text = json.dumps(moment, separators=(",", ":"), allow_nan=False)
        data = gzip.compress(text.encode(), mtime=0)
        with self._transaction() as connection:
            code = self._there(connection, code).code
            connection.execute("INSERT INTO moments VALUES (NULL, ?, ?, ?)", (name, code, data))
            connection.execute(_OLD, {"code": code, "most": MOMENTS})
        return name

    def moment(self, code: str, name: str) -> bytes | None:
        """The JSON of what was put in this room under this id, compressed by gzip."""
        query = "SELECT data FROM moments WHERE id = ? AND code = ?"
        with self._transaction("DEFERRED") as connection:
            row = connection.execute(query, (name, code.upper())).fetchone()
        return row[0] if row else None

    def sweep(self, now: float, ended: str = "") -> None:
        """Delete rooms that have not been used for two hours, and one that has ended."""
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM rooms WHERE used < ? OR code = ?", (now - UNUSED, ended)
            )
            connection.execute("DELETE FROM moments WHERE code NOT IN (SELECT code FROM rooms)")
            self._read.clear()

    def close(self) -> None:
        """Close the file, which opens again at the next use."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def delete(self) -> None:
        """Close the file, and delete it unless another process has made it."""
        self.close()
        if os.getpid() == self._process:
            for end in ("", "-wal", "-shm"):
                Path(f"{self._path}{end}").unlink(missing_ok=True)

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """What is written in it, no other process writes beside; undone by an error."""
        with self._lock:
            if self._connection is None:
                self._connection = _connected(self._path)
            with self._connection as connection:
                connection.execute(f"BEGIN {kind}")
                yield connection

    def _found(self, connection: sqlite3.Connection, code: str) -> Room | None:
        """Read a room again only if it has changed: each phone asks once a second."""
        code = code.upper()
        query = "SELECT owner, version FROM rooms WHERE code = ?"
        which = connection.execute(query, (code,)).fetchone()
        room = self._read.get(code)
        if which and (room is None or (room.owner, room.version) != which):
            query = "SELECT value FROM rooms WHERE code = ?"
            room = Room.from_json(*connection.execute(query, (code,)).fetchone())
            self._read[code] = room
        return room if which else None

    def _there(self, connection: sqlite3.Connection, code: str) -> Room:
        room = self._found(connection, code)
        if room is None:
            raise RoomError("the code of a class", code[:20], "look at the code on the screen")
        return room


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.executescript(_SETTINGS)
    return connection


def _write(connection: sqlite3.Connection, room: Room) -> None:
    row = (room.code, room.owner, room.version, room.used, room.to_json())
    connection.execute("REPLACE INTO rooms VALUES (?, ?, ?, ?, ?)", row)
