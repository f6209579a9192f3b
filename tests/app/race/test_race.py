"""A race that has been run: where one stops, who stands where, and what the runs share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.race.measures import Row, advice, leaders, levels, ranked, rows, verdict
from ucbpe_app.race.race import MultiRunJob, Race, RaceRun, run_race
from ucbpe_app.race.setup import Configuration, Setup, Unit
from ucbpe_app.race.views import busy
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.tasks.job import Superseded
from ucbpe_app.widgets.comparing import Measure
from ucbpe_core import Trace

T, K = 6, 4


def noise(trace: Trace) -> np.ndarray:
    """What measurement added to the truth in the batches, shape (T, K)."""
    added = trace.y - trace.problem.values[list(trace.posterior.conditioned_indices)]
    return added[trace.initial :].reshape(len(trace.decisions), -1)


def regret_by_hand(trace: Trace, done: int) -> dict[Measure, float]:
    """The regrets after `done` batches, pick by pick; the best counts the initial points too."""
    first = trace.posterior.conditioned_indices[: trace.initial]
    start = [trace.problem.optimum - trace.problem.values[i] for i in first]
    gaps = [
        [trace.problem.optimum - trace.problem.values[i] for i in decision.indices]
        for decision in trace.decisions[:done]
    ]
    return {
        Measure.BEST: min(map(min, [start, *gaps])),
        Measure.BATCH: min(gaps[-1]),
        Measure.CUMULATIVE: sum(min(batch) for batch in gaps),
        Measure.EVERY: sum(sum(batch) for batch in gaps),
    }


def sequential(race: Race) -> RaceRun:
    runner = race.runners[3]
    assert (runner.label, runner.batch_size) == ("GP-UCB", 1)
    return runner


def of(spec: RunSpec, *changes: dict[str, object]) -> Setup:
    return Setup(tuple(Configuration(replace(spec, **one)) for one in changes))


def test_the_runs_are_those_of_the_step_page(setup: Setup) -> None:
    race = run_race(setup)
    for runner, settings in zip(race.runners, setup.runs(), strict=True):
        assert runner.settings == settings
        assert runner.replay is load(settings)


def test_the_share_grows_over_all_runs(spec: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = list[float]()

    class Told(MultiRunJob):
        def progress(self, done: int, total: int) -> None:
            super().progress(done, total)
            shares.append(self.share)

    new = replace(spec, seed=801, batches=5)
    run_race(of(new, {}, {"policy": "GreedyUCB"}), Told())
    assert shares == sorted(shares)
    assert shares[:3] == [0.1, 0.2, pytest.approx(0.3)]
    assert shares[-1] == 1.0
    assert 0.5 in shares


def test_a_stopped_race_ends_even_between_cached_runs(setup: Setup) -> None:
    run_race(setup)
    job = MultiRunJob()
    job.stop()
    with pytest.raises(Superseded):
        run_race(setup, job)


def test_at_equal_iterations_one_stops_at_every_batch(by_iterations: Race) -> None:
    assert by_iterations.places == tuple(range(T + 1))
    assert by_iterations.starts == tuple(range(T + 1))
    for i in by_iterations.places:
        assert [state.done for state in by_iterations.states(i)] == [i] * 4


def test_at_equal_evaluations_one_stops_where_some_run_completes_a_batch(
    by_evaluations: Race,
) -> None:
    assert by_evaluations.places == tuple(range(T * K + 1))
    assert sequential(by_evaluations).batches == T * K
    assert [by_evaluations.places[i] for i in by_evaluations.starts] == [0, 4, 8, 12, 16, 20, 24]
    for i, n in enumerate(by_evaluations.places):
        assert [state.done for state in by_evaluations.states(i)] == [n // K] * 3 + [n]


def test_without_a_sequential_run_the_places_are_those_of_the_batches(spec: RunSpec) -> None:
    configurations = tuple(Configuration(replace(spec, batch_size=K)) for K in (4, 3))
    race = run_race(Setup(configurations, Unit.EVALUATIONS))
    assert race.places == (0, 3, 4, 6, 8, 9, 12, 15, 16, 18, 20, 21, 24)
    assert [race.places[i] for i in race.starts] == [0, 4, 8, 12, 16, 20, 24]
    at_15 = race.states(race.places.index(15))
    assert [state.done for state in at_15] == [3, 5]
    assert race.closest(14) == race.places.index(12)
    assert race.closest(10**6) == len(race.places) - 1


def test_a_state_is_the_end_of_the_last_completed_batch(by_evaluations: Race) -> None:
    for i in (0, 3, 4, 11, 24):
        for runner, state in zip(by_evaluations.runners, by_evaluations.states(i), strict=True):
            frame, n = state.frame, runner.replay.trace.initial
            n += state.done * runner.batch_size
            assert len(frame.observed) == n
            belief = runner.replay.trace.posterior.at(n)
            np.testing.assert_allclose(frame.mean, belief.mean, rtol=0, atol=1e-9)
            kind = Kind.OBSERVE if state.done else Kind.POSTERIOR
            assert (frame.event.kind, frame.event.t) == (kind, max(state.done, 1))
            if runner.scene.uses_region and state.done:
                decision = runner.replay.trace.decisions[state.done - 1]
                assert state.decision.region_plus is decision.region_plus
            else:
                assert state.decision.region_plus is None


@pytest.mark.parametrize("measure", list(Measure))
def test_curves_are_the_regrets_where_their_batches_end(
    by_iterations: Race, by_evaluations: Race, measure: Measure
) -> None:
    for race in (by_iterations, by_evaluations):
        for runner in race.runners:
            x, y = race.curve(runner, measure)
            step = runner.batch_size if race is by_evaluations else 1
            assert x.tolist() == [step * t for t in range(1, runner.batches + 1)]
            for done in (1, runner.batches // 2, runner.batches):
                expected = regret_by_hand(runner.replay.trace, done)[measure]
                assert y[done - 1] == pytest.approx(expected, abs=1e-12)


def test_who_leads_has_the_least_regret(by_iterations: Race, by_evaluations: Race) -> None:
    for race in (by_iterations, by_evaluations):
        for i in range(len(race.places)):
            standing = {
                runner.label: regret_by_hand(runner.replay.trace, done)[Measure.BEST]
                for runner in race.runners
                if (done := race.done(runner, i))
            }
            least = min(standing.values(), default=None)
            expected = {name for name, value in standing.items() if value == least}
            assert {runner.label for runner in leaders(race, i, Measure.BEST)} == expected


def test_sums_over_different_counts_have_no_leader(
    by_iterations: Race, by_evaluations: Race
) -> None:
    """R_T^K compares after as many batches, R_TK after as many picks."""
    assert leaders(by_iterations, 3, Measure.CUMULATIVE)
    assert not leaders(by_iterations, 3, Measure.EVERY)
    assert not leaders(by_evaluations, 8, Measure.CUMULATIVE)
    assert leaders(by_evaluations, 8, Measure.EVERY)
    assert not leaders(by_evaluations, 7, Measure.EVERY)  # 4, 4, 4 and 7 picks
    assert [advice(by_iterations, one) != "" for one in Measure] == [False, False, False, True]
    assert [advice(by_evaluations, one) != "" for one in Measure] == [False, False, True, False]


@pytest.mark.parametrize("name", ["by_iterations", "by_evaluations"])
def test_rows_are_the_regrets_pick_by_pick(name: str, request: pytest.FixtureRequest) -> None:
    race: Race = request.getfixturevalue(name)
    limits = levels(race)
    for i in (0, 1, 3, len(race.places) - 1):
        found = rows(race, i)
        counts = {race.done(one, i) for one in race.runners}
        for runner, row in zip(race.runners, found, strict=True):
            done, trace = race.done(runner, i), runner.replay.trace
            assert row.name == runner.label
            if not done:
                assert (row.best, row.last, row.below) == (None, None, (None, None))
                continue
            expected = regret_by_hand(trace, done)
            assert row.best == pytest.approx(expected[Measure.BEST], abs=1e-12)
            assert row.last == pytest.approx(expected[Measure.BATCH], abs=1e-12)
            if len(counts) == 1:
                assert row.cumulative == pytest.approx(expected[Measure.CUMULATIVE], abs=1e-12)
            else:
                assert row.cumulative is None
            bests = [regret_by_hand(trace, t)[Measure.BEST] for t in range(1, done + 1)]
            for limit, batch in zip(limits, row.below, strict=True):
                below = [t for t, best in enumerate(bests, start=1) if best < limit]
                assert batch == next(iter(below), None)


def test_levels_are_round_parts_of_the_first_regret(by_iterations: Race) -> None:
    start = max(one.replay.trace.best_so_far[0] for one in by_iterations.runners)
    for level, part in zip(levels(by_iterations), (10, 40), strict=True):
        assert f"{level:e}"[0] in "125"
        assert start / part / 1.6 < level < 1.6 * start / part


A, B, C = (Row(name, best, best, total) for name, best, total in
           (("A", 2.4, 356.0), ("B", 11.0, 468.0), ("C", 12.4, 325.0)))  # fmt: skip


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((A, B, C), "A leads after batch 9, 2.4 below the maximum. "
                    "By cumulative regret it is C, 325."),
        ((A, B), "A leads after batch 9, 2.4 below the maximum."),
        ((B, C, A), "A leads after batch 9, 2.4 below the maximum. "
                    "By cumulative regret it is C, 325."),
        ((A, replace(B, best=2.4), C), "A and B lead after batch 9, 2.4 below the maximum. "
                                       "By cumulative regret it is C, 325."),
        ((A, B, replace(B, name="D", cumulative=325.0), C),
         "A leads after batch 9, 2.4 below the maximum. By cumulative regret it is D and C, 325."),
        ((A, replace(A, name="B")), "All are equal after batch 9, 2.4 below the maximum."),
        ((A, replace(A, name="B", cumulative=300.0)),
         "All are equal after batch 9, 2.4 below the maximum. By cumulative regret it is B, 300."),
        ((replace(A, best=0.0), B), "A leads after batch 9, at the maximum."),
        ((A, Row("B")), "Only A has results after batch 9: 2.4 below the maximum."),
        # Sums that do not compare name nobody.
        ((replace(A, cumulative=None), B, C), "A leads after batch 9, 2.4 below the maximum."),
        ((Row("A"), Row("B")), "Before the first batch: all runs have the same initial points."),
    ],
)  # fmt: skip
def test_the_verdict_says_who_leads_by_which_measure(found: tuple[Row, ...], said: str) -> None:
    assert verdict(found, "after batch 9") == said


def test_nobody_leads_who_is_no_better_than_the_initial_points() -> None:
    equal = tuple(replace(row, best=1.39) for row in (A, B, C))
    said = "No policy is better than the initial points after batch 9, 1.39 below the maximum."
    assert verdict(equal, "after batch 9", start=1.39).startswith(said)
    ahead = verdict((replace(A, best=1.2), *equal[1:]), "after batch 9", start=1.39)
    assert ahead.startswith("A leads after batch 9, 1.2 below")


def test_rows_are_ranked_by_best_regret() -> None:
    assert ranked((C, Row("none yet"), A, B, replace(A, name="tie"))) == (2, 4, 3, 0, 1)


def test_what_all_runs_share(by_evaluations: Race) -> None:
    """The function, the initial points with their values, and the noise of each (t, k)."""
    traces = [runner.replay.trace for runner in by_evaluations.runners]
    start = traces[0].initial
    for trace in traces[1:]:
        assert trace.problem is traces[0].problem
        assert (
            trace.posterior.conditioned_indices[:start]
            == (traces[0].posterior.conditioned_indices[:start])
        )
        np.testing.assert_array_equal(trace.y[:start], traces[0].y[:start])
        both = min(K, trace.policy.batch_size)
        np.testing.assert_allclose(
            noise(trace)[:T, :both], noise(traces[0])[:T, :both], rtol=0, atol=1e-12
        )


def test_a_digest_is_of_all_runs_in_order(by_iterations: Race, setup: Setup) -> None:
    assert by_iterations.digest == run_race(setup).digest
    swapped = Setup(setup.configurations[::-1], setup.unit)
    assert run_race(swapped).digest != by_iterations.digest
    assert len(by_iterations.digest) == 64


def test_progress_in_time() -> None:
    """Each place is where a result arrives; at a time, a run has the batches completed by then."""
    spec = RunSpec(batches=4, batch_size=3, results="one by one")
    setup = of(spec, {}, {"policy": "Plain UCB"}, {"results": "in batches"}, {"policy": "GP-UCB"})
    race = run_race(Setup(setup.configurations, Unit.TIME))
    ends = [one.replay.trace.timetable.arrivals for one in race.runners]
    assert len(ends[0]) == len(ends[1]) > len(ends[2]) == len(ends[3]) == 4
    np.testing.assert_array_equal(ends[0], ends[1])  # the same durations
    assert ends[2][-1] > ends[0][-1]  # which waits for the slowest of each batch
    for i, place in enumerate(race.places):
        now = race.time(i)
        assert now == place / 1000
        for runner, at in zip(race.runners, ends, strict=True):
            # A place is at most a thousandth after what arrives there.
            assert race.done(runner, i) == int((np.ceil(1000 * at) <= place).sum())
    assert [race.places[i] // 1000 for i in race.starts][:3] == [0, 1, 2]
    assert race.translated(2, Unit.ITERATIONS) == race.runners[0].ends(Unit.TIME)[1]
    picture = busy(race, len(race.places) - 1)
    assert picture is not None
    assert "9 done" not in picture.text
    assert picture.text.count("12 done, 0 running, 3 workers free") == 2
    assert busy(run_race(of(RunSpec(batches=2), {}, {"policy": "GP-UCB"})), 1) is None
