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


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.split(r"[ .]", block)[1])
def test_each_block_runs(block: str, tmp_path: Path) -> None:
    """In an interpreter of its own: it imports all that it uses."""
    for name in re.findall(r"^(?:from|import) (\w+)", block, re.MULTILINE):
        pytest.importorskip(name, reason=f"{name} is not installed")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{block}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
