"""Code in a process of its own, which has imported and set up nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# In mounts of its own, each file system that can be written is made read-only: for root, too.
_READ_ONLY = """
mount --make-rprivate / || exit 9
while read -r _ where kind _; do
  case $where in $KEPT) continue ;; esac
  case $kind in
    ext*|xfs|btrfs|overlay|tmpfs) mount -o remount,ro,bind "$where" || exit 9 ;;
  esac
done < /proc/self/mounts
exec "$@"
"""


def printed(code: str, *arguments: str, options: Sequence[str] = ()) -> str:
    """What the code prints; it has to end well. `options` are Python's own."""
    command = [sys.executable, *options, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def read_only(*, memory: bool = True) -> list[str]:
    """What a command is preceded by to find all file systems read-only, but /dev/shm.

    Without `memory` that one, too. The test is skipped where this may not be done.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root of a Linux can mount")
    script = _READ_ONLY.replace("$KEPT", "/dev/shm" if memory else "none")
    command = ["unshare", "--mount", "sh", "-c", script, "sh"]
    done = subprocess.run([*command, "true"], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this machine has no mounts to give: {done.stderr.strip()}")
    return command
