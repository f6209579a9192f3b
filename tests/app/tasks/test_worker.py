"""Requests of which the latest wins."""

from __future__ import annotations

import asyncio
import threading

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from tests.app.waiting import run
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import PROBLEMS, Worker, leave
from ucbpe_core.errors import InputError

PATIENCE = 60


class Asking(Worker):
    """State whose requests end when they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on, self.shown = threading.Event(), list[str]()

    def wait(self, said: str) -> str:
        assert self.go_on.wait(PATIENCE)
        if said == "wrong":
            raise InputError("right", "wrong", "ask again")
        return said

    async def ask(self, said: str, of: str = "") -> bool:
        """Show what was asked for; whether it came to that."""
        with self.latest(Job(), of) as job:
            # Not the two threads of the runs: the first one is held up.
            self.shown.append(await self.work(self.wait, said, job=job, executor=PROBLEMS))
            return True
        return False


@pytest.mark.parametrize("first", ["one", "wrong"])
def test_the_latest_request_wins_whatever_came_of_those_before(first: str) -> None:
    state = Asking()

    async def both() -> tuple[bool, bool]:
        before = asyncio.create_task(state.ask(first))
        await asyncio.sleep(0)
        after = asyncio.create_task(state.ask("two"))
        await asyncio.sleep(0)
        state.go_on.set()
        return await before, await after

    assert run(both()) == (False, True)
    assert state.shown == ["two"]
    assert state.busy is None


def test_requests_of_other_kinds_are_left_alone() -> None:
    state = Asking()

    async def both() -> tuple[bool, bool]:
        asked = [asyncio.create_task(state.ask(kind, kind)) for kind in ("run", "problem")]
        await asyncio.sleep(0)
        state.go_on.set()
        return await asked[0], await asked[1]

    assert run(both()) == (True, True)
    assert sorted(state.shown) == ["problem", "run"]


def test_a_request_can_be_given_up() -> None:
    state = Asking()
    state.give_up()  # nothing is under way

    async def stopped() -> bool:
        task = asyncio.create_task(state.ask("one"))
        await asyncio.sleep(0)
        state.give_up()
        state.go_on.set()
        return await task

    assert run(stopped()) is False
    assert state.shown == []
    assert run(state.ask("two"))


@pytest.mark.parametrize("first", ["one", "wrong"])
def test_what_is_computed_for_a_visitor_who_has_left_comes_to_nothing(first: str) -> None:
    """Neither a result nor an error; nor is anything more computed for that visitor."""
    state, document = Asking(), Document()

    async def left() -> None:
        with set_curdoc(document):
            asked = asyncio.create_task(state.ask(first))
            await asyncio.sleep(0)
            leave(document)
            state.go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await asked
            with pytest.raises(asyncio.CancelledError):
                await state.ask("two")

    run(left())
    assert state.shown == []


def test_a_session_knows_itself_that_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bokeh voids the models of its document some turns of the loop before it tells of the end."""

    class Context:
        destroyed = False

    state, document, context = Asking(), Document(), Context()
    monkeypatch.setattr(Document, "session_context", context)

    async def ended() -> None:
        with set_curdoc(document):
            asked = asyncio.create_task(state.ask("one"))
            await asyncio.sleep(0)
            context.destroyed = True
            state.go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await asked

    run(ended())
    assert state.shown == []
