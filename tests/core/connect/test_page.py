"""Each block of docs/connect.md runs as printed, where what it connects to is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import blocks
from tests.processes import ROOT

BLOCKS = blocks("connect.md")
HERE = ROOT / "ucbpe_core" / "connect"
MODULES = {path.stem for path in HERE.glob("*.py")} - {"__init__", "optuna_problem", "terms"}
OTHERS = ("sklearn", "pandas", "xarray", "torch", "botorch", "optuna")


def others(block: str) -> tuple[str, ...]:
    """The libraries that a block imports."""
    found = re.findall(r"^(?:from|import) (\w+)", block, re.MULTILINE)
    return tuple(name for name in OTHERS if name in found)


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda one: "-".join(others(one)) or "scipy")
def test_each_block_runs(block: str, tmp_path: Path) -> None:
    """In an interpreter of its own: it imports all that it uses."""
    for name in others(block):
        pytest.importorskip(name, reason=f"{name} is not installed")
    file = tmp_path / "example.py"
    file.write_text(block, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
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
