"""One visitor's race: what is asked for, what is on screen, and what overtakes what."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from tests.app.waiting import run
from ucbpe_app.race import state as module
from ucbpe_app.race.link import RaceMoment, encode_race
from ucbpe_app.race.race import MultiRunJob, Race, run_race
from ucbpe_app.race.setup import Setup, Unit
from ucbpe_app.race.state import RaceState
from ucbpe_app.widgets.comparing import Measure
from ucbpe_core.errors import InputError


def opened(setup: Setup, value: int = 0) -> RaceState:
    state = RaceState()
    visited = run(state.visit(encode_race(RaceMoment(setup, value))))
    assert visited is not None
    assert visited[1] == ()
    return state


def refreshed(state: RaceState) -> RaceState:
    run(state.refresh())
    return state


def test_a_link_is_opened_whole(setup: Setup) -> None:
    state = RaceState()
    by_evaluations = replace(setup, unit=Unit.EVALUATIONS)
    digest = run_race(by_evaluations).digest
    moment = RaceMoment(by_evaluations, 9, Measure.EVERY, digest=digest)
    visited = run(state.visit(encode_race(moment)))
    assert visited == (replace(moment, digest=digest[:16]), ())
    assert state.moment == moment
    assert state.common.batches == 6
    assert state.own.policy == "GP-UCB-PE"


def test_a_place_that_is_gone_and_comes_back_is_found_again(setup: Setup) -> None:
    state = opened(setup, 5)
    state.ask(setup.sharing(batches=2))
    refreshed(state)
    assert state.index == 2
    state.ask(setup)
    refreshed(state)
    assert state.index == 5


def test_controls_know_each_others_limits(setup: Setup) -> None:
    """T is refused at once where the largest K makes too many picks of it, and the reverse."""
    state = opened(setup.changing(1, setup.configurations[1].taking(batch_size=50)))
    with pytest.raises(InputError, match="at most 1000 picks"):
        state.common.accept(batches=21)
    state.common.accept(batches=20)
    with pytest.raises(InputError, match="from 1 to 250"):
        state.own.accept(batch_size=251)
    state.common.accept(batches=6)
    state.ask(setup.sharing(batches=40))
    with pytest.raises(InputError, match="at most 1000 picks"):
        state.own.accept(batch_size=26)


def test_a_race_that_cannot_be_run_keeps_the_old_one(setup: Setup) -> None:
    state = opened(setup, 4)
    race = state.race
    state.common.accept(initial=500)
    refreshed(state)
    assert state.race is race
    assert state.index == 4
    assert state.setup == setup
    assert state.common.initial == 3
    assert (state.invalid.names, state.invalid.configuration) == (("initial",), None)
    assert isinstance(state.invalid.error, InputError)


def test_a_race_asked_for_in_vain_is_stopped_when_the_one_on_screen_is_wanted_again(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, begun = threading.Event(), threading.Event()

    def slow(wanted: Setup, job: MultiRunJob) -> Race:
        begun.set()
        for _ in range(600):
            if job._stopped.wait(0.1):
                stopped.set()
                break
        return run_race(wanted, job)

    async def back_and_forth(state: RaceState) -> None:
        state.ask(setup.sharing(seed=9003))
        first = asyncio.create_task(state.refresh())
        while not begun.is_set():
            await asyncio.sleep(0.01)
        state.ask(setup)
        await asyncio.gather(first, state.refresh())

    state = opened(setup)
    race = state.race
    monkeypatch.setattr("ucbpe_app.race.state.run_race", slow)
    run(back_and_forth(state))
    assert stopped.is_set()
    assert state.race is race


def test_a_link_that_makes_no_race_opens_the_usual_one(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:

    real = module.restore_race

    def refused(moment: RaceMoment, job: MultiRunJob) -> Any:
        if moment.setup == setup:
            raise InputError("a race", "none", "try another")
        return real(moment, job)

    monkeypatch.setattr(module, "restore_race", refused)
    state = RaceState()
    visited = run(state.visit(encode_race(RaceMoment(setup))))
    assert visited is not None
    assert [error.expected for error in visited[1]] == ["a race"]
    assert state.setup == RaceState().setup == state.race.setup
