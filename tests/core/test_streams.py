"""Random streams: each purpose has its own, and one module makes them all."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from ucbpe_core import Bandit, InputError, Policy, problems, simulate
from ucbpe_core.policies import (
    RandomizedKrigingBeliever,
    RandomSearch,
    SimulationMatching,
    ThompsonSampling,
    VizierUCBPE,
)
from ucbpe_core.support import streams

Maker = Callable[[int], np.random.Generator]

DRAWING = (
    RandomSearch, ThompsonSampling, SimulationMatching, VizierUCBPE, RandomizedKrigingBeliever,
)  # fmt: skip
BATCHES = (0, 1, 2, 3, 7)
LABELS = ("Himmelblau", "Draw")
PURPOSES: dict[str, Maker] = {
    "function": streams.function,
    "initial points": streams.initial_points,
    "a policy seeded by its run": lambda s: streams.policy(streams.policy_seed(s), 1),
    "coverage, f": streams.coverage_functions,
    "coverage, observations": streams.coverage_observations,
    "fit": streams.fit_starts,
    "draws in a picture": streams.pictured_draws,
    "durations": streams.durations,
    **{f"noise of batch {t}": lambda s, t=t: streams.noise(s, t) for t in BATCHES},  # type: ignore[misc]
    **{f"policy in batch {t}": lambda s, t=t: streams.policy(s, t) for t in BATCHES[1:]},  # type: ignore[misc]
    **{
        f"box in batch {t}: {part}": lambda s, t=t, part=part: streams.box_search(s, t, part)  # type: ignore[misc]
        for t in BATCHES[1:]
        for part in streams.BOX_PARTS
    },
    **{
        f"{name} of replicate {r} of {label}": lambda s, name=name, r=r, label=label: (  # type: ignore[misc]
            streams.function(streams.study_seeds(s, label, r)[name])
        )
        for name in streams.STUDY
        for r in (0, 1)
        for label in LABELS
    },
    "initial points of a study's run": lambda s: streams.initial_points(
        streams.study_seeds(s, "Draw", 0)["run"]
    ),
    "policy of a study": lambda s: streams.policy(streams.study_seeds(s, "Draw", 0)["policy"], 1),
}


def draws(make: Maker, seed: int) -> bytes:
    return make(seed).bytes(64)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 6, 9999, 2**32 - 1])
def test_no_two_purposes_share_a_stream(seed: int) -> None:
    """All pairs, at seeds up to 32 bits; nor does a purpose at one seed share that of another."""
    drawn = {name: draws(make, seed) for name, make in PURPOSES.items()}
    for one, other in combinations(drawn, 2):
        assert drawn[one] != drawn[other], (one, other)
    others = {draws(make, seed + 1) for make in PURPOSES.values()}
    assert not others & set(drawn.values())


@pytest.mark.parametrize("seed", [2**32, 2**32 + 1, 3 * 2**32 + 5, 2**64 - 1])
def test_new_purposes_are_apart_from_long_seeds_too(seed: int) -> None:
    """[s, t] is the number s + t 2^32; a key behind padded entropy is no number below 2^128."""
    new = [
        name
        for name in PURPOSES
        if name.startswith(("coverage", "fit", "box", "minimize", "a policy"))
    ]
    drawn = [draws(PURPOSES[name], seed) for name in new]
    assert len(set(drawn)) == len(new)
    others = {draws(PURPOSES[name], seed) for name in PURPOSES if name not in new}
    assert not others & set(drawn)
    # What the old keys do, and why the new ones are not lists.
    assert draws(streams.function, 5 + 3 * 2**32) == draws(lambda s: streams.policy(s, 3), 5)


@pytest.mark.parametrize("kind", DRAWING)
def test_the_seed_of_a_run_seeds_its_policy(kind: type[Policy]) -> None:
    """Unless the policy has one of its own; the trace has the seed that was used."""
    problem = problems.multimodal()

    def picks(policy: Policy, seed: int) -> list[int]:
        trace = simulate(problem, policy, batches=2, initial=0, seed=seed)
        bandit = Bandit(problem.candidates, trace.gp, trace.policy, trace.beta)
        assert bandit.ask().indices.tolist() == trace.decisions[0].indices.tolist()
        again = simulate(problem, trace.policy, batches=2, initial=0, seed=seed)
        assert again.digest == trace.digest
        return [j for one in trace.decisions for j in one.indices.tolist()]

    free, fixed = kind(batch_size=5), kind(batch_size=5, seed=3)  # type: ignore[call-arg]
    assert picks(free, 1) == picks(free, 1)
    assert picks(free, 1) != picks(free, 2)
    assert picks(free, 0) != picks(kind(batch_size=5, seed=0), 0)  # type: ignore[call-arg]
    first = simulate(problem, fixed, batches=1, initial=0, seed=1)
    assert first.policy is fixed
    other = simulate(problem, fixed, batches=1, initial=0, seed=2)
    np.testing.assert_array_equal(other.decisions[0].indices, first.decisions[0].indices)


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_seeds_are_whole(seed: object) -> None:
    """But a generator is taken as it is, where a function of the package takes one."""
    rng = np.random.default_rng(0)
    assert streams.function(rng) is streams.fit_starts(rng) is rng
    for make in (streams.function, streams.fit_starts, streams.coverage_functions):
        with pytest.raises(InputError, match="seed"):
            make(seed)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seed"):
        RandomSearch(4, seed=seed)  # type: ignore[arg-type]
