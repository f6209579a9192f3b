"""Programs in processes of their own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
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


def until_it_listens(
    process: subprocess.Popen[bytes], port: int, seconds: float, log: Path
) -> None:
    """Wait for a server that is being started on this machine; `log` says why it ended."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < deadline, f"nothing listens at port {port}"
        time.sleep(0.1)
