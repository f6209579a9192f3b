"""What a batch loses whose picks share an input: regret against free batches, with intervals.

    python benchmarks/one_oven.py [--seeds 20] > benchmarks/results/one_oven.md

Least regret after T batches of 5, over runs with the same function, initial points and noise. Lost
is the mean difference from free batches, with its 95% bootstrap interval over runs.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core import FiniteBeta
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, run_task

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = HyperparameterPlan("suggested")
# Each with the input that is shared, of 101 and 30 values.
PROBLEMS = {
    ProblemPlan("Himmelblau", "himmelblau", {}, GIVEN): "x",
    ProblemPlan(
        "Generated GP", "generated_gp", {"noise_variance": 0.01, "resolution": 30}, GIVEN
    ): "x1",
}
AFTER, SIZE = (4, 8, 12), 5
DRAWN = 4000


def runs(problem: ProblemPlan, shared: str, rule: str, seeds: int) -> dict[str, np.ndarray]:
    """The least regret so far of free batches, and of both ways to share, (seeds, T) each."""
    policies = [
        PolicyPlan("free", rule),
        PolicyPlan("first", rule, shared=[shared]),
        PolicyPlan("sum", rule, shared=[shared], shared_by="sum"),
    ]
    beta = FiniteBeta(0.1, scale=0.2)
    study = Study("One oven", [problem], policies, seeds, AFTER[-1], SIZE, SIZE, beta)
    found: dict[str, list[np.ndarray]] = {plan.label: [] for plan in policies}
    for task in study.tasks():
        found[task.policy].append(run_task(study, task).running_minimum)
    return {label: np.array(rows) for label, rows in found.items()}


class Lost(NamedTuple):
    """Mean least regret after T batches, free and shared, and the mean difference with its 95%
    bootstrap interval over runs.
    """

    T: int
    way: str
    free: float
    shared: float
    lost: float
    low: float
    high: float

    def __str__(self) -> str:
        lost = f"{self.lost:.2g} ({self.low:.2g} to {self.high:.2g})"
        return f"{self.T} | {self.free:.3g} | {self.way} | {self.shared:.3g} | {lost}"


def losses(problem: ProblemPlan, rule: str, seeds: int) -> Iterator[Lost]:
    """What both ways to share lose after some numbers of batches."""
    curves = runs(problem, PROBLEMS[problem], rule, seeds)
    for T in AFTER:
        free = curves["free"][:, T - 1]
        for way in ("first", "sum"):
            own = curves[way][:, T - 1]
            means = np.random.default_rng(0).choice(own - free, (DRAWN, seeds)).mean(axis=1)
            interval = np.quantile(means, (0.025, 0.975)).tolist()
            yield Lost(
                T, way, *map(float, (free.mean(), own.mean(), (own - free).mean())), *interval
            )


HEAD = """# What a batch loses whose picks share an input

Mean of the least regret after that many batches of 5, over {} runs with the same function, initial
points and noise. Lost is the mean difference from free batches, with its 95 % interval.
"""


def main(seeds: int) -> None:
    print(HEAD.format(seeds))
    print("| problem, rule | batches | free | shared, by | regret | lost |\n|" + "---|" * 6)
    for problem in PROBLEMS:
        for rule in ("GP-UCB-PE", "Recommended"):
            for row in losses(problem, rule, seeds):
                print(f"| {problem.label}, {rule} | {row} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    main(parser.parse_args().seeds)
