"""The cache of runs, and giving a run up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.runs import Job, RunCache, Superseded, bounds, load
from app.settings import Settings
from ucbpe_core import simulate, theory
from ucbpe_core.errors import InputError

SPEC = replace(Settings().spec(), batches=2, batch_size=3)


def test_a_run_is_computed_once_and_equals_simulate() -> None:
    cache = RunCache()
    replay = load(SPEC, cache=cache)
    assert load(SPEC, cache=cache) is replay
    trace = simulate(
        SPEC.build_problem(), SPEC.build_policy(), SPEC.build_gp(), SPEC.build_schedule(),
        batches=2, initial=SPEC.initial, seed=SPEC.seed,
    )  # fmt: skip
    assert np.array_equal(replay.trace.y, trace.y)


def test_the_cache_drops_what_was_unused_for_longest() -> None:
    cache = RunCache(size=2)
    specs = [replace(SPEC, seed=seed) for seed in range(3)]
    load(specs[0], cache=cache)
    load(specs[1], cache=cache)
    assert cache.get(specs[0]) is not None
    load(specs[2], cache=cache)
    assert [cache.get(spec) is not None for spec in specs] == [True, False, True]


def test_a_stopped_job_leaves_and_caches_nothing() -> None:
    cache, job = RunCache(), Job()
    job.stop()
    with pytest.raises(Superseded):
        load(SPEC, job, cache)
    assert cache.get(SPEC) is None


def test_a_job_says_how_far_it_is() -> None:
    job = Job()
    load(SPEC, job, RunCache())
    assert job.share == 1.0


def test_what_cannot_run_says_so() -> None:
    with pytest.raises(InputError, match="initial points"):
        load(replace(SPEC, initial=500), cache=RunCache())


def test_bounds_are_the_theorem_for_this_run() -> None:
    replay = load(SPEC, cache=RunCache())
    trace = replay.trace
    gamma = theory.gamma_bound(trace.gp, trace.problem.candidates, 6)[[2, 5]]
    beta = np.array([iteration.decision.beta for iteration in trace.iterations])
    s = np.sqrt(2.3)
    c = 1 / np.log(1 + 2.3 / 0.01)
    T = np.array([1, 2])
    printed = s * np.sqrt(4 * c * T / 3 * beta * gamma + np.pi / np.sqrt(6))
    proved = s * (np.sqrt(8 * c * T / 3 * beta * gamma) + 2 * np.sqrt(beta) * 2 / 3)
    np.testing.assert_allclose(bounds(replay).printed, printed)
    np.testing.assert_allclose(bounds(replay).proved, proved)
    assert np.all(trace.batch_cumulative_regret <= bounds(replay).proved)
