"""Changes of settings, and of what is on screen, in words; and the run behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.run.cache import load
from ucbpe_app.run.changes import Choice, History, PinnedRun, apart, change, differences
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec, Settings

BASE = replace(Settings().spec(), batches=4)
WIDER = replace(BASE, scale=5.0)


def test_a_change_names_what_changes() -> None:
    assert differences(BASE, BASE) == ()
    other = replace(BASE, lengthscale=1.3, batch_size=10, policy="GreedyUCB")
    assert differences(BASE, other) == ("policy", "lengthscale", "batch_size")
    assert change(BASE, other) == "policy GP-UCB-PE → GreedyUCB, lengthscale 0.65 → 1.3, K 4 → 10"
    assert apart(BASE, other) == "policy GP-UCB-PE, lengthscale 0.65, K 4"
    assert apart(BASE, BASE) == ""


def test_of_many_changes_the_first_are_named_and_a_problem_says_it_all() -> None:
    other = replace(BASE, policy="GP-UCB", nu=2.5, lengthscale=1.0, variance=3.0, seed=4)
    assert change(BASE, other).endswith("lengthscale 0.65 → 1 and 2 more")
    elsewhere = replace(other, problem="himmelblau")
    assert change(BASE, elsewhere) == "Multimodal curve, 1-D → Himmelblau, tilted, 2-D"
    assert apart(BASE, elsewhere) == "Multimodal curve, 1-D"


@pytest.fixture(scope="module")
def runs() -> tuple[Replay, Replay]:
    return load(BASE), load(WIDER)


def test_a_run_that_has_ended_is_not_behind() -> None:
    short = load(replace(BASE, batches=1))
    assert PinnedRun(short, "").frame(Event(2, Kind.POSTERIOR)) is None


def test_the_run_behind_shows_the_same_event_or_the_one_before() -> None:
    pinned = PinnedRun(load(replace(BASE, batch_size=2)), "pinned: K = 2")
    assert pinned.frame(Event(2, Kind.PICK, 1)).event == Event(2, Kind.PICK, 1)
    assert pinned.frame(Event(2, Kind.PICK, 3)).event == Event(2, Kind.PICK, 1)
    assert pinned.frame(Event(2, Kind.OBSERVE)).event == Event(2, Kind.OBSERVE)


def spec_of(**changes: object) -> RunSpec:
    return replace(BASE, **changes)


def test_only_a_run_of_the_same_candidates_is_drawn(runs: tuple[Replay, Replay]) -> None:
    pinned = PinnedRun(runs[0], "")
    assert pinned.fits(runs[1].scene)
    assert not pinned.fits(load(spec_of(problem="thin_peak")).scene)
    scene = runs[1].scene
    assert not pinned.fits(replace(scene, candidates=scene.candidates + 1))
    assert not pinned.fits(replace(scene, candidates=np.zeros((481, 2))))


SPEC = Settings().spec()
FIRST = Choice(SPEC)
OTHERS = [Choice(replace(SPEC, batch_size=k)) for k in (5, 6, 7)]


class Clock:
    """Seconds that pass when told so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


def recorded(*choices: Choice, limit: int = 100) -> History:
    history = History(FIRST, limit, Clock())
    for choice in choices:
        history.record(choice)
    return history


def test_back_and_forth() -> None:
    history = recorded(*OTHERS)
    assert (history.present, history.earlier, history.later) == (OTHERS[2], OTHERS[1], None)
    assert [history.undo() for _ in range(4)] == [OTHERS[1], OTHERS[0], FIRST, None]
    assert (history.present, history.earlier, history.later) == (FIRST, None, OTHERS[0])
    assert [history.redo() for _ in range(4)] == [*OTHERS, None]


def test_a_new_change_forgets_what_was_undone() -> None:
    history = recorded(*OTHERS)
    history.undo()
    history.undo()
    other = Choice(replace(SPEC, seed=5))
    history.record(other)
    assert history.later is None
    assert history.earlier == OTHERS[0]
    assert history.redo() is None
    assert history.undo() == OTHERS[0]


def test_what_is_opened_is_the_first() -> None:
    history, other = recorded(*OTHERS), Choice(replace(SPEC, seed=5))
    history.begin(other)
    assert (history.earlier, history.present, history.later) == (None, other, None)
    history.record(OTHERS[0])
    assert [history.undo(), history.undo()] == [other, None]


def test_no_more_are_kept_than_the_limit() -> None:
    specs = [Choice(replace(SPEC, seed=seed)) for seed in range(1, 9)]
    history = recorded(*specs, limit=3)
    assert [history.undo() for _ in range(3)] == [specs[-2], specs[-3], None]


@pytest.mark.parametrize(("pause", "steps"), [(0.2, 1), (2.0, 3)])
def test_a_slider_that_is_dragged_is_one_step(pause: float, steps: int) -> None:
    clock = iter(60 + pause * np.arange(3))  # seconds since any moment
    history = History(FIRST, clock=lambda: next(clock))
    for lengthscale in (0.7, 0.8, 0.9):
        history.record(Choice(replace(SPEC, lengthscale=lengthscale)))
    undone = []
    while (choice := history.undo()) is not None:
        undone.append(choice)
    assert len(undone) == steps
    assert undone[-1] == FIRST


def test_quick_changes_of_different_settings_are_steps_of_their_own() -> None:
    history = History(FIRST, clock=lambda: 0.0)
    one = OTHERS[0]
    history.record(one)
    history.record(Choice(replace(one.spec, lengthscale=1.0)))
    assert [history.undo(), history.undo()] == [one, FIRST]
