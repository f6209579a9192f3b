"""A clear error before memory runs out, where the system would end the process."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ucbpe_core.errors import TooLargeError

# Smaller requests are not checked.
_SMALL = 2**26  # bytes
# The rest is left to other processes, and to smaller arrays that accompany the rows.
_SHARE = 0.9
_SYSTEM = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free() -> float:
    """Bytes that this process can still allocate, as reported by Linux; infinite elsewhere."""
    return min(_free_of_system(), _free_of_group())


def require(size: int, what: str, remedy: str) -> None:
    """Raise TooLargeError if `size` bytes for `what` are more than is free."""
    if size < _SMALL:
        return
    there = free()
    if size > _SHARE * there:
        wanted = f"at least {size / _SHARE / 1e9:.2g} GB of free memory for {what}"
        raise TooLargeError(wanted, f"{there / 1e9:.2g} GB", remedy)


def _free_of_system() -> float:
    try:
        lines = _SYSTEM.read_text().splitlines()
    except OSError:
        return np.inf
    known = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return float(known[0][1]) * 1024 if known else np.inf


def _free_of_group() -> float:
    """The free memory of a container; its page cache counts as used but can be reclaimed."""
    try:
        limit = (_GROUP / "memory.max").read_text().strip()
        used = float((_GROUP / "memory.current").read_text())
        cached = (_GROUP / "memory.stat").read_text().split("\nfile ")[1].split("\n")[0]
    except (OSError, IndexError):
        return np.inf
    return np.inf if limit == "max" else float(limit) - used + float(cached)
