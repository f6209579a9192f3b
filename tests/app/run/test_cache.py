"""The cache of runs, and giving a run up."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_app.links import Moment, decode, encode, restore
from ucbpe_app.run.cache import RunCache, bounds, buffers, load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.settings import KERNELS, SCHEDULES, RunSpec, Settings
from ucbpe_app.tasks.job import Job, Superseded
from ucbpe_app.theory.state import gather
from ucbpe_core import Trace, simulate, theory
from ucbpe_core.errors import InputError
from ucbpe_core.policies import POLICIES
from ucbpe_core.support.limits import calling

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


def test_what_cannot_run_says_so() -> None:
    with pytest.raises(InputError, match="initial points"):
        load(replace(SPEC, initial=500), cache=RunCache())


def test_bounds_are_the_theorem_for_this_run() -> None:
    replay = load(SPEC, cache=RunCache())
    trace = replay.trace
    gamma = theory.gamma_bound(trace.gp, trace.problem.candidates, 6)[[2, 5]]
    beta = np.array([decision.beta for decision in trace.decisions])
    s = np.sqrt(2.3)
    c = 1 / np.log(1 + 2.3 / 0.01)
    T = np.array([1, 2])
    printed = s * np.sqrt(4 * c * T / 3 * beta * gamma + np.pi / np.sqrt(6))
    proved = s * (np.sqrt(8 * c * T / 3 * beta * gamma) + 2 * np.sqrt(beta) * 2 / 3)
    np.testing.assert_allclose(bounds(replay).printed, printed)
    np.testing.assert_allclose(bounds(replay).proved, proved)
    assert np.all(trace.batch_cumulative_regret <= bounds(replay).proved)


def test_bounds_are_those_of_the_theory_page_for_every_schedule() -> None:
    for schedule in ("Finite set", "Compact cube", "Constant"):
        replay = load(replace(SPEC, schedule=schedule), cache=RunCache())
        page = gather(replay).batch
        np.testing.assert_allclose(bounds(replay).printed, page.printed)
        np.testing.assert_allclose(bounds(replay).proved, page.proved)


def random_spec(rng: np.random.Generator) -> RunSpec:
    """A short run of any policy, kernel and schedule on a 1-D problem."""
    positive = {
        name: float(rng.lognormal(0, 0.7))
        for name in ("lengthscale", "offset", "variance", "noise_variance", "beta", "scale")
    }
    return replace(
        SPEC,
        problem=str(rng.choice(["multimodal", "thin_peak", "figure1", "generated_gp_1d"])),
        problem_seed=int(rng.integers(5)),
        policy=str(rng.choice(list(POLICIES))),
        kernel=str(rng.choice(list(KERNELS))),
        nu=float(rng.choice([0.5, 1.5, 2.5])),
        degree=int(rng.integers(1, 4)),
        mean=float(rng.normal()),
        schedule=str(rng.choice(list(SCHEDULES))),
        delta=float(rng.uniform(0.01, 0.5)),
        batch_size=int(rng.integers(1, 4)),
        batches=int(rng.integers(1, 3)),
        initial=int(rng.integers(1, 5)),
        seed=int(rng.integers(9999)),
        **positive,
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_link_of_any_run_opens_the_same_run(seed: int) -> None:
    """Computed twice, from the settings and from the link of another visitor."""
    rng = np.random.default_rng(seed)
    first = load(random_spec(rng), cache=RunCache())
    event = first.events[rng.integers(len(first.events))]
    moment = Moment(random_spec(np.random.default_rng(seed)), event, digest=first.trace.digest)
    read, unread = decode(encode(moment))
    opened, replay, unlike = restore(read, cache=RunCache())
    assert unread == unlike == ()
    assert opened.settings == moment.settings
    assert opened.event == event
    assert replay.trace.digest == first.trace.digest


def test_an_event_that_the_run_does_not_have_is_told() -> None:
    _, _, (error,) = restore(Moment(SPEC, Event(3, Kind.PICK, 1)), cache=RunCache())
    assert error.expected == "event to be one of this run, of 2 batches of 3"
    assert error.got == "pick 1 of batch 3"
    for event in (Event(2, Kind.PICK, 3), Event(2, Kind.POSTERIOR)):
        _, _, errors = restore(Moment(SPEC, event), cache=RunCache())
        assert len(errors) == (event.kind is Kind.PICK)


def test_another_digest_is_told_and_changes_nothing() -> None:
    cache = RunCache()
    digest = load(SPEC, cache=cache).trace.digest
    other = f"{(int(digest[:16], 16) + 1) % 16**16:016x}"
    moment, replay, (error,) = restore(Moment(SPEC, digest=other), cache=cache)
    assert replay is cache.get(SPEC)
    assert moment.settings == SPEC
    assert (error.expected, error.got) == (f"run {other}", f"run {digest[:16]}")


def test_a_setting_that_makes_no_run_is_taken_as_usual() -> None:
    spec = replace(SPEC, seed=5, initial=500)
    moment, replay, (error,) = restore(Moment(spec, digest="0" * 16), cache=RunCache())
    assert moment.settings == replace(spec, initial=3)
    assert moment.digest == ""  # of a run with another setting nobody said one
    assert "initial points" in error.expected
    assert (error.got, error.remedy) == ("initial=500", "the link opens with initial=3")
    assert (replay.trace.initial, replay.trace.seed) == (3, 5)


def test_whichever_setting_it_is_the_others_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a covariance that is singular for some mean, whatever else is set."""
    monkeypatch.setattr(RunSpec, "simulate", refuses_mean_13)
    spec = replace(SPEC, seed=5, mean=13.0, scale=0.5)
    moment, _, (error,) = restore(Moment(spec), cache=RunCache())
    assert moment.settings == replace(spec, mean=0.0)
    assert error.got == "mean=13.0"
    with pytest.raises(InputError, match="another mean"):
        restore(Moment(replace(spec, initial=500)), cache=RunCache())


