"""One visitor's state: runs come in the background, the moment on screen is kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, TypeVar

import pytest

from app.events import Event, Kind
from app.presets import PRESETS
from app.replay import Replay
from app.runs import Job, load
from app.session import Session
from app.settings import RunSpec
from ucbpe_core.errors import InputError

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """asyncio.run in a thread of its own: browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


HIMMELBLAU = next(preset for preset in PRESETS if preset.problem == "himmelblau")
FIGURE_2 = next(preset for preset in PRESETS if preset.name == "Paper, Figure 2")


def test_a_preset_opens_at_its_event() -> None:
    assert Session(FIGURE_2).frame.event == Event(1, Kind.PICK, 1)


def test_go_stays_inside_the_run() -> None:
    session = Session(PRESETS[0])
    session.go(10**6)
    assert session.frame.index == session.frame.total - 1
    session.go(-5)
    assert session.frame.index == 0


def test_a_change_keeps_the_event() -> None:
    session = Session(PRESETS[0])
    session.go(session.replay.batch_start(3) + 2)
    session.settings.accept(lengthscale=0.4)
    run(session.refresh())
    assert session.frame.event == Event(3, Kind.REGION)
    assert session.replay.trace.gp.kernel.lengthscale == 0.4


def test_a_pick_that_is_gone_and_comes_back_is_found_again() -> None:
    session = Session(PRESETS[0])
    session.go(next(i for i, e in enumerate(session.replay.events) if e == Event(2, Kind.PICK, 3)))
    session.settings.accept(batch_size=2)
    run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 1)
    session.settings.accept(batch_size=4)
    run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 3)


def test_replay_and_index_change_together() -> None:
    session, seen = Session(PRESETS[0]), list[set[str]]()
    session.go(50)
    session.param.watch(lambda *events: seen.append({e.name for e in events}), ["replay", "index"])
    session.settings.accept(batches=2)
    run(session.refresh())
    assert seen == [{"replay", "index"}]


def test_a_run_that_cannot_be_made_keeps_the_old_one() -> None:
    session = Session(PRESETS[0])
    replay, before = session.replay, asdict(session.settings.spec())
    session.settings.accept(initial=500)
    run(session.refresh())
    assert session.replay is replay
    assert asdict(session.settings.spec()) == before
    names, error = session.refusal
    assert names == ("initial",)
    assert isinstance(error, InputError)


def test_the_latest_request_wins() -> None:
    async def race(session: Session) -> None:
        session.open(HIMMELBLAU)
        slow = asyncio.create_task(session.refresh())
        await asyncio.sleep(0.05)
        session.open(PRESETS[0])
        await asyncio.gather(slow, session.refresh())

    session = Session(FIGURE_2)
    run(race(session))
    assert session.replay.trace.problem.name == "Multimodal curve"
    assert session.busy is None


def test_progress_is_told_and_the_event_loop_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    loop_ran = threading.Event()

    def slow_load(spec: RunSpec, job: Job) -> Replay:
        job.progress(1, 4)
        # Comes back only if the event loop runs meanwhile, long enough to tell the progress.
        assert loop_ran.wait(timeout=60)
        return load(spec, job)

    async def wait_for_progress(session: Session) -> None:
        task = asyncio.create_task(session.refresh())
        while session.busy is None:
            await asyncio.sleep(0.01)
        loop_ran.set()
        await task

    session, told = Session(PRESETS[0]), list[float | None]()
    monkeypatch.setattr("app.session.load", slow_load)
    session.settings.accept(seed=17)
    session.param.watch(lambda event: told.append(event.new), "busy")
    run(wait_for_progress(session))
    assert told[0] == 0.25
    assert told[-1] is None
    assert session.replay.trace.seed == 17


def test_fit_takes_the_measurements_on_screen_and_never_worsens() -> None:
    session = Session(PRESETS[0])
    session.go(session.replay.batch_start(4))
    frame = session.frame
    fit = run(session.fit())
    assert fit.log_marginal_likelihood >= fit.given
    assert session.settings.spec().build_gp() == fit.gp
    X = session.replay.trace.problem.candidates[frame.observed]
    again = fit.gp.log_marginal_likelihood(X, frame.observed_y)
    assert again == pytest.approx(fit.log_marginal_likelihood)


def test_fit_without_enough_data_says_so() -> None:
    session = Session(PRESETS[0])
    session.settings.accept(initial=1)
    run(session.refresh())
    before = session.settings.spec()
    with pytest.raises(InputError, match="two different values"):
        run(session.fit())
    assert session.settings.spec() == before


def test_bounds_are_kept_until_the_run_changes() -> None:
    session = Session(FIGURE_2)
    first = run(session.bounds())
    assert run(session.bounds()) is first
    session.settings.accept(seed=5)
    run(session.refresh())
    assert run(session.bounds()) is not first


def test_opening_the_same_preset_again_goes_back_to_its_event() -> None:
    session = Session(FIGURE_2)
    replay = session.replay
    session.go(0)
    session.open(FIGURE_2)
    assert session.frame.event == FIGURE_2.event
    assert session.replay is replay
