"""Files that are replaced whole: a crash, a kill or a full disk leaves the earlier one intact."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ucbpe_core.extras import of_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    PathLike = str | os.PathLike[str]

fcntl: Any = of_system("fcntl")  # without it, as on Windows, nothing is locked

_PREFIX, _SUFFIX = ".ucbpe-", ".tmp"
# Folders where this process has looked for what an earlier one left.
_tidied: set[Path] = set()


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file so that every reader finds the earlier content or all of the new one.

    The data go to a temporary file in the same folder, ``.ucbpe-<16 hex digits>.tmp``, which is
    synced to disk and then renamed over `path`. A process that is killed in between leaves it
    behind, and nothing else; the next process that writes in the folder removes it. A symbolic link
    is followed: the file that it names is replaced. An existing file keeps its permissions; other
    hard links to it keep the earlier content.

    What is not a regular file (a pipe, ``/dev/stdout``) is written to directly.

    Raises
    ------
    OSError
        If the file is write-protected, or the folder cannot be written, or the disk is full.
    ValueError
        For a path with a NUL character.
    """
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)
        return
    if mode is not None and not os.access(target, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    if target.parent not in _tidied:
        _remove_abandoned(target.parent)
        _tidied.add(target.parent)
    temporary, file = _new_file(target.parent)
    try:
        with file:
            _write_synced(file, data, mode)
            # Under its lock, so that it is not taken for one that was left behind.
            if fcntl is not None:
                os.replace(temporary, target)  # noqa: PTH105 - the clearer name
        if fcntl is None:  # Windows renames no open file
            os.replace(temporary, target)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


@contextlib.contextmanager
def locked(path: PathLike) -> Iterator[None]:
    """Block other processes and threads that ask for the lock of the same folder.

    The system releases it when the process ends, however it ends. No file is left in the folder; if
    that cannot be opened or locked, nothing is blocked.
    """
    try:
        descriptor = os.open(Path(os.path.realpath(path)).parent, os.O_RDONLY)
    except (OSError, ValueError):
        yield
        return
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def write_text(path: PathLike, text: str) -> None:
    """As `write_bytes`, the text as UTF-8."""
    write_bytes(path, text.encode("utf-8"))


def _mode(target: Path) -> int | None:
    try:
        return target.lstat().st_mode
    except FileNotFoundError:
        return None


def _new_file(folder: Path) -> tuple[Path, IO[bytes]]:
    """A new temporary file with the default permissions, locked while it is open."""
    while True:
        path = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        _lock(descriptor)
        if os.fstat(descriptor).st_nlink:  # else removed as abandoned, before it was locked
            return path, open(descriptor, "wb")  # noqa: PTH123 - a descriptor
        os.close(descriptor)


def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes that were killed: those that nobody has locked."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{_PREFIX}{'[0-9a-f]' * 16}{_SUFFIX}"):
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                finally:
                    os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Wait for the lock of an open file or folder, where the system has such locks."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _write_synced(file: IO[bytes], data: bytes, mode: int | None) -> None:
    """Write to a new file, with the permissions of the one that it replaces, if any."""
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), stat.S_IMODE(mode))
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power failure, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
