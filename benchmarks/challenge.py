"""Ours beside other optimisers in the setting of NeurIPS 2020's black-box optimisation challenge.

16 batches of 8 settings of models of scikit-learn, all of a batch asked for before any is told, and
scored as there (`_scores`). The points begin with one Sobol sequence for each seed, of which a
method gets as many as it starts with by its own default, to the nearest number of whole batches.

Of `bayesmark`'s models these are left out, by seconds of processor for 128 settings on one thread:
AdaBoost (114 to 190), both MLPs (21 to 129), random forests (13 to 15), linear models of classes
(8 to 11), and kNN, which has 100 settings, fewer than are evaluated. Those of `PROBLEMS` take 2 to
5. Ridge regression is as lasso is, with an input less. `_bayesmark` has the spaces of all.

Each run is a line of JSON in a file, and only what the file lacks is run: one seed of all problems
and methods after the other. `--seconds` stops it. `make bench` runs one problem in a file of its
own; `--random` evaluates the random settings by which the runs are scored, and `--document` writes
results/challenge.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks import _scores
from benchmarks._bayesmark import Problem, task_of
from benchmarks._functions import Task
from benchmarks._optimisers import Optimiser
from benchmarks._regrets import OURS
from benchmarks._rows import fill, read, versions
from benchmarks._scores import MARKS, RANDOM, K
from benchmarks.public import RIVALS, Rival, played

ROOT = Path(__file__).resolve().parents[1]
PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("SVM", "wine", "acc"),
        Problem("SVM", "diabetes", "mse"),
        Problem("DT", "diabetes", "mae"),
        Problem("DT", "breast", "nll"),
        Problem("lasso", "diabetes", "mse"),
    )
}
SHORT = ["SVM wine acc"]
SETTINGS = 512  # random ones of a problem: four searches of 128


def uniform(task: Task, seed: int, noisy: bool) -> Optimiser:
    """Settings at random, each as likely as any other on the scales of the space."""
    rng = np.random.default_rng([seed, 19])
    return lambda X, y, K: task.space.points(rng.random((K, len(task.space.inputs))))


METHODS = {
    "Random": Rival(uniform, 1, ()),
    **{
        name: RIVALS[name]
        for name in ("Optuna TPE", "Vizier UCB-PE", OURS, "Optuna GPSampler", "BoTorch qLogEI")
    },
}
# BoTorch's takes 5 seconds of processor a batch with three inputs, 9 with six.
USUAL = [name for name in METHODS if name != "BoTorch qLogEI"]


def first_of(method: str, d: int) -> int:
    """How many points a method starts with by its own default, given the number of inputs."""
    ours = ("BoTorch qLogEI", OURS, "Vizier UCB-PE")
    return 2 * (d + 1) if method in ours else METHODS[method].first


def ran(store: Path, given: argparse.Namespace) -> None:
    """Run what is missing until the time is over."""

    def run(seed: int, name: str, method: str) -> dict[str, Any]:
        task, rival = task_of(PROBLEMS[name], seed), METHODS[method]
        first = first_of(method, len(task.space.inputs))
        found = played(task, rival.maker, first, K, seed, MARKS)
        row: dict[str, Any] = {"best": [float(f"{loss:.6g}") for loss in found.gaps]}
        row |= {"seconds": round(found.seconds, 4)}
        return row | {"versions": versions(("scikit-learn", *rival.packages))}

    seeds = range(given.first, given.first + given.seeds)
    every = product(seeds, given.problems, given.methods)
    fill(store, ("seed", "problem", "method"), every, run, given.seconds)


def evaluated_at_random(store: Path, given: argparse.Namespace) -> None:
    """The losses of random settings of the problems that have none, by seeds of their own."""

    def run(name: str) -> dict[str, Any]:
        task, rng = task_of(PROBLEMS[name], 10**6), np.random.default_rng(10**6)
        losses = task.f(task.space.points(rng.random((SETTINGS, len(task.space.inputs)))))
        row = {**_scores.scale_of(losses)._asdict(), "settings": SETTINGS}
        return row | {"versions": versions(("scikit-learn",))}

    fill(store, ("problem",), zip(given.problems), run, given.seconds)


def main() -> None:
    """Run what is missing; print the tables, or write them into the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / "challenge.jsonl")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, default=SHORT)
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=USUAL)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no run begins")
    parser.add_argument("--random", action="store_true", help="evaluate random settings")
    parser.add_argument("--document", action="store_true", help="write results/challenge.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    (evaluated_at_random if given.random else ran)(RANDOM if given.random else given.store, given)
    (_scores.document if given.document else _scores.printed)(read(given.store), read(RANDOM))


if __name__ == "__main__":
    main()
