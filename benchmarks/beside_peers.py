"""A batch of GP-UCB-PE beside scikit-learn, BoTorch and a dense solve: the same ten picks.

All of them get the same candidates, data, hyperparameters and threads, in one process. Ours is
`Bandit.ask` and `Bandit.tell`, batch after batch of one run; the others then choose some of these
batches from the data that there were (`_peers`), and have to choose the same candidates. Each is
timed in a loop of its own, so that none finds the cache full of another's numbers.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._peers import LENGTHSCALE, NOISE, NU, Bands, BoTorch, Dense, ScikitLearn, choose
from benchmarks._table import Table
from ucbpe_core import GPUCBPE, Bandit, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.policies import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

# M, n, K, scale of beta
CASES = [
    (1_000, 50, 10, 1.0),
    (10_000, 200, 10, 1.0),
    (10_000, 200, 10, 0.2),
    (10_000, 200, 4, 0.2),
    (10_000, 500, 10, 0.2),
    (50_000, 200, 10, 0.2),
]
BATCHES = 12
CHECKED = (3, 7, 11)  # batches that the others choose too
ASKED = {"scikit-learn": 150, "BoTorch": 100}  # at M = 10,000, n = 200, K = 10
T = TypeVar("T")


def timed(action: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


class Batch(NamedTuple):
    """What there was before a batch, and what was chosen."""

    members: np.ndarray
    y: np.ndarray
    decision: Decision


def run(M: int, n: int, K: int, scale: float) -> tuple[np.ndarray, list[Batch], list[float]]:
    """Candidates, batches, and the seconds of each."""
    rng = np.random.default_rng(0)
    X = rng.random((M, 2))
    f = np.sin(6 * X).sum(axis=1)
    members = rng.integers(M, size=n)
    y = f[members] + 0.1 * rng.standard_normal(n)
    gp = GaussianProcess(Matern(LENGTHSCALE, nu=NU), NOISE)
    bandit = Bandit(X, gp, GPUCBPE(K), FiniteBeta(scale=scale))
    bandit.tell(members, y)
    batches, times = [], []
    for _ in range(BATCHES):
        ask, decision = timed(bandit.ask)
        chosen = decision.indices
        measured = f[chosen] + 0.1 * rng.standard_normal(K)
        tell, _ = timed(lambda: bandit.tell(chosen, measured))  # noqa: B023
        batches.append(Batch(members, y, decision))
        times.append(ask + tell)
        members, y = np.append(members, chosen), np.append(y, measured)
    return X, batches, times


def measure(M: int, n: int, K: int, scale: float, table: Table) -> None:
    """A row of the table."""
    X, batches, times = run(M, n, K, scale)
    ours, ratios = median(times[1:]), []
    for peer in (ScikitLearn(X), BoTorch(X), Dense(X)):
        theirs = []
        for members, y, decision in [batches[0], *(batches[i] for i in CHECKED)]:
            peer.start(X[members], y)
            bands = Bands(decision.beta, decision.beta_next)
            seconds, picks = timed(lambda: choose(peer, X, K, bands))  # noqa: B023
            assert picks == decision.indices.tolist(), f"{peer.name}: {picks}"
            theirs.append(seconds)
        ratios.append(median(theirs[1:]) / ours)
    shares = [batch.decision.region_plus.mean() for batch in batches]
    table.add(M, n, K, float(median(shares)), 1e3 * ours, *ratios)


def main() -> None:
    """Print and keep the table."""
    torch.set_default_dtype(torch.float64)
    columns = ["M", "n", "K", "R+ / X", "ours, ms", "scikit-learn", "BoTorch", "dense solve"]
    table = Table(
        "beside_peers",
        "One batch, ask and tell: how many times longer the others take",
        columns,
        "Each number under a peer is its time for the choice alone, over ours for ask and tell; "
        "medians over the batches of one run, in which all chose the same K candidates. n is "
        "that of the first batch.",
    )
    for case in CASES:
        measure(*case, table)
    table.keep(**{f"asked of {name} at 10,000 / 200 / 10": ratio for name, ratio in ASKED.items()})


if __name__ == "__main__":
    main()
