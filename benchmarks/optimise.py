"""Ours beside other optimisers: 10 batches of 5 from the same starts, on seven problems.

Every method gets the same 4 d + 4 points first and is asked ten times for five more. Regret is that
of the best point evaluated, by the function without noise. What is done is kept, a line of JSON for
each run, so that the benchmark can be run in pieces: `--store` names the file, and only what it
lacks is run. `make bench` runs two seeds of three problems into a file of its own and prints them;
with `--document` the whole store becomes the table of results/optimisers.md, whose runs are in
`results/optimise.jsonl`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._functions import Task, tasks
from benchmarks._optimisers import METHODS, Maker
from benchmarks._regrets import document, printed
from benchmarks._rows import fill, read

ROOT = Path(__file__).resolve().parents[1]
BATCHES, K = 10, 5
NOISE = 0.1  # standard deviation, as a share of that of the values over the space
SHORT = {"seeds": 2, "problems": ["Branin", "Hartmann-3", "Mixed"]}


def played(task: Task, maker: Maker, seed: int, *, noisy: bool) -> tuple[list[float], float]:
    """Regret after each batch, and processor seconds for each."""
    rng, scale = np.random.default_rng([seed, 9]), NOISE * task.spread if noisy else 0.0

    def measured(X: np.ndarray) -> np.ndarray:
        return task.f(X) + scale * rng.standard_normal(len(X))

    X = task.sobol(task.initial, seed)
    y, spent, regrets = measured(X), 0.0, list[float]()
    began = time.process_time()
    ask = maker(task, seed, noisy)
    for _ in range(BATCHES):
        chosen = ask(X, y, K)
        spent += time.process_time() - began
        X, y = np.concatenate([X, chosen]), np.append(y, measured(chosen))
        regrets.append(float(task.f(X).min() - task.least))
        began = time.process_time()
    return regrets, spent / BATCHES


def main() -> None:
    """Run what is missing; print the table, or write it into the documentation."""
    known = tasks()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / "optimise.jsonl")
    parser.add_argument("--seeds", type=int, default=SHORT["seeds"])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--problems", nargs="*", choices=known, default=SHORT["problems"])
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--noise", nargs="*", choices=["none", "noisy"], default=["none"])
    parser.add_argument("--document", action="store_true", help="write results/optimisers.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore")

    def run(seed: int, noisy: bool, problem: str, method: str) -> dict[str, Any]:
        regrets, seconds = played(known[problem], METHODS[method].maker, seed, noisy=noisy)
        regrets = [float(f"{one:.4g}") for one in regrets]
        return {"regrets": regrets, "seconds": round(seconds, 5)}

    seeds, noises = range(given.first, given.seeds), [name == "noisy" for name in given.noise]
    every = product(seeds, noises, given.problems, given.methods)
    able = (one for one in every if METHODS[one[3]].takes(known[one[2]]))
    count = fill(given.store, ("seed", "noisy", "problem", "method"), able, run)
    rows = read(given.store)
    if given.document:
        document(rows, ran=count > 0)
    else:
        printed(rows)


if __name__ == "__main__":
    main()
