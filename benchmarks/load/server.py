"""A server, and what the system says of it: its memory, and how busy the machine is."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks._served import served


def laboratory(processes: int) -> AbstractContextManager[tuple[str, int]]:
    """The laboratory as its command serves it: its address, and the number of its process."""
    options = ("--num-procs", str(processes))
    return served("-m", "ucbpe_app.cli", "app", "--port", options=options)


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
