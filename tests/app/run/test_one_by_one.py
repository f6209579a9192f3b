"""Runs with results one by one, stepped through decision by decision."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.links import usual
from ucbpe_app.pictures.curve import curve
from ucbpe_app.pictures.field import field
from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.pictures.picture import Request
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import ONE_BY_ONE, RunSpec
from ucbpe_core.errors import InputError

SPEC = RunSpec(batches=4, batch_size=3, results=ONE_BY_ONE)


@pytest.mark.parametrize(
    "policy", ["GP-UCB-PE", "EI-PE", "Plain UCB", "Vizier UCB-PE", "Thompson sampling"]
)
def test_each_event(policy: str) -> None:
    """What is measured then, with running picks counted in the std; each pick leads its rule."""
    replay = Replay(replace(SPEC, policy=policy).simulate())
    trace, measured = replay.trace, 3
    for i, event in enumerate(replay.events):
        frame, made = replay.frame(i), trace.decisions[event.t - 1]
        turn = trace.timetable.turns[event.t - 1]
        if event.kind is Kind.OBSERVE:
            assert frame.fresh == len(frame.picks) == len(turn.results)
            arrived = frame.observed[-frame.fresh :].tolist()
            assert sorted(pick.index for pick in frame.picks) == sorted(arrived)
            measured += frame.fresh
        assert len(frame.observed) == measured
        # What earlier decisions made and nobody has measured; with the results, this one's, too.
        made_by_now = turn.first + (turn.size if event.kind is Kind.OBSERVE else 0)
        left = Counter(one.index for one in trace.history.trials[3 : 3 + made_by_now])
        left.subtract(frame.observed[3:].tolist())
        assert Counter(pick.index for pick in frame.pending) == +left
        np.testing.assert_array_equal(frame.observed_y, trace.y[:measured])
        if event.kind is Kind.PICK:
            assert frame.std_now[made.indices[event.k]] == pytest.approx(made.stds[event.k])
            found = criterion(replay, frame)
            assert found is not None
            assert frame.subject is not None
            if found.values is not None:
                assert found.rank(frame.subject.index)[0] == 1  # type: ignore[index]
        assert frame.sentence
        assert frame.status
        assert all(line.text for line in frame.lines)
    assert measured == len(trace.y)


@pytest.mark.parametrize("problem", ["multimodal", "himmelblau"])
def test_running_picks_have_empty_marks_until_their_results_come(problem: str) -> None:
    spec = replace(usual(problem), batches=4, batch_size=3, results=ONE_BY_ONE)
    replay = Replay(spec.simulate())
    role, plot = ("pending", "function") if problem == "multimodal" else ("pending_over", "map")
    seen = 0
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        picture = (curve if problem == "multimodal" else field)(replay.scene, frame, Request())
        drawn = {one.role: one.columns for one in picture.plots[plot].marks}
        x = np.array([pick.x[0] for pick in frame.pending])
        if len(x) == 0:
            assert role not in drawn
            continue
        seen += 1
        np.testing.assert_array_equal(drawn[role]["x"], x)
        at = [pick.index for pick in frame.pending]
        y = frame.mean[at] if problem == "multimodal" else [pick.x[1] for pick in frame.pending]
        np.testing.assert_array_equal(drawn[role]["y"], y)
        assert STYLES[role].alpha == 0
    assert seen > 4


def test_a_region_comes_before_a_pick_that_explores_beside_a_running_one() -> None:
    replay = Replay(SPEC.simulate())
    for t, made in enumerate(replay.trace.decisions, start=1):
        kinds = [event.kind for event in replay.batch(t)]
        assert kinds[0] is Kind.POSTERIOR
        assert kinds[-1] is Kind.OBSERVE
        region = [i for i, kind in enumerate(kinds) if kind is Kind.REGION]
        if made.roles == ("ucb",):
            assert region == []
        else:
            assert region == [1 if made.roles[0] == "pe" else 2]
            frame = replay.frame(replay.batch_start(t) + region[0] + 1)
            assert frame.subject is not None
            assert frame.region_plus is not None
            assert frame.region_plus[frame.subject.index]


def test_the_words_name_what_runs_and_what_arrived() -> None:
    replay = Replay(SPEC.simulate())
    second = replay.frame(replay.batch_start(2))
    X, trace = replay.trace.problem.candidates[:, 0], replay.trace
    running = [trace.history.trials[3 + i].index for i in trace.timetable.turns[1].running]
    assert f"running at x = {', '.join(f'{X[i]:.3g}' for i in running)}:" in second.sentence
    assert "after 4 observations" in second.status
    arrived = replay.frame(replay.batch_start(2) - 1)
    assert "The result is in, and the mean now uses it." in arrived.sentence


def test_what_holds_data_needs_batches() -> None:
    assert not SPEC.can_hold(SPEC)
    assert RunSpec().can_hold(RunSpec())
    with pytest.raises(InputError, match="in batches"):
        SPEC.replay_decisions(SPEC.simulate())
