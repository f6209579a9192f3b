"""Replicates per second of one study: in this process, with one worker and with two.

The same runs each time, in turn, with the tables compared. Workers are timed with and without
their start, which a study pays once. Each has one BLAS thread; so has this process if
OMP_NUM_THREADS=1 was set before it started, which the comparison needs.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

# Read by BLAS when NumPy is imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core.study import (
    HyperparameterPlan,
    Outcome,
    PolicyPlan,
    ProblemPlan,
    Result,
    Store,
    Study,
    execute,
)

_STUDY = Study(
    "throughput",
    [
        ProblemPlan("Himmelblau", "himmelblau", hyperparameters=HyperparameterPlan(points=100)),
        ProblemPlan("Generated GP", "generated_gp", hyperparameters=HyperparameterPlan(points=100)),
    ],
    [PolicyPlan("GP-UCB-PE", "GP-UCB-PE"), PolicyPlan("GreedyUCB", "GreedyUCB")],
    replicates=8,
    batches=30,
)


def main() -> None:
    """Print and keep the rates, and their ratios to one process."""
    runs = len(_STUDY.tasks())
    table = Table(
        "study_throughput",
        f"A study of {runs} runs of {_STUDY.batches} batches of {_STUDY.batch_size}",
        ["computed by", "s", "runs/s", "ratio", "once started: runs/s", "ratio once started"],
    )
    with tempfile.TemporaryDirectory() as folder:
        measured = [_measure(Path(folder), workers) for workers in (0, 1, 2)]
    base, base_steady = runs / measured[0][0].seconds, measured[0][1]
    for workers, (outcome, steady, _) in enumerate(measured):
        name = f"{workers} worker{'s' * (workers != 1)}" if workers else "this process"
        rate = runs / outcome.seconds
        table.add(name, outcome.seconds, rate, rate / base, steady, steady / base_steady)
    assert len({digest for *_, digest in measured}) == 1, "the tables differ"
    table.keep(**{"two workers / one": measured[2][1] / measured[1][1]})


def _measure(folder: Path, workers: int) -> tuple[Outcome, float, str]:
    """The outcome, runs per second between the first result and the last, and the digest."""
    times: list[float] = []

    def progress(done: int, total: int, result: Result) -> None:
        times.append(time.perf_counter())

    with Store.create_or_open(folder / f"{workers}.db", _STUDY) as store:
        outcome = execute(_STUDY, store, workers=workers, progress=progress)
        return outcome, (len(times) - 1) / (times[-1] - times[0]), store.digest()


if __name__ == "__main__":
    main()
