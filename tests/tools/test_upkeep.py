"""What keeps the project: its picture, known vulnerabilities, packages of npm, digests of runs."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from tools import digests, npm
from tools.audit import found
from tools.structure import PICTURE, ROOT, picture


def test_the_picture_in_docs_is_the_one_of_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), (
        "expected docs/structure.svg as the imports are; run `python -m tools.structure`"
    )


FLAW = {"id": "PYSEC-1", "fix_versions": ["2.0", "1.9.1"]}


def test_a_vulnerability_is_a_line() -> None:
    report = {
        "dependencies": [
            {"name": "good", "version": "1.0", "vulns": []},
            {"name": "bad", "version": "1.8", "vulns": [FLAW, {"id": "X", "fix_versions": []}]},
            {"name": "unknown", "skip_reason": "not found"},
        ]
    }
    assert found(json.dumps(report)) == (
        2,
        3,
        ["bad 1.8: PYSEC-1, fixed in 2.0, 1.9.1", "bad 1.8: X, fixed in no version yet"],
    )


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


def test_a_run_is_equal_under_two_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    """Runs 0 and 1, without a fit, in processes of their own."""
    digests.main(["--runs", "2", "--cores", "Haswell", "Nehalem", "--threads", "1"])
    printed = capsys.readouterr().out
    assert "Nehalem (1): equal to Haswell (1)" in printed
    assert "2 runs equal" in printed


def test_what_differs_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It exits with 1, for a setting and for a file of another machine."""
    lines = {1: ["0 aa bb cc", "1 dd ee ff"], 2: ["0 aa bb cc", "1 dd e0 f0"]}
    monkeypatch.setattr(digests, "played_in", lambda core, threads, options: lines[threads])
    kept = tmp_path / "lines.txt"
    options = ["--runs", "2", "--cores", "Haswell"]
    with pytest.raises(SystemExit, match="1"):
        digests.main([*options, "--threads", "1", "2", "--each", str(kept)])
    printed = capsys.readouterr().out
    assert "Haswell (2): differs from Haswell (1)\n  run 1: masks, fits" in printed
    assert kept.read_text().splitlines() == lines[1]
    digests.main([*options, "--threads", "1", "--against", str(kept)])
    with pytest.raises(SystemExit, match="1"):
        digests.main([*options, "--threads", "2", "--against", str(kept)])
    assert digests.differences(lines[1], lines[1][:1]) == ["2 runs against 1"]


def test_the_five_files_to_read_first_are_as_long_as_it_says() -> None:
    text = (ROOT / "docs" / "developers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+\.py)` \|.*\| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for file, lines in rows:
        text = (ROOT / "ucbpe_core" / file).read_text(encoding="utf-8")
        assert len(text.splitlines()) == pytest.approx(int(lines), rel=0.1), file
