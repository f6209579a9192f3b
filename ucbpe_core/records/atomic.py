"""Files that are replaced whole: a crash, a kill or a full disk leaves the earlier one intact."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    PathLike = str | os.PathLike[str]


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file so that every reader finds the earlier content or all of the new one.

    The data go to a temporary file in the same folder, ``.<16 hex digits>.tmp``, which is synced
    to disk and then renamed over `path`. A process that is killed in between leaves the temporary
    file behind, and nothing else. A symbolic link is followed: the file that it names is replaced.
    An existing file keeps its permissions; other hard links to it keep the earlier content.

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
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        _write_synced(temporary, data, mode)
        os.replace(temporary, target)  # noqa: PTH105 - the clearer name
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
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
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


def _write_synced(temporary: Path, data: bytes, mode: int | None) -> None:
    """Make a new file, with the permissions of the one that it replaces or the default ones."""
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
        if mode is not None:
            os.fchmod(descriptor, stat.S_IMODE(mode))
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power failure, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
