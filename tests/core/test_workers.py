"""Results one by one: who measures what and when, what is picked meanwhile, and files of it."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import examples
from tests.core.runs import assert_equal_fields, reread, small_run, text_of
from ucbpe_core import (
    GPUCBPE,
    Bandit,
    FiniteBeta,
    InputError,
    Policy,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.history.workers import DURATIONS, Timetable, Workers
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    POLICIES,
    BatchedPureExploration,
    GreedyUCB,
    PlainUCB,
    ThompsonSampling,
)
from ucbpe_core.study import (
    PolicyPlan,
    ProblemPlan,
    Result,
    Store,
    Study,
    execute,
    run_task,
    summarise,
)
from ucbpe_core.study.store import from_dict, to_dict
from ucbpe_core.support import streams


def curve(noise_variance: float = 0.05) -> problems.Problem:
    return problems.multimodal(noise_variance=noise_variance)


def run(policy: Policy, workers: Workers, *, batches: int = 4, seed: int = 3) -> Trace:
    return simulate(
        curve(), policy, beta=FiniteBeta(scale=0.2), batches=batches, initial=4, seed=seed,
        workers=workers,
    )  # fmt: skip


@examples(150)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.integers(1, 4), st.booleans())
def test_a_timetable_minute_by_minute(durations: list[int], K: int, together: bool) -> None:
    """A clock that ticks: at each minute results come in, then free workers start."""
    table = Timetable.of(np.array(durations, dtype=float), K, together=together)
    busy: dict[int, int] = {}  # worker: pick
    idle_since = dict.fromkeys(range(K), 0)
    rows, results = [(-1, 0, 0)] * len(durations), list[list[int]]()
    asked, minute = 0, 0
    while asked < len(durations) or busy:
        done = sorted(i for i in busy.values() if rows[i][2] == minute)
        if done:
            results.append(done)
        for i in done:
            worker = rows[i][0]
            del busy[worker]
            idle_since[worker] = minute
        if not (together and busy):
            for worker in sorted(set(range(K)) - set(busy), key=lambda w: (idle_since[w], w)):
                if asked < len(durations):
                    rows[asked] = (worker, minute, minute + durations[asked])
                    busy[worker] = asked
                    asked += 1
        minute += 1
    expected = tuple(map(list, zip(*rows, strict=True)))
    assert (table.worker.tolist(), table.start.tolist(), table.end.tolist()) == expected
    told = [i for group in results for i in group]
    if together:  # a batch is told as a whole, in the order of its picks
        assert table.order == tuple(range(len(durations)))
        assert [turn.size for turn in table.turns] == [
            min(K, len(durations) - first) for first in range(0, len(durations), K)
        ]
    else:
        assert list(table.order) == told
    for turn in table.turns:
        now = table.start[turn.first]
        assert (table.start[turn.first : turn.first + turn.size] == now).all()
        before = [i for i in range(turn.first) if table.end[i] > now]
        assert list(turn.running) == before
        assert turn.told == turn.first - len(before)


@pytest.mark.parametrize("kind", DURATIONS)
def test_durations_have_mean_1(kind: str) -> None:
    table = Workers(kind, spread=0.8).timetable(4_000, 4_000, seed=1)
    lengths = table.end - table.start
    assert lengths.min() >= (0 if kind != "uniform" else 0.2)
    assert lengths.mean() == pytest.approx(1.0, abs=0.05)
    spread = {"constant": 0, "exponential": 1, "uniform": 0.8 / 3**0.5}
    wanted = spread.get(kind, np.sqrt(np.exp(0.64) - 1))
    assert lengths.std() == pytest.approx(wanted, rel=0.1, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "GP-UCB"])
def test_results_that_arrive_together_are_the_run_in_batches(name: str) -> None:
    """By one constant duration for all, and by waiting for the slowest."""
    policy = POLICIES[name](batch_size=3)  # type: ignore[call-arg]
    usual = simulate(curve(), policy, batches=3, initial=4)
    for workers in (Workers("constant"), Workers("log-normal", together=True)):
        trace = simulate(curve(), policy, batches=3, initial=4, workers=workers)
        assert trace.digest == usual.digest
        assert trace.history.trials == usual.history.trials
        np.testing.assert_array_equal(trace.full_cumulative_regret, usual.full_cumulative_regret)
    slow = Workers("log-normal", together=True)
    batches = simulate(curve(), policy, batches=3, initial=4, workers=slow).timetable
    lengths = (batches.end - batches.start).reshape(3, 3)
    np.testing.assert_allclose(batches.arrivals, np.cumsum(lengths.max(axis=1)))


@pytest.mark.parametrize(("policy", "first"), [(GPUCBPE(4), "ucb"), (EIPE(4), "ei")])
def test_one_of_the_running_picks_is_the_first_of_a_batch(policy: Policy, first: str) -> None:
    """At any time K are running: one of the first kind, the others by pure exploration."""
    trace = run(policy, Workers(), batches=6)
    roles = [role for made in trace.decisions for role in made.roles]
    for turn in trace.timetable.turns:
        now = [*turn.running, *range(turn.first, turn.first + turn.size)]
        assert sorted(roles[i] == first for i in now) == [False] * 3 + [True]


def test_gp_bucb_bounds_the_information_of_all_running_picks() -> None:
    """It initialises until the whole batch of running picks has at most C, as in batches."""
    trace = run(GPBUCB(4, C=1.5), Workers(), batches=12)
    noise, roles = trace.gp.noise_variance, [made.roles[0] for made in trace.decisions]
    assert {"init", "ucb"} == set(roles)
    for t, (made, role) in enumerate(zip(trace.decisions, roles, strict=True), start=1):
        known = trace.posterior.at(trace.measured_before(t))
        K = made.n - known.n + len(made.indices)
        bound = 0.5 * (K - 1) * np.log1p(known.std.max() ** 2 / noise)
        assert (role == "init") == (bound > 1.5)


def test_a_candidate_that_runs_twice_has_two_results() -> None:
    """Plain UCB starts with K times one candidate: each result is that of its own pick."""
    trace = run(PlainUCB(4), Workers())
    first = trace.decisions[0].indices
    assert len(set(first.tolist())) == 1
    order = list(trace.timetable.order)
    for number, trial in enumerate(trace.history.trials[4:]):
        assert trial.place == 4 + order.index(number)
    added = trace.y - trace.problem.values[[trial.index for trial in trace.history.data]]
    other = run(GreedyUCB(4), Workers())  # the same noise at each (t, k)
    same = other.y - other.problem.values[[trial.index for trial in other.history.data]]
    np.testing.assert_allclose(added, same, atol=1e-12)


def test_it_is_the_loop_by_hand() -> None:
    """`fill` for workers that are free, `tell` for results as they come."""
    trace = run(GreedyUCB(3), Workers())
    X, beta = trace.problem.candidates, FiniteBeta(scale=0.2)
    bandit = Bandit(X, trace.gp, GreedyUCB(3), beta)
    bandit.tell([trial.index for trial in trace.history.data[:4]], trace.y[:4])
    told = 4
    for turn, made in zip(trace.timetable.turns, trace.decisions, strict=True):
        assert_equal_fields(bandit.fill(turn.size), made)
        arrived = trace.history.data[told : told + len(turn.results)]
        bandit.tell([trial.index for trial in arrived], [trial.y for trial in arrived])
        told += len(arrived)
    assert bandit.pending == ()
    np.testing.assert_array_equal(bandit.posterior.mean, trace.posterior.mean)


def test_the_posterior_before_each_pick() -> None:
    trace = run(GreedyUCB(3), Workers())
    starts = list(trace.starts())
    for t, made in enumerate(trace.decisions, start=1):
        np.testing.assert_array_equal(starts[t - 1].std, trace.before(t).std)
        for k, index in enumerate(made.indices):
            assert made.stds[k] == pytest.approx(trace.before(t, k).std[index], rel=1e-9)
    np.testing.assert_array_equal(starts[-1].mean, trace.posterior.mean)
    batches = run(GreedyUCB(3), Workers(together=True))
    np.testing.assert_array_equal(batches.before(2, 1).std, batches.posterior.at(8).std)


def test_regrets_are_those_of_the_results() -> None:
    trace = run(ThompsonSampling(3), Workers(), batches=5)
    problem, data = trace.problem, trace.history.data[4:]
    groups = []
    for turn in trace.timetable.turns:
        arrived = data[turn.told : turn.told + len(turn.results)]
        groups.append([problem.optimum - problem.values[one.index] for one in arrived])
    assert sum(map(len, groups)) == 15
    np.testing.assert_allclose(trace.simple_regret, [min(group) for group in groups])
    np.testing.assert_allclose(trace.full_cumulative_regret, np.cumsum([sum(g) for g in groups]))
    with pytest.raises(InputError, match="in batches"):
        _ = trace.values


def test_a_file_keeps_it() -> None:
    trace = run(GPUCBPE(3), Workers("log-normal", 0.7))
    again = reread(trace)
    assert (again.digest, again.workers) == (trace.digest, trace.workers)
    for mine, theirs in zip(again.decisions, trace.decisions, strict=True):
        assert_equal_fields(mine, theirs)
    np.testing.assert_array_equal(again.timetable.end, trace.timetable.end)
    assert "workers" not in text_of(small_run())
    # The same history by other workers is none that a run can have.
    with pytest.raises(InputError):
        replace(trace, workers=Workers("log-normal", 0.2)).save(io.StringIO())


def test_its_table_says_who_and_when() -> None:
    trace = run(GPUCBPE(3), Workers())
    frame = trace.to_frame()
    table, picks = trace.timetable, frame[frame["t"] > 0].sort_values(["t", "k"])
    np.testing.assert_array_equal(picks["end"].astype(float), table.end)
    np.testing.assert_array_equal(picks["worker"].astype(int), table.worker)
    assert frame["end"].astype(float)[4:].is_monotonic_increasing


def test_what_needs_whole_batches_refuses() -> None:
    with pytest.raises(InputError, match="take another policy"):
        run(BatchedPureExploration(3, horizon=20), Workers())
    with pytest.raises(InputError, match="leave refit_every out"):
        simulate(curve(), GPUCBPE(3), batches=4, refit_every=2, workers=Workers())
    with pytest.raises(InputError, match="durations"):
        Workers("weekly")
    for of_batches in (theory.diagnose, theory.gain_of_run):
        with pytest.raises(InputError, match="results one by one"):
            of_batches(run(GPUCBPE(3), Workers()))


def test_a_study_of_results_one_by_one() -> None:
    """Read back from its file, and its numbers are those of the run."""
    policies = [PolicyPlan("Plain", "Plain UCB"), PolicyPlan("PE", "GP-UCB-PE")]
    study = Study(
        "One by one", [ProblemPlan("Curve", "multimodal")], policies, replicates=1, batches=3,
        batch_size=3, initial=4, workers=Workers("uniform", 0.9),
    )  # fmt: skip
    assert from_dict(to_dict(study)) == study
    results = [run_task(study, task) for task in study.tasks()]
    assert [(one.picks, len(one.simple)) for one in results] == [(9, 7), (9, 7)]
    table = summarise.statistics(results)
    mean = table[(table.policy == "PE") & (table.statistic == "mean_regret")]["mean"].item()
    assert mean == pytest.approx(results[1].full_cumulative_regret[-1] / 9)


def test_a_study_has_the_time_of_each_result() -> None:
    """Of policies with workers of their own, also after the store; those are of the run's seed."""
    waits, single = Workers("log-normal", 0.8, together=True), Workers("log-normal", 0.8)
    policies = [
        PolicyPlan("Usual", "GP-UCB-PE"),
        PolicyPlan("Waits", "GP-UCB-PE", workers=waits),
        PolicyPlan("One by one", "GP-UCB-PE", workers=single),
    ]
    study = Study(
        "Times", [ProblemPlan("Curve", "multimodal")], policies, replicates=2, batches=3,
        batch_size=3, initial=4,
    )  # fmt: skip
    assert from_dict(to_dict(study)) == study
    with Store.create_or_open(":memory:", study) as store:
        execute(study, store, workers=0)
        results = store.planned()
        digest = store.digest()
    assert "arrivals" not in results[0].to_json()
    for one in results:
        seed = streams.study_seeds(0, "Curve", one.replicate)["run"]
        workers = study.workers_of(study.policy(one.policy))
        table = workers.timetable(9, 3, seed)
        done = [table.end[list(turn.results)].max() for turn in table.turns]
        np.testing.assert_array_equal(one.times, np.maximum.accumulate(done))
    together, apart = results[2], results[4]
    assert together.replicate == apart.replicate
    np.testing.assert_array_equal(together.simple, results[0].simple)
    assert apart.times[-1] < together.times[-1]
    with pytest.raises(ValueError, match="other curves"):
        Result.from_json(apart.task, replace(apart, arrivals=apart.times[::-1]).to_json())
    with Store.create_or_open(":memory:", replace(study, policies=policies[::-1])) as store:
        execute(store.study, store, workers=0)
        assert store.digest() == digest
    with pytest.raises(InputError, match="Workers"):
        PolicyPlan("Wrong", "GP-UCB-PE", workers=4)
