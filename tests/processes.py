"""Code in a process of its own, which has imported and set up nothing yet."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def printed(code: str, *arguments: str, options: Sequence[str] = ()) -> str:
    """What the code prints; it has to end well. `options` are Python's own."""
    command = [sys.executable, *options, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
