"""What a class can be asked at an event of a lesson, and what it has from its answers."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.app.files.unpacking import decoded, unpacked
from ucbpe_app.classroom.moments import ask_moment
from ucbpe_app.classroom.questions import Ask, found, offered
from ucbpe_app.classroom.room import Round
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.facts import facts
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers

HIDDEN = Layers(truth=False, secret=True)
SCALE = (0.04, 0.4, 4.0, 40.0)


def lesson_of(slug: str) -> tuple[Lesson, Replay]:
    lesson = find(slug)
    assert lesson is not None
    return lesson, load(lesson.spec())


def asks(slug: str, event: str) -> list[Ask]:
    lesson, replay = lesson_of(slug)
    index = [one.text for one in replay.events].index(event)
    return offered(lesson, replay, index, lambda _: SCALE)


def round_of(ask: Ask, replay: Replay, *votes: dict[int, int], stage: str = "closed") -> Round:
    digest = replay.trace.digest
    return Round(ask.event, ask.kind, ask.count, digest, "moment", votes=votes, stage=stage)


def test_a_place_is_asked_before_each_pick_and_before_nothing_else() -> None:
    _, replay = lesson_of("start")
    for i in range(len(replay.events)):
        places = [one for one in offered(None, replay, i, lambda _: ()) if one.kind == "place"]
        following = replay.events[i + 1] if i + 1 < len(replay.events) else None
        is_pick = following is not None and following.kind is Kind.PICK
        assert len(places) == is_pick
        for one in places:
            assert following is not None
            assert (one.event, one.count) == (following.text, len(replay.scene.candidates))
            assert ("first" in one.about["question"]) == (following.k == 0)


def test_a_lessons_question_is_asked_from_its_event_on() -> None:
    """Its number, which is to be written, is not: phones choose."""
    before, there = asks("first-pick", "1.posterior"), asks("first-pick", "1.pick.0")
    later = asks("first-pick", "2.posterior")
    assert [one.kind for one in before] == ["place"]
    assert [one.kind for one in there] == ["choice"]
    assert [one.kind for one in later] == ["place", "choice"]
    lesson, replay = lesson_of("first-pick")
    (ask,), question = there, lesson.questions[1]
    assert ask.about["question"] == question.text
    assert ask.about["choices"] == [one.text for one in question.shuffled]
    assert ask.right is not None
    assert ask.about["choices"][ask.right] == question.choices[0].text
    assert ask.after == question.answer
    right, wrong = ask.right, (ask.right + 1) % 3
    asked = round_of(ask, replay, {1: wrong, 2: wrong}, {1: right, 2: wrong, 3: right})
    assert [bar["right"] for bar in ask.bars(asked)] == [False] * 3
    assert [bar["votes"] for bar in ask.bars(asked)][right] == [0, 2]
    assert ask.told(asked, replay) == ("After talking", "3 answers", "")
    points, moment = ask.outcome(asked, replay, lesson.spec(), ask.index, HIDDEN)
    assert points == tuple(100 * (i == right) for i in range(3))
    assert moment["right"] == right
    revealed = replace(asked, stage="revealed", points=points)
    assert ask.told(revealed, replay)[1] == "2 of 3 are right"
    assert [bar["right"] for bar in ask.bars(revealed)][right]


def test_a_lessons_setting_is_set_at_its_event_where_it_has_a_scale() -> None:
    lesson, replay = lesson_of("beta-small")
    assert [one.kind for one in asks("beta-small", "2.region")] == ["place", "set"]
    assert "set" not in [one.kind for one in asks("beta-small", "3.region")]
    index = [one.text for one in replay.events].index("2.region")
    assert all(one.kind != "set" for one in offered(lesson, replay, index, lambda _: ()))
    ask = asks("beta-small", "2.region")[1]
    assert (ask.about["scale"], ask.about["setting"]) == (SCALE, "β")
    (task,) = [one for one in lesson.tasks if one.kind == "set"]
    assert task.above is not None
    expected = []
    for beta in SCALE:
        run = load(replace(lesson.spec(), beta=beta))
        share = facts(run.frame([one.text for one in run.events].index("2.region")))["region"]
        expected.append(100 * (share > task.above))
    assert 0 in expected
    assert 100 in expected
    asked = round_of(ask, replay, {1: 3, 2: 2, 3: 3}, {1: 0, 2: 1})
    assert ask.told(asked, replay)[1] == "2 answers"
    points, moment = ask.outcome(asked, replay, lesson.spec(), index, HIDDEN)
    assert points == tuple(expected)
    assert moment["right"] == expected.index(100)
    assert (
        ask.told(replace(asked, stage="revealed", points=points), replay)[1] == "0 of 2 are right"
    )
    # Only runs of the values that were chosen are made.
    points, _ = ask.outcome(round_of(ask, replay, {1: 0}), replay, lesson.spec(), index, HIDDEN)
    assert not any(points)


def test_a_value_that_no_run_can_have_meets_nothing() -> None:
    lesson, replay = lesson_of("beta-small")
    index = [one.text for one in replay.events].index("2.region")
    ask = offered(lesson, replay, index, lambda _: (-1.0,))[1]
    asked = round_of(ask, replay, {1: 0})
    assert ask.outcome(asked, replay, lesson.spec(), index, HIDDEN)[0] == (0,)


@pytest.mark.parametrize("slug", ["first-pick", "beta-small"])
def test_a_round_is_found_again_by_its_event_after_a_reload(slug: str) -> None:
    lesson, replay = lesson_of(slug)
    known = {
        one.event: one
        for i in range(len(replay.events))
        for one in offered(lesson, replay, i, lambda _: SCALE)
    }
    assert {one.kind for one in known.values()} > {"place"}
    for event, ask in known.items():
        again = found(round_of(ask, replay, {}), lesson, replay, lambda _: SCALE)
        assert again is not None
        assert (again.event, again.kind, again.about) == (event, ask.kind, ask.about)
        elsewhere = replace(round_of(ask, replay, {}), run="another run")
        assert found(elsewhere, lesson, replay, lambda _: SCALE) is None


def test_f_is_no_part_of_a_moment_while_it_is_hidden() -> None:
    lesson, replay = lesson_of("start")
    ask = asks("start", "1.posterior")[0]
    asked = round_of(ask, replay, {1: 5})
    revealed = ask.outcome(asked, replay, lesson.spec(), 1, HIDDEN)[1]
    assert not has(ask_moment(replay, 0, HIDDEN, **ask.about), replay.scene.truth)
    assert not has(revealed, replay.scene.truth)
    shown = replace(HIDDEN, truth=True, secret=False)
    assert has(ask_moment(replay, 0, shown, **ask.about), replay.scene.truth)


def has(moment: dict[str, Any], values: np.ndarray) -> bool:
    """Whether a figure of the moment has a column of these values."""
    arrays = unpacked(moment["arrays"], b64decode(moment["packed"]))
    figures = decoded(moment["columns"], arrays).values()
    columns = [np.asarray(column) for data in figures for column in data.values()]
    numbers = [column for column in columns if column.dtype.kind in "fi"]
    return any(one.shape == values.shape and np.allclose(one, values, atol=1e-4) for one in numbers)
