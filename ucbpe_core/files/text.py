"""Text in files that are replaced whole, and JSON in them, of which every value reads back exactly.

A crash, a kill or a full disk leaves the earlier file intact. JSON is read more strictly than by
the standard library: no NaN, and each field once in its table.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import numpy as np

from ucbpe_core.errors import IllConditionedError, InputError, UCBPEError
from ucbpe_core.files.tables import REMEDY, from_plain
from ucbpe_core.support import limits
from ucbpe_core.support.optional import of_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PathLike = str | os.PathLike[str]
PathOrFile = PathLike | TextIO

fcntl: Any = of_system("fcntl")  # without it, as on Windows, nothing is locked

# Characters that are read of what has no size, such as a pipe or /dev/zero.
_MOST_STREAMED = 64 * 10**6
_OURS = "ucbpe-"  # with which every format of this package begins
_UNCHANGED = "open an unchanged copy; or remove the checksum from the file to open it as it is"


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file so that every reader finds the earlier content or all of the new one.

    The data go to a temporary file in the same folder, ``.ucbpe-<16 hex digits>.tmp``, which is
    synced to disk and then renamed over `path`. A process that is killed in between leaves it
    behind, and nothing else. A symbolic link is followed: the file that it names is replaced. An
    existing file keeps its permissions; other hard links to it keep the earlier content.

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
    temporary = target.with_name(f".ucbpe-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)  # noqa: PTH105 - the clearer name
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(target)  # nobody has asked for the other one
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
        if fcntl is not None:
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


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power failure, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def dumps(document: Any, what: str) -> str:
    """A document as one line of ASCII.

    Raises
    ------
    InputError
        For anything but tables, lists, text and finite numbers; `what` names the document.
    """
    try:
        return json.dumps(document, allow_nan=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        wanted = f"{what} of text and finite numbers"
        raise InputError(wanted, str(error), "use plain parameters") from None


def loads(text: str, name: str) -> Any:
    """The document in a text; `name` is that of its file.

    Raises
    ------
    InputError
        For text that is not JSON, is truncated or nested too deeply, and for a field that a table
        has twice. Numbers beyond the range of floats are read as infinite, for the caller to
        reject.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_table)
    except InputError:
        raise
    except RecursionError:
        raise too_deep(name) from None
    except ValueError as error:
        remedy = "it is damaged or cut short: copy or save it again"
        raise InputError(f"{name} to be JSON", str(error), remedy) from None


def digest(content: object) -> str:
    """SHA-256, 64 hexadecimal digits, of `content` as JSON: keys sorted, ASCII, no spaces."""
    try:
        text = json.dumps(
            content, sort_keys=True, allow_nan=False, separators=(",", ":"), default=_plain
        )
    except ValueError as error:
        raise InputError("numbers within the range of floats", str(error), _UNCHANGED) from None
    return sha256(text.encode("ascii")).hexdigest()


def check_digest(wanted: object, content: object, where: str) -> None:
    """Refuse altered content; None, of a file without a digest, is not checked."""
    found = digest(content)
    if wanted not in (None, found):
        got = f"content of {found[:16]}"
        raise InputError(f"content of {where} {str(wanted)[:16]}", got, _UNCHANGED)


def unreleased(got: str) -> InputError:
    """The error for a file of ours that no released version has written."""
    wanted = "a file of a released version, or of this one"
    remedy = "open it with the version that saved it, and take its table from there"
    return InputError(wanted, f"one of an earlier, unreleased version: {got}", remedy)


def too_deep(name: str) -> InputError:
    """The error for tables nested more deeply than those of any record."""
    return InputError(f"{name} with fewer nested tables", "too many levels", "save it again")


def name_of(path: PathOrFile) -> str:
    """The name of a file in an error."""
    return str(path) if isinstance(path, (str, os.PathLike)) else "the text"


