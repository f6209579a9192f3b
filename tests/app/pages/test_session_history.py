"""Undo and redo of settings: the run comes back, and the event stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.pages.session import Session
from ucbpe_app.run.changes import Choice
from ucbpe_app.run.events import Event, Kind
from ucbpe_core.errors import InputError


@pytest.fixture
def session() -> Session:
    return Session(offered()[0])


def settle(session: Session) -> None:
    run(session.refresh())


def changed(session: Session, **changes: object) -> None:
    session.settings.accept(**changes)
    settle(session)


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


def test_a_refused_run_is_no_step(session: Session) -> None:
    first = session.spec
    changed(session, batch_size=6)
    changed(session, initial=500)
    assert session.invalid is not None
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
    monkeypatch.setattr("ucbpe_app.pages.session.load", refuse)
    session.undo()
    settle(session)
    assert (session.spec, session.settings.spec(), session.replay) == (spec, spec, replay)
    assert session.history.present == Choice(spec)
