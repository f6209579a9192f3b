"""One batch against K matrix-vector products on the same rows.

A batch of K = 10 over M = 10,000 candidates with n = 500 observations (ask and tell together)
beside K products `a @ V` with V of shape (n, M), in turn, in one process. Also the memory of the
belief beside that of its rows.
"""

from __future__ import annotations

import time
import tracemalloc
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import GPUCBPE, FiniteBeta, GaussianProcess, Matern, Posterior

if TYPE_CHECKING:
    from collections.abc import Callable

_M, _N, _K, _ROUNDS = 10_000, 500, 10, 15


def main() -> None:
    """Print both times, their ratio, and the memory."""
    rng = np.random.default_rng(0)
    candidates = rng.random((_M, 2))
    members, y = rng.integers(_M, size=_N), rng.standard_normal(_N)
    gp = GaussianProcess(Matern(nu=2.5, lengthscale=0.2), 0.01)
    policy, schedule = GPUCBPE(batch_size=_K), FiniteBeta()

    tracemalloc.start()
    posterior = Posterior.prior(gp, candidates).observe(members, y)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    V = np.array([posterior.row(i) for i in range(_N)])
    a = rng.standard_normal(_N)
    others = rng.integers(_M, size=_ROUNDS + 1)

    def products() -> None:
        for _ in range(_K):
            a @ V

    def batch(belief: Posterior) -> None:
        decision = policy.decide(belief, 5, schedule)
        belief.observe(decision.indices, np.zeros(_K))

    ratios, passes, batches = [], [], []
    for j in others:
        # A last observation of its own makes each round's belief new: no row of a batch is reused.
        belief = posterior.at(_N - 1).observe([j], [0.0])
        passes.append(_seconds(products))
        batches.append(_seconds(lambda belief=belief: batch(belief)))  # type: ignore[misc]
        ratios.append(batches[-1] / passes[-1])

    print(f"M = {_M:,}, n = {_N}, K = {_K}; median of {_ROUNDS} rounds after one warm-up")
    print(f"K products a @ V          {1e3 * median(passes[1:]):8.2f} ms")
    print(f"one batch, ask and tell   {1e3 * median(batches[1:]):8.2f} ms")
    print(f"ratio                     {median(ratios[1:]):8.2f}")
    print(f"memory of the belief / rows {held / V.nbytes:6.2f}  ({held / 1e6:.1f} MB)")


def _seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
