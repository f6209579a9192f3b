"""What an exercise asks: picks that the lesson does not show, with the rank of every candidate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_app.export.site.exercise import ROUNDS, ranks, rounds_of
from ucbpe_app.lessons import Lesson, find, offered
from ucbpe_app.lessons.caption import caption_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import problems, simulate
from ucbpe_core.policies import ThompsonSampling

PLAIN = Lesson("plain", "Plain", "multimodal")


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30).filter(
        lambda pairs: any(eligible for _, eligible in pairs)
    )
)
def test_ranks_are_those_of_a_candidate_by_itself(pairs: list[tuple[int, bool]]) -> None:
    """Ties share a rank, as in the readout; 0 may not be picked."""
    values = np.array([float(value) for value, _ in pairs])
    eligible = np.array([one for _, one in pairs])
    got = ranks(values, eligible)
    for i, value in enumerate(values):
        expected = 1 + np.count_nonzero(eligible & (values > value)) if eligible[i] else 0
        assert got[i] == expected


@pytest.mark.parametrize("name", ["curve", "field", "many"])
def test_each_asks_for_a_pick_whose_rank_is_1(
    name: str, request: pytest.FixtureRequest
) -> None:  # fmt: skip
    replay: Replay = request.getfixturevalue(name)
    rounds = rounds_of(replay, PLAIN)
    assert len(rounds) == ROUNDS
    assert [one.index for one in rounds] == sorted({one.index for one in rounds})
    assert {one.event.k == 0 for one in rounds} == {True, False}  # both rules are asked for
    for one in rounds:
        assert replay.events[one.index] == one.event
        decision = replay.trace.decisions[one.event.t - 1]
        assert one.pick == decision.indices[one.event.k]
        assert one.ranks[one.pick] == 1
        by = criterion(replay, replay.frame(one.index))
        assert by is not None
        assert one.size == np.count_nonzero(by.eligible)
        for i in np.linspace(0, len(one.ranks) - 1, 20).astype(int):
            assert (one.ranks[i] or None) == (None if by.rank(i) is None else by.rank(i)[0])


def test_picks_that_the_lesson_shows_are_not_asked_for(curve: Replay) -> None:
    caption = caption_of("[There](event=2.observe), not [here](K=2&event=3.observe).", [])
    shown = replace(PLAIN, event=Event(1, Kind.PICK, 1), caption=caption)
    left = {(one.event.t, one.event.k) for one in rounds_of(curve, shown)}
    assert left == {(1, 2), (3, 0), (3, 1), (3, 2)}
    everything = replace(shown, caption=caption_of(
        "[a](event=1.observe) [b](event=2.observe) [c](event=3.observe)", []
    ))  # fmt: skip
    assert len(rounds_of(curve, everything)) == ROUNDS  # better those than none


def test_a_rule_without_values_asks_for_nothing() -> None:
    problem = problems.multimodal()
    trace = simulate(problem, ThompsonSampling(batch_size=3), batches=2, initial=3, seed=0)
    assert rounds_of(Replay(trace), PLAIN) == ()


def test_all_that_tie_with_the_pick_are_the_best() -> None:
    """With a short lengthscale most candidates are as unknown as the pick, but for rounding."""
    lesson = find("lengthscale-short")
    assert lesson is not None
    replay = load(lesson.spec())
    (one,) = (one for one in rounds_of(replay, lesson) if one.event == Event(1, Kind.PICK, 1))
    assert one.by.values is not None
    assert np.count_nonzero(one.by.values > one.by.values[one.pick]) > 100
    best = one.ranks == 1
    assert best[one.pick]
    assert np.ptp(one.by.values[best]) < 1e-7
    assert np.count_nonzero(best) > 100


@pytest.mark.slow
@pytest.mark.parametrize("slug", [one.slug for one in offered()])
def test_every_lesson_has_five(slug: str) -> None:
    lesson = find(slug)
    assert lesson is not None
    replay = load(lesson.spec())
    rounds = rounds_of(replay, lesson)
    assert len(rounds) == ROUNDS
    assert all(one.ranks[one.pick] == 1 for one in rounds)
