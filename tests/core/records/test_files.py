"""Files that are replaced whole (kills, failures, permissions, links), and what JSON is refused."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.core.runs import fresh, small_run
from tests.core.study.studies import small
from ucbpe_core import Experiment, InputError, Trace
from ucbpe_core.files import text as files
from ucbpe_core.study import Store, load_study

EARLIER = b"the earlier content"


@contextmanager
def full_disk(most: int = 0) -> Iterator[None]:
    """No file of this process grows beyond `most` bytes: the write fails, as on a full disk."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def names(folder: Path) -> list[str]:
    """Of all files in a folder."""
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("when", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Which may be said as late as when the data are synced."""

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "file"
    path.write_bytes(EARLIER)
    if when != "write":
        monkeypatch.setattr(os, when, fail)
    wanted = r"to be writable; got (No space left on device|File too large); name an"
    with full_disk() if when == "write" else nullcontext(), pytest.raises(InputError, match=wanted):
        files.write("new", path)
    monkeypatch.undo()
    assert (path.read_bytes(), names(tmp_path)) == (EARLIER, ["file"])


def test_content_is_synced_before_the_name_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the folder after it, or a loss of power could undo or tear what was saved."""
    calls: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def replaced(*names: Any) -> None:
        calls.append("replace")
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    files.write_text(tmp_path / "file", "ä")
    assert calls == ["file", "replace", "folder"]
    assert (tmp_path / "file").read_bytes() == "ä".encode()


def test_permissions_are_kept(tmp_path: Path) -> None:
    """A new file has those that any other new file has."""
    path, new, usual = tmp_path / "file", tmp_path / "new", tmp_path / "usual"
    path.write_bytes(EARLIER)
    path.chmod(0o640)
    usual.touch()
    files.write_bytes(path, b"new")
    files.write_bytes(new, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_write_protected_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming would not ask for the permission, which the superuser always has."""
    path = tmp_path / "file"
    path.write_bytes(EARLIER)
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="to be writable; got Permission denied"):
        files.write("new", path)
    assert path.read_bytes() == EARLIER


def test_what_is_no_regular_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.write_bytes(pipe, b"new")
        assert os.read(reader, 9) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("path", ["a\0b", "\ud800\0"])
def test_a_path_with_nul(path: str) -> None:
    """What no file can be called is an error of ours, wherever a path is taken."""
    for attempt in (
        lambda: fresh().save(path),
        lambda: Experiment.load(path),
        lambda: small_run().to_csv(path),
        lambda: Trace.load(path),
        lambda: load_study(path),
        lambda: Store.open(path),
        lambda: Store.create_or_open(path, small()),
    ):
        with pytest.raises(InputError, match="path"):
            attempt()


def test_each_field_is_there_once() -> None:
    """In time that grows with their number; an error does not repeat all that it found."""
    pairs = ",".join(f'"{"x" * 999}{i}":0,"{"x" * 999}{i}":0' for i in range(300))
    with pytest.raises(InputError, match=r"each field once; got 'x+ twice") as caught:
        files.loads(f"{{{pairs}}}", "f")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_bounded(opening: str, closing: str) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "0" + closing * levels

    assert files.loads(nested(200), "f")
    with pytest.raises(InputError, match="f with fewer nested tables; got too many levels"):
        files.loads(nested(10**6), "f")


MARK = "\ufeff"


def test_a_mark_is_dropped_once_and_only_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for wrong in (f'{MARK}{MARK}{{"a": 1}}', f'{{"a"{MARK}: 1}}'):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="to be JSON"):
            files.parse(path, "a trace", "trace", (1,))
    path.write_text(f'{{"a": 1}}{MARK}', encoding="utf-16")
    with pytest.raises(InputError, match="as UTF-8 text"):
        files.parse(path, "a trace", "trace", (1,))
