"""Packages of npm: fetched once, and only as they are known."""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import tarfile
from pathlib import Path

import pytest

from tools import npm

NPM = """#!/bin/sh
# npm pack NAME@VERSION --pack-destination FOLDER --silent
echo called >> {calls}
cp {archive} "$4/made.tgz"
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An npm that has one package, and notes when it is called."""
    archive, calls, program = (tmp_path / name for name in ("x.tgz", "calls", "npm"))
    with tarfile.open(archive, "w:gz") as members:
        for name in ("package/dist/x.js", "../outside.js"):
            about = tarfile.TarInfo(name)
            about.size = 4
            members.addfile(about, io.BytesIO(b"code"))
    program.write_text(NPM.format(calls=calls, archive=archive), encoding="utf-8")
    program.chmod(0o755)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    monkeypatch.setattr(npm, "PACKAGES", {"x": ("1.0.0", digest), "y": ("1.0.0", "another")})
    monkeypatch.setattr(npm, "FOLDER", tmp_path / "deeper" / "npm")
    monkeypatch.setattr(shutil, "which", lambda _: str(program))
    return calls


def test_a_package_is_fetched_once_and_unpacked(calls: Path, tmp_path: Path) -> None:
    for _ in range(2):
        folder = npm.package("x")
        assert folder == tmp_path / "deeper/npm/x-1.0.0"
        assert (folder / "dist/x.js").read_bytes() == b"code"
    assert calls.read_text(encoding="utf-8") == "called\n"
    assert [path.name for path in npm.FOLDER.iterdir()] == ["x-1.0.0"]
    assert not list(tmp_path.rglob("outside.js"))


def test_another_archive_than_the_known_one_is_an_error(calls: Path) -> None:
    with pytest.raises(RuntimeError, match=r"expected y@1\.0\.0 with SHA-512 another") as raised:
        npm.package("y")
    assert not isinstance(raised.value, npm.NoPackageError)  # it would be skipped
    assert list(npm.FOLDER.iterdir()) == []
