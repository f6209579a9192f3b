"""The processor time of a small run of every policy, beside what the Study page says beforehand.

The page's estimate is meant to be right within a factor of ten either way; the exit code is 1 where
it is not.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from ucbpe_app.pages.study.plan import seconds
from ucbpe_core import problems, simulate
from ucbpe_core.policies import POLICIES

K, BATCHES, INITIAL = 5, 6, 20
FACTOR = 10.0  # that an estimate may be off, either way


def main() -> int:
    """Print a row for each policy."""
    problem, far = problems.multimodal(), list[str]()
    print(f"{'policy':24}{'measured':>10}{'estimate':>10}{'ratio':>8}")
    for name, kind in POLICIES.items():
        policy = kind() if name == "GP-UCB" else kind(batch_size=K)
        simulate(problem, policy, batches=1, initial=10)  # what is loaded at first use
        start = time.process_time()
        simulate(problem, policy, batches=BATCHES, initial=INITIAL)
        taken, estimate = (
            time.process_time() - start,
            seconds(name, "multimodal", K, BATCHES, INITIAL),
        )
        print(f"{name:24}{taken:10.3f}{estimate:10.3f}{taken / estimate:8.2f}")
        if not 1 / FACTOR < taken / estimate < FACTOR:
            far.append(name)
    if far:
        print(f"off by more than a factor of {FACTOR:g}: {', '.join(far)}")
    return int(bool(far))


if __name__ == "__main__":
    sys.exit(main())
