"""A server in a process apart, on a port that is free."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def served(*command: str, options: Sequence[str] = ()) -> Iterator[tuple[str, int]]:
    """What Python's `command`, followed by a port and `options`, serves: its address and process.

    It says one line once it listens.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    whole = [sys.executable, *command, str(port), *options]
    with subprocess.Popen(whole, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()
