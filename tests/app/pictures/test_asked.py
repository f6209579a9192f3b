"""What a browser has to ask for a place, and to hold the answer against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_app.lessons.questions import Task
from ucbpe_app.pictures.asked import Asking, Questions, ask, gap
from ucbpe_app.render.view import main_kind
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import EIPE, LocalPenalization, Policy, RandomSearch
from ucbpe_core.problems import Problem

RUNS: dict[str, tuple[Problem, Policy]] = {
    "one input": (problems.multimodal(), GPUCBPE(4)),
    "a map": (problems.himmelblau(), EIPE(3)),
    "no values": (problems.multimodal(), RandomSearch(2)),
    "in words only": (problems.multimodal(), LocalPenalization(2)),
}


@pytest.fixture(params=RUNS, scope="module")
def replay(request: pytest.FixtureRequest) -> Replay:
    problem, policy = RUNS[request.param]
    return Replay(simulate(problem, policy, batches=2, initial=3))


def questions(replay: Replay, asking: Asking) -> Questions:
    return Questions(replay, asking, main_kind(replay.scene))


def there(asked: Questions, index: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The question before the next event, and what the answer to this one is held against."""
    found = asked.at(index, Layers())
    return found["ask"], found["gap"]


def picks(replay: Replay) -> list[int]:
    return [i for i, event in enumerate(replay.events) if event.kind is Kind.PICK]


def test_a_question_has_what_is_on_screen_and_nothing_of_the_pick(replay: Replay) -> None:
    kind, M = main_kind(replay.scene), len(replay.scene.candidates)
    for i in picks(replay):
        question, frame = ask(replay, i, kind), replay.frame(i - 1)
        assert question.keys().isdisjoint({"pick", "values", "least", "largest", "name"})
        assert question["event"] == replay.events[i].text
        np.testing.assert_array_equal(question["mean"], frame.mean)
        np.testing.assert_array_equal(question["std"], frame.std_now)
        places = [question[axis] for axis in "xy" if len(question[axis])]
        np.testing.assert_array_equal(np.stack(places, axis=1), replay.scene.candidates)
        assert len(places[0]) == M


def test_an_answer_is_held_against_what_the_pick_maximised(replay: Replay) -> None:
    kind = main_kind(replay.scene)
    for i in picks(replay):
        found, rule, event = (
            gap(replay, i, kind),
            criterion(replay, replay.frame(i)),
            replay.events[i],
        )
        assert rule is not None
        pick = int(replay.trace.decisions[event.t - 1].indices[event.k])
        assert found["pick"] == pick
        values = found["values"]
        if rule.values is None:
            assert values.size == 0
            continue
        np.testing.assert_array_equal(np.isnan(values), ~rule.eligible)
        assert values[pick] >= found["largest"] - found["tolerance"]
        span = found["largest"] - found["least"]
        shares = np.nan_to_num((values - found["least"]) / span)
        assert shares.tolist() == pytest.approx([rule.share(j) for j in range(len(values))])


def test_a_timeline_has_the_question_before_a_marked_pick_and_the_gap_at_it() -> None:
    replay = Replay(simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=3))
    asking = questions(replay, Asking((Event(1, Kind.PICK, 0), Event(9, Kind.PICK, 0)), "a"))
    marked = asking.asked()
    assert marked["marks"] == [{"index": 1, "event": "1.pick.0"}]
    assert marked["words"]["ask.first"] == "Where would you measure first?"
    found = [tuple(map(bool, there(asking, i))) for i in range(len(replay.events))]
    assert found == [(True, False), (False, True), *[(False, False)] * (len(found) - 2)]
    assert questions(replay, Asking(key="a")).asked() == {}


def test_a_task_is_asked_before_its_event_or_the_next_and_tells_nothing_of_it() -> None:
    replay = Replay(simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=3))
    first, observe = Event(1, Kind.PICK), Event(1, Kind.OBSERVE)
    draw = Task("draw", observe, "Draw it.", of="mean", done="So.")
    drag = Task("drag", first, "Move it.", quantity="x0", below=4.0, done="It is.")
    late, gone = (Task("set", Event(t, Kind.OBSERVE), "") for t in (2, 3))  # with nothing after it
    asking = questions(replay, Asking((first,), "a", tasks=(draw, drag, late, gone)))
    at = replay.events.index(observe)
    assert [(mark["index"], mark.get("kind")) for mark in asking.asked()["marks"]] == [
        (1, None), (2, "drag"), (at, "draw")
    ]  # fmt: skip
    assert asking.hides_rules
    assert not questions(replay, replace(asking.asking, events=())).hides_rules
    goal, _ = there(asking, 1)
    assert goal["goal"] == {"quantity": "x0", "below": 4.0, "above": None, "margin": 0.0}
    assert there(asking, 2)[1] == {}
    question, _ = there(asking, at - 1)
    assert question.keys().isdisjoint({"curve", "lower", "upper"})
    before, after = replay.frame(at - 1), replay.frame(at)
    np.testing.assert_array_equal(question["before"], before.mean)
    np.testing.assert_array_equal(question["results"]["y"], after.observed_y)
    _, found = there(asking, at)
    for name, own in (("curve", "mean"), ("lower", "lower"), ("upper", "upper")):
        np.testing.assert_array_equal(found[name], getattr(after, own))
    _, found = there(questions(replay, Asking(tasks=(replace(draw, of="band"),))), at)
    np.testing.assert_array_equal(found["curve"], after.upper)
    assert "upper" not in found


def test_a_curve_is_drawn_over_one_input_alone() -> None:
    replay = Replay(simulate(problems.himmelblau(), GPUCBPE(2), batches=1, initial=3))
    draw = Task("draw", Event(1, Kind.OBSERVE), "Draw it.", of="mean")
    assert questions(replay, Asking(tasks=(draw,))).asked() == {}
    task = Task("set", Event(1, Kind.PICK), "Do it.")
    assert questions(replay, Asking(tasks=(task,))).asked()["marks"]
