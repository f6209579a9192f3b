"""One visitor's state: runs come in the background, the moment on screen is kept."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import pytest

from app.events import Event, Kind
from app.presets import PRESETS
from app.session import Session
from ucbpe_core.errors import InputError

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
    asyncio.run(session.refresh())
    assert session.frame.event == Event(3, Kind.REGION)
    assert session.replay.trace.gp.kernel.lengthscale == 0.4


def test_a_pick_that_is_gone_and_comes_back_is_found_again() -> None:
    session = Session(PRESETS[0])
    session.go(next(i for i, e in enumerate(session.replay.events) if e == Event(2, Kind.PICK, 3)))
    session.settings.accept(batch_size=2)
    asyncio.run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 1)
    session.settings.accept(batch_size=4)
    asyncio.run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 3)


def test_replay_and_index_change_together() -> None:
    session, seen = Session(PRESETS[0]), list[set[str]]()
    session.go(50)
    session.param.watch(lambda *events: seen.append({e.name for e in events}), ["replay", "index"])
    session.settings.accept(batches=2)
    asyncio.run(session.refresh())
    assert seen == [{"replay", "index"}]


def test_a_run_that_cannot_be_made_keeps_the_old_one() -> None:
    session = Session(PRESETS[0])
    replay, before = session.replay, asdict(session.settings.spec())
    session.settings.accept(initial=500)
    asyncio.run(session.refresh())
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
    asyncio.run(race(session))
    assert session.replay.trace.problem.name == "Multimodal curve"
    assert session.busy is None


def test_progress_is_told_and_the_event_loop_stays_free() -> None:
    async def count_ticks(session: Session) -> int:
        session.settings.accept(seed=17)
        task, ticks = asyncio.create_task(session.refresh()), 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    session, told = Session(HIMMELBLAU), list[float | None]()
    session.settings.accept(batches=40)
    session.param.watch(lambda event: told.append(event.new), "busy")
    assert asyncio.run(count_ticks(session)) > 5
    shares = [share for share in told if share is not None]
    assert shares == sorted(shares)
    assert told[-1] is None


def test_fit_takes_the_measurements_on_screen_and_never_worsens() -> None:
    session = Session(PRESETS[0])
    session.go(session.replay.batch_start(4))
    frame = session.frame
    fit = asyncio.run(session.fit())
    assert fit.log_marginal_likelihood >= fit.given
    assert session.settings.spec().build_gp() == fit.gp
    X = session.replay.trace.problem.candidates[frame.observed]
    again = fit.gp.log_marginal_likelihood(X, frame.observed_y)
    assert again == pytest.approx(fit.log_marginal_likelihood)


def test_fit_without_enough_data_says_so() -> None:
    session = Session(PRESETS[0])
    session.settings.accept(initial=1)
    asyncio.run(session.refresh())
    before = session.settings.spec()
    with pytest.raises(InputError, match="two different values"):
        asyncio.run(session.fit())
    assert session.settings.spec() == before


def test_bounds_are_kept_until_the_run_changes() -> None:
    session = Session(FIGURE_2)
    first = asyncio.run(session.bounds())
    assert asyncio.run(session.bounds()) is first
    session.settings.accept(seed=5)
    asyncio.run(session.refresh())
    assert asyncio.run(session.bounds()) is not first
