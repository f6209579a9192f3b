"""Every task of every lesson: not done yet, and done, or nearly, by what is named here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_app.lessons import Lesson, check, find, offered
from ucbpe_app.lessons.questions import Task
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.facts import facts
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import SETTINGS

# What brings it about, and what nearly does: settings, or values of measurements by their numbers.
Change = dict[str, Any] | dict[int, float]
WAYS: dict[str, tuple[Change, Change]] = {
    "first-pick": ({0: 1.0}, {3: 1.5}),
    "regions": ({16: 2.28}, {16: 2.1}),
    "beta-small": ({"beta": 1.0}, {"beta": 0.5}),
    "lengthscale-long": ({"lengthscale": 0.35}, {"lengthscale": 0.45}),
    "noise": ({"noise_variance": 0.001}, {"noise_variance": 0.0004}),
    "himmelblau": ({"scale": 0.1}, {"scale": 0.2}),
    "mixture": ({"scale": 0.1}, {"scale": 0.15}),
    "constant-beta": ({"beta": 2.25}, {"beta": 2.0}),
}
TASKS = [(one.slug, i) for one in offered() for i in range(len(one.tasks))]


def of(slug: str, number: int) -> tuple[Lesson, Task]:
    lesson = find(slug)
    assert lesson is not None
    return lesson, lesson.tasks[number]


def changed(lesson: Lesson, change: Change) -> Replay:
    settings = {name: value for name, value in change.items() if isinstance(name, str)}
    moved = sorted((name, value) for name, value in change.items() if isinstance(name, int))
    return load(replace(lesson.spec(), **settings), moved=tuple(moved))


def verdict(task: Task, replay: Replay) -> str:
    """As `predict_goal.js` has it, of the numbers that the core computes."""
    found = facts(replay.frame(replay.events.index(task.at)))[task.quantity]
    missing = task.above - found if task.above is not None else found - (task.below or 0.0)
    return "done" if missing < 0 else "near" if missing <= task.margin else ""


@pytest.mark.parametrize(("slug", "number"), TASKS)
def test_a_task_can_be_done_and_is_not_done_yet(slug: str, number: int) -> None:
    lesson, task = of(slug, number)
    check(lesson, [one.slug for one in offered()])
    replay = load(lesson.spec())
    turn = task.turn(replay.events, replay.scene.dimension)
    assert turn is not None, "it is asked, and nothing else before the same event"
    assert replay.events[turn] not in lesson.predict
    if task.kind == "draw":
        assert task.at.kind is Kind.OBSERVE, "results alone move the mean"
        line = "mean" if task.of == "mean" else "upper"
        before, after = (
            getattr(replay.frame(replay.events.index(task.at) - i), line) for i in (1, 0)
        )
        assert np.abs(after - before).max() > 0.1 * np.ptp(replay.scene.truth)
        return
    met, near = WAYS[slug]
    assert all(isinstance(name, int) == (task.kind == "drag") for name in {**met, **near})
    if task.kind == "set":
        assert {*met, *near} == {task.setting} <= SETTINGS.keys()
        own = getattr(lesson.spec(), task.setting)
        assert own / 10 <= met[task.setting] <= 10 * own, "a slider goes no further"
    else:
        low, high = replay.frame(replay.events.index(task.at)).values
        assert all(low <= y <= high for y in met.values()), "within the picture"
    assert [verdict(task, changed(lesson, one)) for one in ({}, near, met)] == ["", "near", "done"]


def test_what_is_said_beside_a_gap_is_so() -> None:
    lesson, task = of("start", 0)
    assert "bends" in task.done
    assert "not quite through each" in task.done
    replay = load(lesson.spec())
    frame = replay.frame(replay.events.index(task.at))
    x, at = replay.scene.candidates[:, 0], np.sort(frame.observed)
    straight = np.interp(x, x[at], frame.mean[at])
    assert np.abs(frame.mean - straight).max() > 0.2
    assert 0.02 < np.abs(frame.mean[frame.observed] - frame.observed_y).max() < 0.2
    lesson, task = of("band", 0)
    assert task.done == "Near the new cross the edge has come down; far from it, it is as it was."
    replay = load(lesson.spec())
    after = replay.frame(replay.events.index(task.at))
    before = replay.frame(after.index - 1)
    x = replay.scene.candidates[:, 0]
    near, fall = np.abs(x - x[after.observed[-1]]), before.upper - after.upper
    assert fall[near < 0.05].min() > 0.5
    assert np.abs(fall[near > 0.3]).max() < 0.01


def test_at_least_eight_lessons_have_another_kind_of_question() -> None:
    assert len({slug for slug, _ in TASKS}) >= 8
    kinds = [of(*one)[1].kind for one in TASKS]
    assert {kind: kinds.count(kind) > 1 for kind in ("draw", "drag", "set")} == dict.fromkeys(
        ("draw", "drag", "set"), True
    )
