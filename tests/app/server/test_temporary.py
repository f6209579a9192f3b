"""Where temporary files go when the usual folders cannot be written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from ucbpe_app.server import temporary
from ucbpe_core.errors import InputError


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Python knows no folder for temporary files but what its environment names."""
    assert tmp_path.is_dir()  # pytest made it before
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(tempfile, "tempdir", None)
    usual = tempfile._candidate_tempdir_list  # type: ignore[attr-defined]
    monkeypatch.setattr(
        tempfile, "_candidate_tempdir_list", lambda: usual()[:1] if os.environ["TMPDIR"] else []
    )


@pytest.mark.usefixtures("nowhere")
def test_memory_is_taken_where_there_is_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(temporary, "_IN_MEMORY", str(tmp_path))
    temporary.provide_temporary_folder()
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(tmp_path)


@pytest.mark.usefixtures("nowhere")
def test_without_memory_either_the_error_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(temporary, "_IN_MEMORY", str(tmp_path / "none"))
    with pytest.raises(InputError, match="set TMPDIR"):
        temporary.provide_temporary_folder()


def test_a_folder_that_there_is_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    temporary.provide_temporary_folder()
    assert tempfile.gettempdir() == str(tmp_path)
