"""The Python in the README runs as printed, and the commands of the promises are there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


CLAIMED = """
assert (len(bandit.pending), bandit.t, len(decision.indices)) == (4 + 10, 2, 10)
assert trace.simple_regret.shape == (30,)
"""


def test_the_example_runs_as_it_stands_and_does_what_it_says(tmp_path: Path) -> None:
    """In an interpreter of its own: it defines or imports all that it uses."""
    text = README.read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "example.py"
    file.write_text(block + CLAIMED, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


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
