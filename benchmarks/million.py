"""A batch of 10 from 1,000,000 candidates with 200 observations: time and peak memory.

Each case runs in a process of its own, whose greatest resident memory is what the system counted.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import GPUCBPE, Bandit, FiniteBeta, GaussianProcess, Matern

M, N, K = 1_000_000, 200, 10
SCALES = (0.2, 1.0, 100.0)  # of beta: R+ from a few percent to everything
ASKED = 12.0  # GB


def run(scale: float) -> None:
    """Observe, then two batches; print the share of R+, the seconds and the peak in GB."""
    rng = np.random.default_rng(0)
    X = rng.random((M, 4))
    f = np.sin(6 * X).sum(axis=1)
    gp = GaussianProcess(Matern(0.5, nu=2.5), 0.01)
    bandit = Bandit(X, gp, GPUCBPE(K), FiniteBeta(scale=scale))
    start = rng.integers(M, size=N)
    times = [time.perf_counter()]
    bandit.tell(start, f[start])
    times.append(time.perf_counter())
    for _ in range(2):
        decision = bandit.ask()
        bandit.tell(decision.indices, f[decision.indices])
        times.append(time.perf_counter())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(decision.region_plus.mean(), *np.diff(times), peak)


def main() -> None:
    """Print and keep the table."""
    columns = ["R+ / X", f"{N} observations, s", "first batch, s", "second, s", "peak, GB"]
    table = Table("million", f"A batch of {K} from {M:,} candidates", columns)
    for scale in SCALES:
        command = [sys.executable, __file__, str(scale)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        table.add(*map(float, done.stdout.split()))
    table.keep(**{"greatest peak, GB": max(float(row[-1]) for row in table.rows), "asked": ASKED})


if __name__ == "__main__":
    run(float(sys.argv[1])) if len(sys.argv) > 1 else main()
