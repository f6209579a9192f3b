"""What is told of a candidate, against beliefs computed anew by solving the whole system."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.run.criterion import Reading, ReadingRow, read, rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import RandomSearch
from ucbpe_core.problems import Problem
from ucbpe_core.problems.base import regular_grid


def hills() -> Problem:
    X, _ = regular_grid([[0, 1], [0, 1]], 9)
    f = np.sin(5 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.3 * X[:, 0]
    return problems.from_table(X, f, noise_variance=0.01)


def by_name(told: list[ReadingRow]) -> dict[str, str]:
    return {row.name: row.value for row in told}


def test_numbers_are_those_of_the_belief_with_the_picks_before_counted(replay: Replay) -> None:
    trace = replay.trace
    X = trace.problem.candidates
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        decision = trace.decisions[event.t - 1]
        counted = event.k if event.kind is Kind.PICK else 0
        extra = [] if frame.fresh else decision.indices[:counted].tolist()
        members = [*frame.observed.tolist(), *extra]
        believed = trace.gp.condition(X[frame.observed], frame.observed_y)
        # The std does not depend on the values, so any will do for picks not measured yet.
        hallucinated = trace.gp.condition(X[members], np.r_[frame.observed_y, np.zeros(len(extra))])
        for j in (0, 137, 480):
            reading = read(replay, frame, j)
            mean = believed.predict(X[j : j + 1]).mean[0]
            std = hallucinated.predict(X[j : j + 1]).std[0]
            assert reading.mean == pytest.approx(mean, abs=1e-9)
            assert reading.std == pytest.approx(std, abs=1e-7)
            assert reading.upper == pytest.approx(mean + np.sqrt(decision.beta) * std, abs=1e-6)
            assert reading.lower == pytest.approx(mean - np.sqrt(decision.beta) * std, abs=1e-6)
            assert reading.truth == trace.problem.values[j]


def test_membership_and_distance(replay: Replay) -> None:
    X = replay.trace.problem.candidates
    seen = set()
    for i, event in enumerate(replay.events):
        frame, decision = replay.frame(i), replay.trace.decisions[event.t - 1]
        known = event.kind is Kind.REGION or (event.kind is Kind.PICK and event.k > 0)
        for j in (3, 200, 400):
            reading = read(replay, frame, j)
            if known:
                assert reading.in_region == decision.region[j]
                assert reading.in_region_plus == decision.region_plus[j]
                seen.add((reading.in_region, reading.in_region_plus))
            else:
                assert reading.in_region is reading.in_region_plus is None
            if event.kind is Kind.POSTERIOR:
                assert (reading.distance, reading.subject) == (None, "")
            elif event.kind is Kind.PICK:
                pick = decision.indices[event.k]
                assert reading.distance == pytest.approx(abs(X[j, 0] - X[pick, 0]))
    assert {(True, True), (False, True), (False, False)} <= seen


def test_a_pick_says_that_it_is_one(replay: Replay) -> None:
    frame = replay.frame(replay.batch_start(2) + 5)
    for pick in frame.picks:
        assert f"x{'⁰¹²³'[pick.number]}" in read(replay, frame, pick.index).picked
    free = next(j for j in range(481) if j not in {pick.index for pick in frame.picks})
    assert read(replay, frame, free).picked == ()
    last = frame.picks[-1]
    assert read(replay, frame, last.index).distance == 0


def test_rows_hold_every_number_and_keep_their_names(replay: Replay) -> None:
    i = next(i for i, e in enumerate(replay.events) if (e.t, e.kind, e.k) == (2, Kind.PICK, 1))
    frame = replay.frame(i)
    reading = read(replay, frame, int(np.flatnonzero(frame.region_plus)[20]))
    told = by_name(rows(replay.scene, reading, truth=True))
    assert told["x"] == number(reading.x[0])
    assert told["true f"] == number(reading.truth)
    for name, value in (("mean μ", reading.mean), ("std σ", reading.std), ("upper", reading.upper)):
        assert told[name] == number(value)
    rank, size = reading.rank
    assert told["rank for x¹"] == f"{rank} of {size} in R⁺ by std σ"
    assert told["distance to x¹"] == number(reading.distance)
    others = rows(replay.scene, read(replay, frame, 3), truth=True)
    assert [row._replace(value="") for row in others] == [
        row._replace(value="") for row in rows(replay.scene, reading, truth=True)
    ]


def test_the_truth_is_told_only_while_it_is_shown(replay: Replay) -> None:
    reading = read(replay, replay.frame(3), 137)
    told = rows(replay.scene, reading, truth=False)
    assert not any("true" in row.name for row in told)
    assert told[0] == ReadingRow("x", number(reading.x[0]), "whole")


def test_the_rank_before_the_next_pick_is_not_given_away(replay: Replay) -> None:
    def rank(i: int, *, guessing: bool) -> str:
        reading = read(replay, replay.frame(i), 137)
        told = by_name(rows(replay.scene, reading, truth=False, guessing=guessing))
        return next(value for name, value in told.items() if name.startswith("rank"))

    start = replay.batch_start(2)
    shown = rows(replay.scene, read(replay, replay.frame(start), 137), truth=False)
    assert "by upper bound" in by_name(shown)["rank for x⁰"]
    assert rank(start, guessing=True) == "shown after the reveal"
    assert "by upper bound" in rank(start, guessing=False)
    for i in (start + 1, start + 2, start + 3):  # what the pick on screen maximised is no secret
        assert rank(i, guessing=True) == rank(i, guessing=False)


def test_where_there_is_no_rank_it_is_said_why(replay: Replay) -> None:
    def rank(run: Replay, reading: Reading) -> str:
        told = by_name(rows(run.scene, reading, truth=False))
        return next(value for name, value in told.items() if name.startswith("rank"))

    observed = replay.frame(replay.batch_start(2) - 1)
    assert rank(replay, read(replay, observed, 5)) == "none: the batch is measured"
    last = replay.frame(replay.batch_start(4) + 4)
    outside = int(np.flatnonzero(~last.region_plus)[0])
    assert rank(replay, read(replay, last, outside)) == "none: not in R⁺"
    trace = simulate(problems.multimodal(), RandomSearch(2), batches=1, initial=2, seed=0)
    chance = Replay(trace)
    assert rank(chance, read(chance, chance.frame(1), 5)) == "none: the rule uses chance alone"


def test_two_inputs_share_a_line_and_many_are_for_where_no_table_is() -> None:
    two = Replay(simulate(hills(), GPUCBPE(3), batches=1, initial=3, seed=0))
    told = rows(two.scene, read(two, two.frame(3), 40), truth=True)
    assert [(row.name, row.kind) for row in told[:2]] == [("x1", "half"), ("x2", "half")]
    assert ("true f", "whole") in [(row.name, row.kind) for row in told]
    rng = np.random.default_rng(0)
    table = problems.from_table(rng.random((30, 5)), rng.random(30))
    five = Replay(simulate(table, GPUCBPE(3), batches=1, initial=3, seed=0))
    reading = read(five, five.frame(3), 7)
    told = rows(five.scene, reading, truth=True)
    assert [row.kind for row in told[:6]] == ["input"] * 5 + ["half"]
    assert [row.value for row in told[:5]] == [number(value) for value in reading.x]


def test_a_policy_without_a_region_has_no_rows_for_it() -> None:
    trace = simulate(problems.multimodal(), RandomSearch(2), batches=1, initial=2, seed=0)
    run = Replay(trace)
    names = {row.name for row in rows(run.scene, read(run, run.frame(1), 5), truth=True)}
    assert not names & {"in R", "in R⁺"}
