"""One visitor's state: runs come in the background, the moment on screen is kept, changes are
undone and redone."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.links import Moment, encode
from ucbpe_app.run.cache import load
from ucbpe_app.run.changes import Choice
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.tasks.job import Job
from ucbpe_app.widgets.session import Session
from ucbpe_core import problems
from ucbpe_core.errors import InputError
from ucbpe_core.gp.fitting import log_marginal_likelihood

FIGURE_2 = next(one for one in offered() if one.slug == "figure-2")


@pytest.fixture
def session() -> Session:
    return Session(offered()[0])


def settle(session: Session) -> None:
    run(session.refresh())


def changed(session: Session, **changes: object) -> None:
    session.settings.accept(**changes)
    settle(session)


def test_a_change_keeps_the_event(session: Session) -> None:
    session.go(session.replay.batch_start(3) + 2)
    changed(session, lengthscale=0.4)
    assert session.frame.event == Event(3, Kind.REGION)
    assert session.replay.trace.gp.kernel.lengthscale == 0.4


def test_a_pick_that_is_gone_and_comes_back_is_found_again(session: Session) -> None:
    session.go(next(i for i, e in enumerate(session.replay.events) if e == Event(2, Kind.PICK, 3)))
    changed(session, batch_size=2)
    assert session.frame.event == Event(2, Kind.PICK, 1)
    changed(session, batch_size=4)
    assert session.frame.event == Event(2, Kind.PICK, 3)


def test_a_slow_run_is_overtaken(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
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

    monkeypatch.setattr("ucbpe_app.widgets.session.load", slow)
    run(change(session))
    assert stopped.is_set()
    assert session.spec.seed == 2


def test_a_chosen_problem_brings_its_prior_and_its_run(session: Session) -> None:
    async def choose(session: Session) -> None:
        await session.choose("mackey_glass")
        await session.refresh()

    session.settings.accept(problem_seed=3)
    run(choose(session))
    spec = session.settings.spec()
    assert spec.build_gp() == session.replay.trace.problem.gp == problems.mackey_glass().gp
    assert spec.problem_seed == 3
    assert session.replay.scene.dimension == 6
    assert session.invalid is None


def test_fit_takes_the_measurements_on_screen_and_never_worsens(session: Session) -> None:
    session.go(session.replay.batch_start(4))
    frame = session.frame
    fit = run(session.fit())
    assert fit.log_marginal_likelihood >= fit.given
    assert session.settings.spec().build_gp() == fit.gp
    X = session.replay.trace.problem.candidates[frame.observed]
    again = log_marginal_likelihood(fit.gp, X, frame.observed_y)
    assert again == pytest.approx(fit.log_marginal_likelihood)


def test_a_fit_keeps_the_ratio_of_two_lengthscales(session: Session) -> None:
    """Its likelihood is that of the prior in force, whose units differ by the ratio."""
    changed(
        session, problem="himmelblau", stretch=4.0, lengthscale=2.0, variance=4e4,
        noise_variance=1.0, mean=-150.0, batches=2, initial=6,
    )  # fmt: skip
    session.go(10**6)
    fit = run(session.fit())
    gp, frame = session.settings.spec().build_gp(), session.frame
    one, other = gp.kernel.lengthscale
    assert other / one == pytest.approx(4.0)
    X = session.replay.trace.problem.candidates[frame.observed]
    again = log_marginal_likelihood(gp, X, frame.observed_y)
    assert again == pytest.approx(fit.log_marginal_likelihood)


def test_fit_without_enough_data_says_so(session: Session) -> None:
    changed(session, initial=1)
    before = session.settings.spec()
    with pytest.raises(InputError, match="two different values"):
        run(session.fit())
    assert session.settings.spec() == before


def test_bounds_are_kept_until_the_run_changes() -> None:
    session = Session(FIGURE_2)
    first = run(session.bounds())
    assert run(session.bounds()) is first
    changed(session, seed=5)
    assert run(session.bounds()) is not first


def test_a_visit_to_what_cannot_be_shown_keeps_the_run_and_says_why(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(moment: Moment, job: Job) -> object:
        raise InputError("a run", "none", "change two settings")

    replay, before = session.replay, session.settings.spec()
    monkeypatch.setattr("ucbpe_app.widgets.session.restore", refuse)
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


def test_held_data_stay_until_a_setting_changes_that_they_come_from(session: Session) -> None:
    y, digest = session.replay.trace.y, session.replay.trace.digest
    session.hold_data(on=True)
    changed(session, lengthscale=0.3)
    assert session.replay.trace.hold_data
    np.testing.assert_array_equal(session.replay.trace.y, y)
    session.undo()
    settle(session)
    assert session.replay.trace.digest == digest
    assert session.data == session.spec
    session.redo()
    settle(session)
    assert session.replay.trace.hold_data
    changed(session, seed=4)
    assert session.data is None
    assert not session.replay.trace.hold_data


def test_a_visit_and_a_lesson_bring_their_own_data() -> None:
    session, first = Session(offered()[0]), Session(offered()[0])
    first.hold_data(on=True)
    first.settings.accept(scale=0.2)
    run(first.refresh())
    moment = Moment(first.spec, digest=first.replay.trace.digest, data=first.data)
    _, errors = run(session.visit(encode(moment)))
    assert errors == ()
    assert session.data == first.data
    assert session.replay.trace.digest == first.replay.trace.digest
    session.open(offered()[0])
    settle(session)
    assert session.data is None


def test_settings_and_run_come_back_and_the_event_stays(session: Session) -> None:
    first, replay = session.spec, session.replay
    session.go(session.replay.events.index(Event(2, Kind.PICK, 1)))
    changed(session, scale=5.0)
    changed(session, batch_size=6)
    wider = replace(first, scale=5.0)
    session.undo()
    settle(session)
    assert session.spec == session.settings.spec() == wider
    assert session.frame.event == Event(2, Kind.PICK, 1)
    session.undo()
    settle(session)
    assert (session.spec, session.replay) == (first, replay)
    session.undo()  # there is nothing before
    settle(session)
    assert session.spec == first
    session.redo()
    session.redo()
    settle(session)
    assert session.spec == replace(wider, batch_size=6)
    assert session.frame.event == Event(2, Kind.PICK, 1)
    session.redo()
    settle(session)
    assert session.spec == replace(wider, batch_size=6)


def test_a_change_whose_run_is_not_there_yet_is_undone_first(session: Session) -> None:
    changed(session, batch_size=6)
    on_screen = session.spec
    session.settings.accept(seed=77)
    session.undo()
    settle(session)
    assert session.spec == session.settings.spec() == on_screen
    session.undo()
    settle(session)
    assert session.spec == replace(on_screen, batch_size=4)


def test_a_run_that_cannot_be_made_keeps_the_old_one_and_is_no_step(session: Session) -> None:
    first = session.spec
    changed(session, batch_size=6)
    replay, before = session.replay, session.settings.spec()
    changed(session, initial=500)
    assert session.replay is replay
    assert session.settings.spec() == before
    names, error = session.invalid
    assert names == ("initial",)
    assert isinstance(error, InputError)
    assert session.history.earlier == Choice(first)
    session.undo()
    settle(session)
    assert session.spec == first


def test_an_undo_that_cannot_be_made_changes_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InputError("a run", "none", "try again")

    changed(session, batch_size=6)
    spec, replay = session.spec, session.replay
    monkeypatch.setattr("ucbpe_app.widgets.session.load", refuse)
    session.undo()
    settle(session)
    assert (session.spec, session.settings.spec(), session.replay) == (spec, spec, replay)
    assert session.history.present == Choice(spec)


@pytest.mark.parametrize(
    "query",
    [
        "preset=himmelblau&event=2.pick.2",
        "preset=figure-2&event=2.pick.1&show=log,plane&hide=Policy",
        "preset=figure-2&event=3.region&moved=2_0.5,3_out",
        "preset=figure-2&lengthscale=0.4&data.lengthscale=0.65",
    ],
)
def test_an_opened_link_is_where_undo_ends(session: Session, query: str) -> None:
    changed(session, scale=2.0)
    moment, errors = run(session.visit(query))
    opened, event = session.replay.trace.digest, session.frame.event
    assert errors == ()
    assert not session.undo()
    assert not session.redo()
    settle(session)
    assert (session.spec, session.settings.spec()) == (moment.settings, moment.settings)
    changed(session, noise_variance=0.5)
    assert session.replay.trace.digest != opened
    assert session.undo()
    settle(session)
    assert (session.spec, session.moved) == (moment.settings, moment.moved)
    assert (session.replay.trace.digest, session.frame.event) == (opened, event)
    assert session.history.earlier is None


def test_undo_with_nothing_to_undo_leaves_a_link_that_is_being_opened(session: Session) -> None:
    async def both() -> object:
        opening = asyncio.create_task(session.visit("preset=figure-2&seed=9"))
        await asyncio.sleep(0)
        assert not session.undo()
        return await opening

    assert run(both()) is not None
    assert session.spec == replace(FIGURE_2.spec(), seed=9)
