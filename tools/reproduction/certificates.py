"""How often a certificate fails: a true regret above what the band bounds it by.

Where the prior is right, on draws of it, and where it is not, on the thin peak that it does not
expect: policy, prior, initial points and noise are the same. Each replicate has its own f or, on
the peak, its own initial points and noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, FiniteBeta, simulate, theory
from ucbpe_core.problems import thin_peak

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ucbpe_core.problems import Problem

REPLICATES, SEED = 500, 0
_SCALES = (1.0, 0.2)
_BATCHES, _BATCH_SIZE, _INITIAL = 20, 5, 3
_HEADS = ("f", "scale c", "f left its band", "a certificate failed", "of all batches", "median")


def write(file: Path, replicates: int) -> None:
    """Count, unless the file is there already."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(counted(replicates)).to_csv(file, index=False, lineterminator="\n")


def counted(replicates: int) -> Iterator[dict[str, object]]:
    """One row for each f and scale: in how many replicates, and in how many batches."""
    peak = thin_peak()
    draws = list(theory.prior_draws(peak, peak.gp, replicates, SEED))
    drawn = [theory.redrawn(peak, peak.gp, f, seed) for seed, f in enumerate(draws)]
    for name, problems in (("draws of the prior", drawn), ("the thin peak", [peak] * replicates)):
        for scale in _SCALES:
            runs = [_run(problem, scale, seed) for seed, problem in enumerate(problems)]
            exits, failed, last = (np.array(column) for column in zip(*runs, strict=True))
            yield {
                "f": name,
                "scale": scale,
                "replicates": replicates,
                "left": int(np.count_nonzero(exits)),
                "failed": int(np.count_nonzero(failed)),
                "failed_batches": int(failed.sum()),
                "median": float(f"{np.median(last):.5g}"),
            }


def _run(problem: Problem, scale: float, seed: int) -> tuple[int, int, float]:
    """First exit from the band, number of failed certificates, and the last certificate."""
    trace = simulate(
        problem, GPUCBPE(_BATCH_SIZE), beta=FiniteBeta(scale=scale),
        batches=_BATCHES, initial=_INITIAL, seed=seed,
    )  # fmt: skip
    found = theory.certificates(trace)
    failed = sum(true > certificate.regret for certificate, true in found)
    return theory.first_exit(trace), failed, found[-1][0].regret


def table(file: Path) -> str:
    """The counts as shares of the replicates, with 95 % limits by Clopper and Pearson."""
    lines = [_HEADS, ("---",) * len(_HEADS)]
    for row in pd.read_csv(file).itertuples():
        batches = f"{100 * row.failed_batches / (row.replicates * _BATCHES):.1f} %"
        shares = (_share(count, row.replicates) for count in (row.left, row.failed))
        lines.append((row.f, f"{row.scale:g}", *shares, batches, number(row.median)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(count: int, replicates: int) -> str:
    limits = binomtest(count, replicates).proportion_ci(method="exact")
    share, low, high = (100 * one for one in (count / replicates, limits.low, limits.high))
    return f"{share:.1f} % [{low:.1f}, {high:.1f}]"
