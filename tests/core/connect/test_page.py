"""Each block of docs/connect.md runs as printed, where what it connects to is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import blocks
from tests.processes import ROOT

BLOCKS = blocks("connect.md")
HERE = ROOT / "ucbpe_core" / "connect"
MODULES = {path.stem for path in HERE.glob("*.py")} - {"__init__", "terms"}


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.split(r"[ .]", block)[1])
def test_each_block_runs(block: str, tmp_path: Path) -> None:
    """In an interpreter of its own: it imports all that it uses."""
    for name in re.findall(r"^(?:from|import) (\w+)", block, re.MULTILINE):
        pytest.importorskip(name, reason=f"{name} is not installed")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{block}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_connection_is_on_the_page() -> None:
    """Each module is used by a block, and each extra is in pyproject.toml."""
    text = (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")
    for name in MODULES:
        assert f"ucbpe_core.connect.{name} import" in text, name
    extras = re.findall(r"^\| [^|]+ \| `(\w+)` \|", text, re.MULTILINE)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert len(extras) == 6
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in extras)
