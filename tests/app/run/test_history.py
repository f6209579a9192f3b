"""Settings undone and redone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ucbpe_app.run.changes import History
from ucbpe_app.run.settings import RunSpec, Settings

FIRST = Settings().spec()
OTHERS = [replace(FIRST, batch_size=k) for k in (5, 6, 7)]


class Clock:
    """Seconds that pass when told so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


def recorded(*specs: RunSpec, limit: int = 100) -> History:
    history = History(FIRST, limit, Clock())
    for spec in specs:
        history.record(spec)
    return history


def test_back_and_forth() -> None:
    history = recorded(*OTHERS)
    assert (history.present, history.earlier, history.later) == (OTHERS[2], OTHERS[1], None)
    assert [history.undo() for _ in range(4)] == [OTHERS[1], OTHERS[0], FIRST, None]
    assert (history.present, history.earlier, history.later) == (FIRST, None, OTHERS[0])
    assert [history.redo() for _ in range(4)] == [*OTHERS, None]


def test_what_is_on_screen_already_is_no_step() -> None:
    history = recorded(OTHERS[0], OTHERS[0])
    assert history.undo() == FIRST
    history.record(FIRST)  # the run that was asked for by undo has come
    assert history.redo() == OTHERS[0]


def test_a_new_change_forgets_what_was_undone() -> None:
    history = recorded(*OTHERS)
    history.undo()
    history.undo()
    other = replace(FIRST, seed=5)
    history.record(other)
    assert history.later is None
    assert history.earlier == OTHERS[0]
    assert history.redo() is None
    assert history.undo() == OTHERS[0]


def test_no_more_are_kept_than_the_limit() -> None:
    specs = [replace(FIRST, seed=seed) for seed in range(1, 9)]
    history = recorded(*specs, limit=3)
    assert [history.undo() for _ in range(3)] == [specs[-2], specs[-3], None]


@pytest.mark.parametrize(("pause", "steps"), [(0.2, 1), (2.0, 3)])
def test_a_slider_that_is_dragged_is_one_step(pause: float, steps: int) -> None:
    clock = iter([0, pause, 2 * pause])
    history = History(FIRST, clock=lambda: next(clock))
    for lengthscale in (0.7, 0.8, 0.9):
        history.record(replace(FIRST, lengthscale=lengthscale))
    undone = []
    while (spec := history.undo()) is not None:
        undone.append(spec)
    assert len(undone) == steps
    assert undone[-1] == FIRST


def test_quick_changes_of_different_settings_are_steps_of_their_own() -> None:
    history = History(FIRST, clock=lambda: 0.0)
    one = replace(FIRST, batch_size=5)
    history.record(one)
    history.record(replace(one, lengthscale=1.0))
    assert [history.undo(), history.undo()] == [one, FIRST]


def test_a_change_right_after_undo_keeps_what_undo_went_to() -> None:
    history = History(FIRST, clock=lambda: 0.0)
    history.record(OTHERS[0])
    history.undo()
    history.record(OTHERS[1])
    assert history.undo() == FIRST


def test_a_run_that_cannot_be_made_leaves_the_place_of_the_one_on_screen() -> None:
    history = recorded(*OTHERS)
    history.undo()
    history.undo()
    history.settle(OTHERS[2])
    assert (history.present, history.later) == (OTHERS[2], None)
