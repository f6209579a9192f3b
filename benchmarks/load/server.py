"""A server, and what the system says of it: its memory, and how busy the machine is."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(processes: int) -> Iterator[tuple[str, int]]:
    """The laboratory as its command serves it: its address, and the number of its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ucbpe_app.cli", "app", "--port", str(port)]
    command += ["--num-procs", str(processes)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one line, once it listens
        try:
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()


def processes(server: int) -> list[int]:
    """The server and the processes that it has forked."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [server, *map(int, children)]


def memory(server: int) -> float:
    """MB that a server and its workers hold; what they share is counted once (PSS)."""
    total = 0
    for one in processes(server):
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1000


def load() -> float:
    """The load average of the last minute."""
    return os.getloadavg()[0]
