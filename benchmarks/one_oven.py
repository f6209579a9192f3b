"""What a batch loses whose picks share an input: regret against free batches, with intervals.

    python benchmarks/one_oven.py [--seeds 20]

Least regret after T batches of 5, over runs with the same function, initial points and noise. Lost
is the mean difference from free batches, with its 95% bootstrap interval over runs.
"""

from __future__ import annotations

import argparse

import numpy as np

from ucbpe_core import FiniteBeta
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study, run_task

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


def main(seeds: int) -> None:
    rng = np.random.default_rng(0)
    print("| problem, rule | batches | free | shared, by | regret | lost |\n|" + "---|" * 6)
    for problem, shared in PROBLEMS.items():
        for rule in ("GP-UCB-PE", "Recommended"):
            curves = runs(problem, shared, rule, seeds)
            for T in AFTER:
                free = curves["free"][:, T - 1]
                for way in ("first", "sum"):
                    own = curves[way][:, T - 1]
                    means = rng.choice(own - free, (DRAWN, seeds)).mean(axis=1)
                    low, high = np.quantile(means, (0.025, 0.975))
                    lost = f"{(own - free).mean():.3g} ({low:.3g} to {high:.3g})"
                    cells = [f"{problem.label}, {rule}", str(T), f"{free.mean():.3g}", way]
                    print("|", " | ".join([*cells, f"{own.mean():.3g}", lost]), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    main(parser.parse_args().seeds)
