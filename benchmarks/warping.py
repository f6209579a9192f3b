"""How *Recommended* should warp y: its batches from values that are warped before each fit.

`minimize` warps as "Yeo-Johnson with a prior" does, and has 2 (d + 1) first points. The functions
are others than those of `public`, so that what is chosen here is not chosen by the
table. Everything else is as in `minimize`: points, fit, search and rule; the warp is made anew from
all values before each batch. Rows are as those of `public`, in results/warping.jsonl. `--thin`
searches the box with a seventh of the moves, in less than half of the time.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks import _warps, _wins
from benchmarks._functions import Task, tasks
from benchmarks._optimisers import Maker
from benchmarks._rows import keep, lacking, read
from benchmarks._warps import Warped
from benchmarks.public import ROOT, kept, played
from ucbpe_core import ConstantBeta
from ucbpe_core.policies import Recommended
from ucbpe_core.search.box import search
from ucbpe_core.search.minimization import _SAMPLES, _STARTS, _Search, _SearchWithoutRepeats
from ucbpe_core.spaces import Space

Warping = Callable[[np.ndarray, np.ndarray, Space], Warped]  # of X (n, D), y (n,)
BBOB = (2, 5, 7, 10, 13, 17, 21)
OWN = ("Branin", "Hartmann-6", "Ackley-4", "Levy-8")
SHORT: dict[str, Any] = {"seeds": 1, "functions": ["Branin"]}


def always(warp: _warps.Warp) -> Warping:
    """The same, whatever the data."""
    return lambda X, y, space: warp(y)


def likeliest(*warps: _warps.Warp) -> Warping:
    """The first, none, unless another is likelier."""
    return lambda X, y, space: _warps.by_likelihood(X, y, space, warps)


class Variant(NamedTuple):
    """How y is warped, and how many first points there are: None stands for 4 (d + 1)."""

    warping: Warping
    first: int | None = None


VARIANTS = {
    "none": Variant(always(_warps.unwarped)),
    "upper half": Variant(always(_warps.upper_half)),
    "bounded half": Variant(always(_warps.bounded_half)),
    "Vizier": Variant(always(_warps.vizier)),
    "none, 10 first": Variant(always(_warps.unwarped), 10),
    "upper half, 10 first": Variant(always(_warps.upper_half), 10),
    "Yeo-Johnson": Variant(always(_warps.yeo_johnson)),
    "Yeo-Johnson, 10 first": Variant(always(_warps.yeo_johnson), 10),
    "Yeo-Johnson of 24, 10 first": Variant(always(_warps.late), 10),
    "Yeo-Johnson with a prior, 10 first": Variant(always(_warps.ours), 10),
    "upper half if better predicted": Variant(_warps.by_prediction),
    "logarithm": Variant(always(_warps.logarithm)),
    "Yeo-Johnson if likelier": Variant(likeliest(_warps.unwarped, _warps.yeo_johnson)),
    "either if likelier": Variant(likeliest(_warps.unwarped, _warps.yeo_johnson, _warps.logarithm)),
}


def recommended(warping: Warping) -> Maker:
    """As `minimize` without noise, with warped values: a search that is told all of them anew."""

    def make(task: Task, seed: int, noisy: bool) -> Any:
        space = task.space

        def ask(X: np.ndarray, y: np.ndarray, K: int) -> np.ndarray:
            z = warping(X, y, space).z
            kind = _Search if noisy else _SearchWithoutRepeats
            bandit = kind(
                space, space.prior(X, z), Recommended(K), ConstantBeta(4.0), direction="minimize",
                seed=1000 * seed + len(X), samples=_SAMPLES, starts=_STARTS, warped=False,
            )  # fmt: skip
            bandit.told(X, z)
            return bandit.fill(K).points

        return ask

    return make


def thinned() -> None:
    """Search the box with fewer points, which end near the same maxima."""
    global _SAMPLES, _STARTS
    _SAMPLES, _STARTS = 256, 3
    search._EVOLVED, search._ROUNDS = 12, 10


def task_of(name: str, seed: int) -> Task:
    """One of ours by name, or of bbob by its number."""
    if not name.isdigit():
        return tasks()[name]
    from benchmarks._coco import bbob, instance_of

    return bbob(int(name), instance_of(seed))


def main() -> None:
    """Run what is missing; print medians of the logarithm of the gap, and seconds a batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / "warping.jsonl")
    parser.add_argument("--seeds", type=int, default=SHORT["seeds"])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--thin", action="store_true", help="search the box in less time")
    parser.add_argument("--functions", nargs="*", default=SHORT["functions"])
    parser.add_argument("--batch", type=int, default=5)
    parser.add_argument("--variants", nargs="*", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no run begins")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.thin:
        thinned()
    until = time.monotonic() + given.seconds
    seeds = range(given.first, given.first + given.seeds)
    of_all = {"batch": given.batch, "thin": given.thin}
    alike = [row for row in read(given.store) if of_all.items() <= row.items()]
    every = product(seeds, given.functions, given.variants)
    for seed, name, method in lacking(alike, ("seed", "function", "method"), every):
        if time.monotonic() > until:
            break
        task, variant = task_of(name, seed), VARIANTS[method]
        first = variant.first or task.initial
        run = played(task, recommended(variant.warping), first, given.batch, seed)
        row = {"function": name, "method": method, "seed": seed, **of_all}
        keep(given.store, row | kept(run, ("ucbpe",)))
    printed([row for row in read(given.store) if of_all.items() <= row.items()])


def differences(rows: list[dict[str, Any]], at: int) -> dict[str, dict[str, np.ndarray]]:
    """log10 of the gap less that of "none" on the same seed, by variant and function: (seeds,)."""
    logs = {
        (row["method"], row["function"], row["seed"]): np.log10(
            max(row["gaps"][at], _wins.ROUNDING)
        )
        for row in rows
    }
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (method, function, seed), log in logs.items():
        if method != "none" and ("none", function, seed) in logs:
            found[method][function].append(log - logs["none", function, seed])
    return {
        method: {function: np.array(one) for function, one in by_function.items()}
        for method, by_function in found.items()
    }


def printed(rows: list[dict[str, Any]]) -> None:
    """For each mark shown: the mean over seeds, by function, and over functions with its error."""
    for mark in _wins.SHOWN:
        found = differences(rows, _wins.MARKS.index(mark))
        functions = list(dict.fromkeys(row["function"] for row in rows))
        print(f"\nlog10 of the gap less that without warping, after {mark} (seeds)\n")
        print("| variant | all functions | " + " | ".join(functions) + " |")
        print("|---" * (len(functions) + 2) + "|")
        for name, by_function in found.items():
            means = np.array([one.mean() for one in by_function.values()])
            error = means.std(ddof=1) / len(means) ** 0.5 if len(means) > 1 else np.nan
            cells = [
                f"{by_function[one].mean():+.2f} ({len(by_function[one])})"
                if one in by_function else "–"
                for one in functions
            ]  # fmt: skip
            print(f"| {name} | {means.mean():+.2f} ± {error:.2f} | " + " | ".join(cells) + " |")
    print("\n" + _wins.seconds_table(rows))


if __name__ == "__main__":
    main()
