"""The exercise in the file: what is asked and what marks it can be read back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_app.export.site.exercise import ROUNDS, exercise, is_marked, ranks, rounds_of
from ucbpe_app.export.site.lessons import summary
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.lessons.caption import caption_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import problems, simulate
from ucbpe_core.policies import ThompsonSampling

LESSON = Lesson(
    "asked", "Asked", "multimodal",
    question="Which?", answer="So.", choices=("x", "y", "z"),
)  # fmt: skip


def data_of(replay: Replay, lesson: Lesson) -> dict[str, Any]:
    data = exercise(replay, lesson)
    assert data is not None
    return data


@pytest.mark.parametrize(("name", "axes"), [("curve", 1), ("field", 2), ("many", 0)])
def test_all_that_marks_a_guess_is_there(
    name: str, axes: int, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue(name)
    data = data_of(replay, LESSON)
    assert data["run"] == replay.trace.digest
    assert data["picture"] == {"curve": "curve", "field": "field", "many": "plane"}[name]
    assert data["size"] == len(replay.scene.candidates)
    assert len(data["places"]) == axes
    for place, x in zip(data["places"], replay.scene.candidates.T, strict=False):
        assert np.array_equal(place, x)
    rounds = rounds_of(replay, LESSON)
    assert len(data["rounds"]) == len(rounds)
    for asked, one in zip(data["rounds"], rounds, strict=True):
        assert np.array_equal(asked["ranks"], one.ranks)
        assert asked["pick"] == one.pick
        assert asked["event"] == one.event.text
        assert asked["before"] == replay.events[one.index - 1].text
        assert len(asked["std"]) == (0 if axes == 2 else 2)
        for std, index in zip(asked["std"], (one.index - 1, one.index), strict=False):
            assert np.array_equal(std, replay.frame(index).std_now)


def test_a_lesson_in_plain_words_asks_in_them(curve: Replay) -> None:
    told = ("role", "rule", "name", "within", "outside")
    exact = {one[name] for one in data_of(curve, LESSON)["rounds"] for name in told}
    plain = data_of(curve, replace(LESSON, plain=True))["rounds"]
    said = {one[name] for one in plain for name in told}
    assert {"PE pick", " in R⁺", "std σ"} < exact
    assert {"where the band is widest", "where the band reaches highest", "std"} < said
    assert not re.search("[μσβX•⁺]|PE|UCB", " ".join(said))


def test_choices_stand_in_an_order_that_tells_nothing(curve: Replay) -> None:
    firsts = set()
    for i in range(20):
        question = data_of(curve, replace(LESSON, slug=f"lesson-{i}"))["question"]
        assert question["choices"][question["right"]] == "x"
        assert sorted(question["choices"]) == ["x", "y", "z"]
        firsts.add(question["right"])
    assert firsts == {0, 1, 2}


def test_a_number_is_marked_too(curve: Replay) -> None:
    lesson = replace(LESSON, choices=(), number=3.0, tolerance=0.5)
    question = data_of(curve, lesson)["question"]
    assert (question["number"], question["tolerance"]) == (3.0, 0.5)


def test_without_a_marked_question_or_a_pick_to_predict_there_is_none(curve: Replay) -> None:
    plain = replace(LESSON, choices=())
    assert not is_marked(plain)
    assert data_of(curve, plain)["question"] is None
    policy = ThompsonSampling(batch_size=3)
    trace = simulate(problems.multimodal(), policy, batches=2, initial=3, seed=0)
    assert exercise(Replay(trace), plain) is None


def test_a_summary_is_the_first_sentence() -> None:
    caption = caption_of("At 0.5 [R](mark=region) < $\\beta$ here. And so on.\n\nMore.", [])
    told = summary(caption)
    assert told.startswith("At 0.5 R &lt; <math")
    assert told.endswith("</math> here.")
    assert summary(()) == ""


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
