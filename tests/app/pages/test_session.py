"""One visitor's state: runs come in the background, the moment on screen is kept."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.links import Moment, encode
from ucbpe_app.pages.session import Session
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.tasks.job import Job
from ucbpe_core import problems
from ucbpe_core.errors import InputError
from ucbpe_core.fitting import log_marginal_likelihood
from ucbpe_core.problems.abalone import DATA_DIR

FIGURE_2 = next(one for one in offered() if one.slug == "figure-2")


def test_a_change_keeps_the_event() -> None:
    session = Session(offered()[0])
    session.go(session.replay.batch_start(3) + 2)
    session.settings.accept(lengthscale=0.4)
    run(session.refresh())
    assert session.frame.event == Event(3, Kind.REGION)
    assert session.replay.trace.gp.kernel.lengthscale == 0.4


def test_a_pick_that_is_gone_and_comes_back_is_found_again() -> None:
    session = Session(offered()[0])
    session.go(next(i for i, e in enumerate(session.replay.events) if e == Event(2, Kind.PICK, 3)))
    session.settings.accept(batch_size=2)
    run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 1)
    session.settings.accept(batch_size=4)
    run(session.refresh())
    assert session.frame.event == Event(2, Kind.PICK, 3)


def test_a_run_that_cannot_be_made_keeps_the_old_one() -> None:
    session = Session(offered()[0])
    replay, before = session.replay, asdict(session.settings.spec())
    session.settings.accept(initial=500)
    run(session.refresh())
    assert session.replay is replay
    assert asdict(session.settings.spec()) == before
    names, error = session.invalid
    assert names == ("initial",)
    assert isinstance(error, InputError)


def test_a_slow_run_is_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def slow(spec: RunSpec, job: Job) -> Replay:
        if spec.seed == 1:
            begun.set()
            while not job.stopped:
                time.sleep(0.01)
            stopped.set()
            job.check()
        return load(spec, job)

    async def change(session: Session) -> None:
        session.settings.accept(seed=1)
        first = asyncio.create_task(session.refresh())
        while not begun.is_set():
            await asyncio.sleep(0.01)
        session.settings.accept(seed=2)
        await asyncio.gather(first, session.refresh())

    session = Session(offered()[0])
    monkeypatch.setattr("ucbpe_app.pages.session.load", slow)
    run(change(session))
    assert stopped.is_set()
    assert session.spec.seed == 2


def test_a_chosen_problem_brings_its_prior_and_its_run() -> None:
    async def choose(session: Session) -> None:
        await session.choose("mackey_glass")
        await session.refresh()

    session = Session(offered()[0])
    session.settings.accept(problem_seed=3)
    run(choose(session))
    spec = session.settings.spec()
    assert spec.build_gp() == session.replay.trace.problem.gp == problems.mackey_glass().gp
    assert spec.problem_seed == 3
    assert session.replay.scene.dimension == 6
    assert session.invalid is None


def test_a_problem_that_cannot_be_had_is_refused_and_nothing_else_changes(
    without_abalone: Path,
) -> None:
    session = Session(offered()[0])
    session.go(9)
    replay, before = session.replay, session.settings.spec()
    settings_changed = list[str]()
    session.settings.param.watch(
        lambda *events: settings_changed.extend(e.name for e in events), list(vars(before))
    )
    run(session.choose("abalone"))
    names, error = session.invalid
    assert names == ("problem",)
    assert str(without_abalone) in error.expected
    assert DATA_DIR in error.remedy
    assert session.replay is replay
    assert session.index == 9
    assert session.settings.spec() == before
    assert not settings_changed
    assert session.busy is None


def test_progress_is_told_and_the_event_loop_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    loop_ran = threading.Event()

    def slow_load(spec: RunSpec, job: Job) -> Replay:
        job.progress(1, 4)
        # Comes back only if the event loop runs meanwhile, long enough to tell the progress.
        assert loop_ran.wait(timeout=180)
        return load(spec, job)

    async def wait_for_progress(session: Session) -> None:
        task = asyncio.create_task(session.refresh())
        while session.busy is None:
            await asyncio.sleep(0.01)
        loop_ran.set()
        await task

    session, told = Session(offered()[0]), list[float | None]()
    monkeypatch.setattr("ucbpe_app.pages.session.load", slow_load)
    session.settings.accept(seed=17)
    session.param.watch(lambda event: told.append(event.new), "busy")
    run(wait_for_progress(session))
    assert told[0] == 0.25
    assert told[-1] is None
    assert session.replay.trace.seed == 17


def test_fit_takes_the_measurements_on_screen_and_never_worsens() -> None:
    session = Session(offered()[0])
    session.go(session.replay.batch_start(4))
    frame = session.frame
    fit = run(session.fit())
    assert fit.log_marginal_likelihood >= fit.given
    assert session.settings.spec().build_gp() == fit.gp
    X = session.replay.trace.problem.candidates[frame.observed]
    again = log_marginal_likelihood(fit.gp, X, frame.observed_y)
    assert again == pytest.approx(fit.log_marginal_likelihood)


def test_fit_without_enough_data_says_so() -> None:
    session = Session(offered()[0])
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


def test_a_visit_shows_the_moment_of_a_link() -> None:
    first, second = Session(FIGURE_2), Session(offered()[0])
    first.settings.accept(lengthscale=1 / 3, seed=7)
    run(first.refresh())
    first.go(10)
    event, digest = first.frame.event, first.replay.trace.digest
    assert first.spec == first.settings.spec()
    moment = Moment(first.spec, event, frozenset({"noisy"}), digest=digest)
    visited = run(second.visit(encode(moment)))
    assert visited == (replace(moment, digest=digest[:16]), ())
    assert second.spec == second.settings.spec() == first.spec
    assert second.frame.event == event
    assert second.replay.trace.digest == digest
    # What follows goes on from there.
    second.settings.accept(batches=3)
    run(second.refresh())
    assert second.frame.event == event


def test_a_visit_to_what_cannot_be_shown_keeps_the_run_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(moment: Moment, job: Job) -> object:
        raise InputError("a run", "none", "change two settings")

    session = Session(offered()[0])
    replay, before = session.replay, session.settings.spec()
    monkeypatch.setattr("ucbpe_app.pages.session.restore", refuse)
    moment, errors = run(session.visit("preset=figure-2&colour=red"))
    assert [error.expected for error in errors] == ["a field that links have", "a run"]
    assert moment.settings == FIGURE_2.spec()
    assert session.replay is replay
    assert session.settings.spec() == session.spec == before
    assert session.busy is None


@pytest.mark.parametrize("later", ["visit", "open"])
def test_what_is_asked_for_later_overtakes_a_visit(later: str) -> None:
    async def race(session: Session) -> tuple[object, object]:
        slow = asyncio.create_task(session.visit("preset=himmelblau&seed=4321"))
        await asyncio.sleep(0)
        if later == "visit":
            other = await session.visit("preset=figure-2&seed=9")
        else:
            session.settings.accept(seed=9)
            other = await session.refresh()
        return await slow, other

    session = Session(FIGURE_2)
    overtaken, _ = run(race(session))
    assert overtaken is None
    assert session.spec == replace(FIGURE_2.spec(), seed=9)
    assert session.replay.trace.seed == 9


def test_held_data_stay_until_a_setting_changes_that_they_come_from() -> None:
    session = Session(offered()[0])
    y, digest = session.replay.trace.y, session.replay.trace.digest
    session.hold(on=True)
    session.settings.accept(lengthscale=0.3)
    run(session.refresh())
    assert session.replay.trace.hold_data
    np.testing.assert_array_equal(session.replay.trace.y, y)
    session.undo()
    run(session.refresh())
    assert session.replay.trace.digest == digest
    assert session.data == session.spec
    session.redo()
    run(session.refresh())
    assert session.replay.trace.hold_data
    session.settings.accept(seed=4)
    run(session.refresh())
    assert session.data is None
    assert not session.replay.trace.hold_data


def test_a_visit_and_a_lesson_bring_their_own_data() -> None:
    session, first = Session(offered()[0]), Session(offered()[0])
    first.hold(on=True)
    first.settings.accept(scale=0.2)
    run(first.refresh())
    moment = Moment(first.spec, digest=first.replay.trace.digest, data=first.data)
    _, errors = run(session.visit(encode(moment)))
    assert errors == ()
    assert session.data == first.data
    assert session.replay.trace.digest == first.replay.trace.digest
    session.open(offered()[0])
    run(session.refresh())
    assert session.data is None
