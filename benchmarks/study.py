"""How *Recommended* was chosen: variants of its warp, fit, search and rule, on other functions.

`minimize` warps as "Yeo-Johnson with a prior" does, and has 2 (d + 1) first points; "none" is what
it was before. The functions are others than those of `public`, so that what is chosen here is not
chosen by the table. Everything else is as in `minimize`: points, fit, search and rule; the warp is
made anew from all values before each batch. Rows are as those of `public`, in results/study.jsonl.
`--thin` searches the box with a seventh of the moves, in less than half of the time.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks import _rules, _warps, _wins
from benchmarks._functions import Task, tasks
from benchmarks._optimisers import Maker
from benchmarks._rows import fill, read
from benchmarks._rules import Data, Rule
from benchmarks._warps import Warped
from benchmarks.public import ROOT, kept, played
from ucbpe_core.search.box import search
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
    """How y is warped, the number of first points, None for 4 (d + 1), and what follows them."""

    warping: Warping
    first: int | None = None
    rule: Rule = _rules.as_minimize


def beside(rule: Rule) -> Variant:
    """As `minimize`, but for the rule."""
    return Variant(always(_warps.ours), 10, rule)


BASES = "none", "Yeo-Johnson with a prior, 10 first"
VARIANTS = {
    "none": Variant(always(_warps.unwarped)),
    "upper half": Variant(always(_warps.upper_half)),
    "Vizier": Variant(always(_warps.vizier)),
    "none, 10 first": Variant(always(_warps.unwarped), 10),
    "upper half, 10 first": Variant(always(_warps.upper_half), 10),
    "Yeo-Johnson": Variant(always(_warps.yeo_johnson)),
    "Yeo-Johnson, 10 first": Variant(always(_warps.yeo_johnson), 10),
    "Yeo-Johnson of 24, 10 first": Variant(always(_warps.late), 10),
    BASES[1]: beside(_rules.as_minimize),
    "logarithm": Variant(always(_warps.logarithm)),
    "Yeo-Johnson if likelier": Variant(likeliest(_warps.unwarped, _warps.yeo_johnson)),
    "warped inputs": beside(_rules.in_warped_inputs),
    "trust region": beside(_rules.in_region),
    "gamma priors": beside(_rules.with_gammas),
    "BoTorch's noise": beside(_rules.with_noise),
    "more starts": beside(_rules.with_more_starts),
    "randomized believer": beside(_rules.believer),
    "exploration below the noise": beside(_rules.exploring),
}


def maker(variant: Variant, **counts: int) -> Maker:
    """A method that is told all values anew before each batch; counts are of the box search."""

    def make(task: Task, seed: int, noisy: bool) -> Any:
        space = task.space
        firsts: list[int] = []

        def ask(X: np.ndarray, y: np.ndarray, K: int) -> np.ndarray:
            firsts.append(len(X))
            z = variant.warping(X, y, space).z
            data = Data(space, X, y, z, firsts[0], K, 1000 * seed + len(X), noisy, **counts)
            return variant.rule(data)

        return ask

    return make


def thinned() -> dict[str, int]:
    """Counts of a search of the box with fewer points, which end near the same maxima."""
    search._EVOLVED, search._ROUNDS = 12, 10
    return {"samples": 256, "starts": 3}


def task_of(name: str, seed: int) -> Task:
    """One of ours by name, or of bbob by its number."""
    if not name.isdigit():
        return tasks()[name]
    from benchmarks._coco import bbob, instance_of

    return bbob(int(name), instance_of(seed))


def main() -> None:
    """Run what is missing; print medians of the logarithm of the gap, and seconds a batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / "study.jsonl")
    parser.add_argument("--seeds", type=int, default=SHORT["seeds"])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--thin", action="store_true", help="search the box in less time")
    parser.add_argument("--functions", nargs="*", default=SHORT["functions"])
    parser.add_argument("--batch", type=int, default=5)
    parser.add_argument("--variants", nargs="*", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no run begins")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    counts = thinned() if given.thin else {}
    of_all = {"batch": given.batch, "thin": given.thin}

    def run(seed: int, name: str, method: str) -> dict[str, Any]:
        task, variant = task_of(name, seed), VARIANTS[method]
        first = variant.first or task.initial
        found = played(task, maker(variant, **counts), first, given.batch, seed)
        return kept(found, ("ucbpe",))

    seeds = range(given.first, given.first + given.seeds)
    every = product(seeds, given.functions, given.variants)
    fill(given.store, ("seed", "function", "method"), every, run, given.seconds, **of_all)
    printed([row for row in read(given.store) if of_all.items() <= row.items()])


def differences(rows: list[dict[str, Any]], at: int, base: str) -> dict[str, dict[str, np.ndarray]]:
    """log10 of the gap less that of `base` on the same seed, by variant and function: (seeds,)."""
    logs = {
        (row["method"], row["function"], row["seed"]): np.log10(
            max(row["gaps"][at], _wins.ROUNDING)
        )
        for row in rows
    }
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (method, function, seed), log in logs.items():
        if method != base and (base, function, seed) in logs:
            found[method][function].append(log - logs[base, function, seed])
    return {
        method: {function: np.array(one) for function, one in by_function.items()}
        for method, by_function in found.items()
    }


def printed(rows: list[dict[str, Any]]) -> None:
    """For each mark shown: the mean over seeds, by function, and over functions with its error."""
    functions = list(dict.fromkeys(row["function"] for row in rows))
    for base, mark in product(BASES, _wins.SHOWN):
        found = differences(rows, _wins.MARKS.index(mark), base)
        print(f"\nlog10 of the gap less that of {base}, after {mark} (seeds)\n")
        print("| variant | all functions | better : worse | " + " | ".join(functions) + " |")
        print("|---" * (len(functions) + 3) + "|")
        for name, by_function in found.items():
            means = np.array([one.mean() for one in by_function.values()])
            every = np.concatenate(list(by_function.values()))
            error = means.std(ddof=1) / len(means) ** 0.5 if len(means) > 1 else np.nan
            counts = f"{np.sum(every < 0)} : {np.sum(every > 0)}"
            cells = [
                f"{by_function[one].mean():+.2f} ({len(by_function[one])})"
                if one in by_function else "–"
                for one in functions
            ]  # fmt: skip
            print(f"| {name} | {means.mean():+.2f} ± {error:.2f} | {counts} | ", end="")
            print(" | ".join(cells) + " |")
    print("\n" + _wins.seconds_table(rows))


if __name__ == "__main__":
    main()
