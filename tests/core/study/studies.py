"""Small studies, and problems and policies that go wrong on purpose, for workers to import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ucbpe_core import problems, use_plugin
from ucbpe_core.policies import BatchContext, Pick, RandomSearch
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Result, Store, Study
from ucbpe_core.support.streams import study_seeds

HERE = "tests.core.study.studies"
use_plugin(HERE)
SUGGESTED = HyperparameterPlan(method="suggested")
POLICIES = (
    PolicyPlan("PE", "GP-UCB-PE"),
    PolicyPlan("UCB", "GP-UCB", batches=6),
    PolicyPlan("Random", "Random search", {"batch_size": 2}),
)


def small(**changes: object) -> Study:
    """2 problems x 3 policies x 4 replicates of 4 batches: a second of work."""
    usual: dict[str, object] = {
        "name": "small",
        "problems": [
            ProblemPlan("Curve", "multimodal"),
            ProblemPlan("Draw", "generated_gp", {"resolution": 12, "noise_variance": 0.1}),
        ],
        "policies": POLICIES,
        "replicates": 4,
        "batches": 4,
        "batch_size": 3,
        "initial": 8,
    }
    return Study(**{**usual, **changes})  # type: ignore[arg-type]


def failures(store: Store) -> list[Result]:
    """The results that are errors."""
    return [result for result in store.results() if result.error is not None]


def broken(replicate: int, **options: object) -> ProblemPlan:
    """A problem of which one replicate raises, or kills its process."""
    bad = study_seeds(0, "Broken", replicate)["function"]
    return ProblemPlan("Broken", f"{HERE}:thermometer", {"bad": [bad], **options})


def partly_broken() -> Study:
    """`small` with a third problem, whose replicate 2 raises."""
    return small(problems=[broken(2), *small().problems])


def thermometer(
    seed: int = 0, *, bad: Sequence[int] = (), deadly: bool = False, patience: float = 0.0
) -> problems.Problem:
    """A draw, unless its seed is bad; after `patience` seconds."""
    time.sleep(patience)
    if seed in bad:
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        raise RuntimeError("the thermometer broke")
    return problems.generated_gp(seed, resolution=8)


@dataclass(frozen=True)
class Starter(RandomSearch):
    """Random batches whose role is "init" at the start, and once more later on."""

    rules = MappingProxyType({**RandomSearch.rules, "init": "the same, at the start"})
    starts: int = 2

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        init = context.t <= self.starts or context.t == self.starts + 2
        role = "init" if init else "random"
        return tuple(Pick(p.index, role, p.std, p.score) for p in super().picks(context))


def no_problem() -> int:
    """Not what a study can run."""
    return 3