def read(path: PathOrFile, what: str) -> str:
    """The text of a path or an open file, which should have `what`, as in "a trace".

    Without a byte order mark, which Notepad writes and neither JSON nor TOML allows.

    Raises
    ------
    InputError
        For a file that cannot be read or is not UTF-8, and for more than 64 MB of what is no
        regular file: it could be endless.
    TooLargeError
        For a regular file that is larger than memory.
    """
    if not isinstance(path, (str, os.PathLike)):
        return path.read().removeprefix("\ufeff")
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            about = os.fstat(file.fileno())
            if stat.S_ISREG(about.st_mode):  # its bytes, and the text
                limits.require(2 * about.st_size, f"the text of {path}", "check what it is")
                return file.read()
            text = file.read(_MOST_STREAMED + 1)
            if len(text) > _MOST_STREAMED:
                wanted = f"at most {_MOST_STREAMED // 10**6} MB in {path}, which is no regular file"
                raise InputError(wanted, "more", f"copy {what} to a file first")
            return text
    except UCBPEError:
        raise
    except OSError as error:
        raise InputError(f"{what} in {path}", error.strerror or str(error), "check it") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} as UTF-8 text", str(error), f"save {what} again") from None
    except ValueError as error:
        raise InputError(f"a path of {what}", f"{path!r}: {error}", "check it") from None


def require_regular(path: PathLike) -> None:
    """Raise InputError if there is something at a path that is no regular file, or a link to one.

    To a device or a pipe text can be written, but nothing that is there can be compared with it.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - never raise
        got = "a folder" if os.path.isdir(path) else "a device or a pipe"  # noqa: PTH112
        remedy = "name another path, or pass an open text file"
        raise InputError(f"{path} to be a regular file", got, remedy)


def write(text: str, path: PathOrFile) -> None:
    """Write text to a path, as `write_bytes` does, or to an open file.

    Raises
    ------
    InputError
        For a path that cannot be written, or text that UTF-8 cannot encode. An existing file is
        then left unchanged.
    """
    if not isinstance(path, (str, os.PathLike)):
        path.write(text)
        return
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("names that UTF-8 can encode", str(error), "rename the columns") from None
    try:
        write_bytes(path, data)
    except OSError as error:
        got = error.strerror or str(error)
        raise InputError(f"{path} to be writable", got, "name another path") from None
    except ValueError as error:
        raise InputError("a path to write to", f"{path!r}: {error}", "check it") from None


def parse(path: PathOrFile, what: str, format_: str, versions: Sequence[int]) -> dict[str, Any]:
    """The content of a file of that format, in one of these versions.

    Raises
    ------
    InputError
        For a file that cannot be read, is not JSON, or has another format or version.
    """
    given = loads(read(path, what), name_of(path))
    if not isinstance(given, dict) or given.get("format") != format_:
        got = given.get("format") if isinstance(given, dict) else None
        if isinstance(got, str) and got.startswith(_OURS):
            raise unreleased(f"format {got!r:.60}")
        raise InputError(f"a file of format {format_}", f"format {got!r:.60}", f"open {what}")
    version = from_plain(given.get("version"), int, "$.version")
    if version not in versions:
        wanted = f"a version up to {max(versions)} of the format"
        raise InputError(wanted, f"version {version}", "open it with a later release")
    return given


@contextlib.contextmanager
def building(path: PathOrFile) -> Iterator[None]:
    """Turn the numerical errors of a record with extreme parameters into `InputError`."""
    try:
        # Overflows of floats are infinite, and do not pass the checks.
        with np.errstate(all="ignore"):
            yield
    except RecursionError:
        raise too_deep(name_of(path)) from None
    except OverflowError as error:  # of integers, which have no infinity
        raise InputError("a prior within the range of numbers", str(error), REMEDY) from None
    except IllConditionedError as error:
        raise InputError(error.expected, error.got, REMEDY) from None


def _no_constant(name: str) -> NoReturn:
    raise InputError("numbers that are finite", name, "save the file again")


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise InputError("each field once", f"{twice!r:.60} twice", "save the file again")
    return table


def _plain(value: Any) -> Any:
    """NumPy numbers, which may be parameters of a schedule or policy."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r:.60} of type {type(value).__name__}")
