"""`import ucbpe_core` beside `import numpy, scipy.linalg`, which it cannot do without.

Each import is the only work of a process of its own; the two alternate, so that both meet the same
machine. The aim is a ratio of medians of at most 1.5.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table

ROOT = Path(__file__).resolve().parents[1]
STATEMENTS = ("import numpy, scipy.linalg", "import ucbpe_core")
TIMES = 15
AIM = 1.5


def seconds(statement: str) -> float:
    """Of a process that starts, executes the statement and ends, less one that does nothing."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], cwd=ROOT, check=True)
    return time.perf_counter() - begin


def main() -> None:
    """A row for each statement."""
    table = Table(
        "import_time",
        f"Time to import, median of {TIMES} processes each",
        ["statement", "median, s", "least, s", "ratio of medians"],
    )
    found: dict[str, list[float]] = {one: [] for one in ("pass", *STATEMENTS)}
    for repeat in range(TIMES + 1):
        for statement, times in found.items():
            taken = seconds(statement)
            if repeat:  # the first warms up the file system
                times.append(taken)
    idle = median(found.pop("pass"))
    medians = {statement: median(times) - idle for statement, times in found.items()}
    for statement, times in found.items():
        ratio = medians[statement] / medians[STATEMENTS[0]]
        table.add(statement, medians[statement], min(times) - idle, ratio)
    table.keep(ratio=ratio, asked=AIM)


if __name__ == "__main__":
    main()
