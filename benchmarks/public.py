"""Ours beside other optimisers on functions of COCO's suites, by Optuna's protocol for batches.

100 evaluations in 5 dimensions, in batches of 5, 10 and 50: all of a batch are asked for before any
is told. What counts is the best value so far after 25, 50, 75 and 100, less the least of the
function. The points begin with one Sobol sequence for each seed, of which a method gets as many as
it starts with by its own default, to the nearest number of whole batches.

Each run is a line of JSON in a file, and only what the file lacks is run: one seed of all methods
after the other, so that they have equal seeds whenever it is stopped. `--seconds` stops it.
`make bench` runs one function in a file of its own; `--document` writes results/public.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks import _wins
from benchmarks._functions import Task
from benchmarks._optimisers import Maker, botorch_log_ei, minimized, optuna_gp, optuna_tpe, sobol
from benchmarks._regrets import OURS
from benchmarks._rows import fill, read, versions
from benchmarks._wins import MARKS
from ucbpe_core import GPUCBPE
from ucbpe_core.policies import RandomizedKrigingBeliever, VizierUCBPE

ROOT = Path(__file__).resolve().parents[1]
BATCHES = (5, 10, 50)
FUNCTIONS = (1, 8, 15, 20, 24)
SUITES = ("bbob", "bbob-noisy", "bbob-mixint")
SHORT: dict[str, Any] = {"seeds": 1, "functions": [1], "batches": [10], "suites": SUITES}


class Rival(NamedTuple):
    """How it is made; its own number of first points in 5 dimensions; the packages that it is of.

    The first points of Optuna are `n_startup_trials`, of BoTorch and ours 2 (d + 1).
    """

    maker: Maker
    first: int
    packages: tuple[str, ...] = ("ucbpe",)


# The quickest first: within a seed the others wait for them.
RIVALS = {
    "Sobol": Rival(sobol, 1, ()),
    "Optuna TPE": Rival(optuna_tpe, 10, ("optuna",)),
    "Vizier UCB-PE": Rival(minimized(lambda seed: VizierUCBPE(seed=seed)), 12),
    OURS: Rival(minimized(), 12),
    "Optuna GPSampler": Rival(optuna_gp, 10, ("optuna", "torch")),
    "Randomized believer": Rival(minimized(lambda seed: RandomizedKrigingBeliever(seed=seed)), 12),
    "GP-UCB-PE, beta = 4": Rival(minimized(lambda seed: GPUCBPE()), 12),
    "BoTorch qLogEI": Rival(botorch_log_ei, 12, ("botorch", "gpytorch", "torch")),
}


def whole_batches(first: int, K: int) -> int:
    """`first` to the nearest multiple of K, one at least; a half is rounded up."""
    return max(1, int(first / K + 0.5)) * K


class Run(NamedTuple):
    """Gaps to the least value at the marks, and processor seconds for each batch after the first
    points."""

    gaps: list[float]
    seconds: float


def played(
    task: Task, maker: Maker, first: int, K: int, seed: int, marks: Sequence[int] = MARKS
) -> Run:
    """A run until the last of the marks; gaps are of the best so far."""
    X = task.sobol(whole_batches(first, K), seed)
    y, spent, batches = task.f(X), 0.0, 0
    began = time.process_time()
    ask = maker(task, seed, task.noisy)
    while len(X) < marks[-1]:
        chosen = ask(X, y, K)
        spent, batches = spent + time.process_time() - began, batches + 1
        X, y = np.concatenate([X, chosen]), np.append(y, task.f(chosen))
        began = time.process_time()
    gaps = [float(y[:mark].min() - task.least) for mark in marks]
    return Run(gaps, spent / max(batches, 1))


def each(
    store: Path, given: argparse.Namespace, run: Callable[[int, str, int, Any], dict[str, Any]]
) -> None:
    """Keep a row of each missing run, of its seed, method, batch and function, until time is over.

    `run` returns what the row has beside these.
    """
    seeds = range(given.first, given.first + given.seeds)
    every = product(seeds, given.methods, given.batches, given.functions)
    columns = "seed", "method", "batch", "function"
    fill(store, columns, every, run, given.seconds, suite=given.suite)


def kept(run: Run, packages: tuple[str, ...]) -> dict[str, Any]:
    """What is kept of a run, and the versions that it was made with."""
    gaps = [float(f"{gap:.4g}") for gap in run.gaps]
    return {"gaps": gaps, "seconds": round(run.seconds, 4), "versions": versions(packages)}


def ran(store: Path, given: argparse.Namespace) -> None:
    """Run what is missing until the time is over."""
    from benchmarks._coco import instance_of, task_of

    def run(seed: int, method: str, K: int, function: int) -> dict[str, Any]:
        rival, instance = RIVALS[method], instance_of(seed)
        task = task_of(given.suite, function, instance)
        found = played(task, rival.maker, rival.first, K, seed)
        return {"instance": instance, **kept(found, rival.packages)}

    each(store, given, run)


def options(
    text: str | None, store: str, rivals: Mapping[str, Rival], short: Mapping[str, Any]
) -> argparse.ArgumentParser:
    """What is run by which methods, and where it is kept; `short` are the defaults."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / store)
    parser.add_argument("--suite", choices=short["suites"], default=short["suites"][0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=short["seeds"])
    kind = type(short["functions"][0])
    parser.add_argument("--functions", type=kind, nargs="*", default=short["functions"])
    parser.add_argument("--batches", type=int, nargs="*", default=short["batches"])
    parser.add_argument("--methods", nargs="*", choices=rivals, default=list(rivals))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no run begins")
    parser.add_argument("--document", action="store_true", help="write the record of the runs")
    return parser


def main() -> None:
    """Run what is missing; print the tables, or write them into the record."""
    given = options(__doc__, "public.jsonl", RIVALS, SHORT).parse_args()
    warnings.simplefilter("ignore")
    ran(given.store, given)
    (_wins.document if given.document else _wins.printed)(read(given.store))


if __name__ == "__main__":
    main()