def refuses_mean_13(spec: RunSpec, compute: Any = RunSpec.simulate, **options: Any) -> Trace:
    if spec.mean == 13:
        raise InputError("another mean", "13", "change it")
    return compute(spec, **options)


def test_a_run_ends_inside_a_batch() -> None:
    """One batch of this takes seconds; nobody waits for its end."""
    job = Job()
    spec = replace(SPEC, problem="himmelblau", policy="SM-UCB", batch_size=50, initial=400)
    checkpoints = 0

    def stop() -> None:
        nonlocal checkpoints
        checkpoints += 1
        if checkpoints == 3:
            job.stop()
        job.check()

    with calling(stop), pytest.raises(Superseded):
        load(spec, job, RunCache())
    assert checkpoints == 3
    assert job.share == 0.0


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_can_be_ended_inside_a_batch(policy: str) -> None:
    passed = 0

    def count() -> None:
        nonlocal passed
        passed += 1

    spec = replace(SPEC, policy=policy, batches=1, batch_size=4)
    with calling(count):
        load(spec, cache=RunCache())
    assert passed >= (1 if policy in ("GP-UCB", "Random search") else 3)


def nbytes(cache: RunCache, specs: list[RunSpec]) -> int:
    """What those of these runs hold that are there, in bytes."""
    return sum(buffers([cache.get(spec) for spec in specs]).values())


@pytest.mark.slow
def test_the_cache_counts_what_its_runs_hold() -> None:
    """Against the memory that Python itself counts."""
    spec = replace(SPEC, problem="himmelblau", batches=6, batch_size=10, initial=100)
    load(spec, cache=RunCache())  # what is made once, and kept by others, is there
    gc.collect()
    cache, specs = RunCache(), [replace(spec, seed=seed) for seed in range(3)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for one in specs:
            load(one, cache=cache)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert held > 30e6
    assert nbytes(cache, specs) == pytest.approx(held, rel=0.05)


def test_memory_that_runs_share_counts_once() -> None:
    block = np.zeros(1000)
    views = {"half": block[:500], "row": (block[None], [block.T])}
    alone = sum(buffers(block).values())
    assert alone == 8000
    assert 8000 < sum(buffers(views).values()) < 9000
    assert sum((buffers([block]) | buffers((block,))).values()) < 8500


def test_the_cache_is_bounded_in_bytes() -> None:
    spec = replace(SPEC, problem="himmelblau", initial=50)
    one = RunCache()
    load(spec, cache=one)
    limit = round(2.5 * nbytes(one, [spec]))
    cache, specs = RunCache(limit=limit), [replace(spec, seed=seed) for seed in range(5)]
    for other in specs:
        load(other, cache=cache)
        assert nbytes(cache, specs) <= limit
    kept = [cache.get(other) is not None for other in specs]
    assert kept == [False, False, False, True, True]
    none = RunCache(limit=1000)
    assert load(spec, cache=none) is not None
    assert none.get(spec) is None
