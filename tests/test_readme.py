"""The Python in the README runs as printed, and the commands of the promises are there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", blocks(), ids=["bandit", "simulate"])
def test_each_example_runs_as_it_stands(block: str, tmp_path: Path) -> None:
    """In an interpreter of its own: it defines or imports all that it uses."""
    file = tmp_path / "example.py"
    file.write_text(block, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_examples_do_what_they_say() -> None:
    first, simulated = (dict[str, Any]() for _ in range(2))
    for block, names in zip(blocks(), (first, simulated), strict=True):
        exec(block, names)
    assert len(first["bandit"].pending) == 4 + 10
    assert first["bandit"].t == 2
    assert len(first["decision"].indices) == 10
    assert simulated["trace"].simple_regret.shape == (30,)


def test_the_commands_of_the_promises_are_there() -> None:
    """RELIABILITY.md names tests and targets that exist."""
    text = (ROOT / "RELIABILITY.md").read_text(encoding="utf-8")
    tests = {
        path
        for command in re.findall(r"`(?:\w+=\d+ )?pytest ([^`]+)`", text)
        for path in command.split()
    }
    assert len(tests) > 10
    assert [path for path in sorted(tests) if not (ROOT / path).exists()] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in {*re.findall(r"`make ([a-z-]+)", text)}:
        assert f"\n{target}:" in makefile, target
