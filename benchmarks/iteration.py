"""One iteration, ask and tell, against the floor of eager rows: K products `a @ V`.

V has shape (n, M); a product reads it once, and eager rows need K of them. Batches of a run from
n = 250 on are timed one by one, each beside K products with n = 300 rows. Growth: the same while
one of M, n and K doubles.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import GPUCBPE, RBF, Bandit, FiniteBeta, GaussianProcess, Kernel, Matern

ROUNDS = 10


class Case(NamedTuple):
    """What is run: R+ follows from the kernel and from the scale of beta."""

    name: str
    kernel: Kernel
    d: int
    scale: float
    asked: float | str


CASES = [
    Case("R+ of 10 % or less: Matérn 5/2", Matern(0.2, nu=2.5), 2, 0.2, 0.35),
    Case("R+ of 10 % or less: RBF", RBF(1.0), 2, 1.0, 0.35),
    Case("R+ of 10 % or less: 6-D", Matern(1.0, nu=2.5), 6, 0.1, 0.35),
    Case("R+ of a fifth", Matern(0.2, nu=2.5), 2, 1.0, ""),
    Case("R+ is everything: 6-D", Matern(1.0, nu=2.5), 6, 100.0, 1.3),
    Case("R+ is everything, every pick tells of all", RBF(2.0), 2, 1e4, 1.3),
]


class Times(NamedTuple):
    """Seconds: of the iterations, and of K products beside each."""

    own: list[float]
    products: list[float]
    share: float


def run(case: Case, M: int, n: int, K: int, rounds: int = ROUNDS) -> Times:
    """`rounds` iterations around n observations."""
    rng = np.random.default_rng(0)
    X = rng.random((M, case.d))
    f = np.sin(6 * X).sum(axis=1)
    V, a = rng.standard_normal((n, M)), rng.standard_normal(n)
    bandit = Bandit(X, GaussianProcess(case.kernel, 0.01), GPUCBPE(K), FiniteBeta(scale=case.scale))
    start = rng.integers(M, size=max(n - K * rounds // 2, 1))
    bandit.tell(start, f[start] + 0.1 * rng.standard_normal(len(start)))
    own, products, shares = [], [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(K):
            a @ V
        products.append(time.perf_counter() - begin)
        noise = 0.1 * rng.standard_normal(K)
        begin = time.perf_counter()
        decision = bandit.ask()
        bandit.tell(decision.indices, f[decision.indices] + noise)
        own.append(time.perf_counter() - begin)
        shares.append(decision.region_plus.mean())
    return Times(own, products, float(median(shares)))


def bandwidth() -> float:
    """GB/s that one read of a large array reaches."""
    array = np.ones(1 << 25)  # 256 MiB
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        array.sum()
        times.append(time.perf_counter() - begin)
    return array.nbytes / min(times) / 1e9


def exponent(case: Case, sizes: list[tuple[int, int, int]], which: int) -> float:
    """Least-squares slope of log time in log size, of the median iteration."""
    times = [median(run(case, *size).own) for size in sizes]
    return float(np.polyfit(np.log([size[which] for size in sizes]), np.log(times), 1)[0])


def main() -> None:
    """Print and keep the table and the exponents."""
    M, n, K = 100_000, 300, 10
    table = Table(
        "iteration",
        f"One iteration over M = {M:,}, n = {n}, K = {K}, against K products `a @ V`",
        ["case", "R+ / X", "products, ms", "ours, ms", "ratio", "asked"],
        "`ratio` is of medians.",
    )
    speeds = []
    for case in CASES:
        times = run(case, M, n, K)
        products = median(times.products)
        ours = median(times.own)
        cells = (times.share, 1e3 * products, 1e3 * ours, ours / products)
        table.add(case.name, *cells, case.asked)
        speeds.append(8 * M * n * K / products / 1e9)
    figures: dict[str, float | str] = {
        "bandwidth of a sum over 256 MiB, GB/s": bandwidth(),
        "bandwidth of the products, GB/s": median(speeds),
    }
    for name, case in (("a tenth", CASES[0]), ("everything", CASES[4])):
        grown = {
            "M": [(size, 200, 10) for size in (25_000, 50_000, 100_000, 200_000)],
            "n": [(50_000, size, 10) for size in (100, 200, 400, 800)],
            "K": [(50_000, 200, size) for size in (2, 4, 8, 16)],
        }
        for which, (quantity, sizes) in enumerate(grown.items()):
            figures[f"exponent in {quantity}, R+ {name}"] = exponent(case, sizes, which)
    table.keep(**figures)


if __name__ == "__main__":
    main()
