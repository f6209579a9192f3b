"""What the commands write: on a full disk the earlier files stay as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.records.test_files import full_disk
from ucbpe_app.cli import main

EARLIER = b"the earlier content"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lesson.html"
    file.write_bytes(EARLIER)
    command = ["lesson", "--link", "problem=thin_peak&K=2&T=1&initial=2", "--out", str(file)]
    with full_disk():
        assert main(command) == 2
    assert "File too large" in capsys.readouterr().err
    assert contents(tmp_path) == {"lesson.html": EARLIER}
    assert main(command) == 0
    assert file.read_bytes().endswith(b"</html>\n")
