"""Export without a browser: what is on screen is made, and handed over once."""

from __future__ import annotations

import asyncio
import io

import panel_material_ui as pmui
import pytest

from tests.app.waiting import run
from ucbpe_app.files.page import MOST_EVENTS
from ucbpe_app.files.products import Product
from ucbpe_app.lessons import Lesson
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.step.export import ExportMenu
from ucbpe_app.widgets.link_bar import LayerChoice, Links
from ucbpe_app.widgets.session import Session
from ucbpe_core import Trace

SHORT = {"batches": 2, "batch_size": 2}
LESSON = Lesson("", "Short", "multimodal", settings=SHORT, event=Event(2, Kind.PICK, 1))


class Desk:
    """A session with its dialog, and the files that it handed over."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session, layers = Session(LESSON), LayerChoice({"truth", "bounds"})
        self.links = Links(self.session, layers, LESSON)
        self.page = ExportMenu(self.session, self.links)
        self.page.load()
        self.dialog = self.page.dialog
        self.delivered: list[Product] = []
        monkeypatch.setattr(self.dialog, "deliver", self._take)

    def _take(self, name: str, media: str, data: bytes) -> None:
        self.delivered.append(Product(name, media, data))

    def show(self, problem: str, **settings: int) -> None:
        """Another run on screen."""
        other = Lesson("", "Other", problem, settings={**SHORT, **settings})
        self.session._good = other.spec()
        self.session._install(load(other.spec()))
        self.page.load()

    @property
    def state(self) -> tuple[object, ...]:
        """What a file must not change."""
        session = self.session
        return session.replay, session.index, session.spec, self.links.moment

    @property
    def at_rest(self) -> bool:
        """Whether the next file can be asked for."""
        return self.dialog.share is None and self.page.busy is None


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_it_is_the_run_that_was_on_screen_when_it_was_asked_for(desk: Desk) -> None:
    before = desk.session.replay

    async def ask_and_go_on() -> Product | None:
        asked = asyncio.create_task(desk.page.make("json"))
        await asyncio.sleep(0)
        desk.show("multimodal", seed=5)
        return await asked

    product = run(ask_and_go_on())
    assert product is not None
    assert desk.session.replay is not before
    read = Trace.load(io.StringIO(product.data.decode()))
    assert read.digest == before.trace.digest


def test_an_error_is_told_and_changes_nothing(desk: Desk) -> None:
    desk.show("multimodal", batches=130)
    before = desk.state
    assert run(desk.page.make("html")) is None
    events = len(desk.session.replay.events)
    assert desk.dialog.said == (
        f"Expected at most {MOST_EVENTS} events in a lesson's file; got {events}. "
        "To do: lower the number of batches or K."
    )
    assert desk.state == before
    assert desk.at_rest
    assert run(desk.page.make("csv")) is not None
    assert len(desk.delivered) == 1


def test_a_file_that_is_given_up_is_not_saved(desk: Desk) -> None:
    desk.dialog.dialog.open = True
    (cancel,) = (one for one in desk.dialog.dialog.select(pmui.Button) if one.label == "Cancel")

    async def ask_and_give_up() -> Product | None:
        asked = asyncio.create_task(desk.page.make("html"))
        await asyncio.sleep(0)
        cancel.clicks += 1
        return await asked

    assert run(ask_and_give_up()) is None
    assert desk.dialog.said == "Cancelled."
    assert desk.delivered == []
    assert desk.at_rest


def test_the_dialog_is_filled_when_it_is_opened_and_asks_for_one_file_at_a_time(desk: Desk) -> None:
    async def press(kind: str) -> None:
        desk.dialog.ask(kind)
        await asyncio.sleep(0)  # what it asks the loop to start is no task yet
        desk.dialog.ask("csv")
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    dialog = desk.dialog.dialog
    assert len(dialog.objects) == 1
    dialog.open = True
    parts = dialog.objects
    dialog.open = False
    dialog.open = True
    assert dialog.objects == parts
    run(press("json"))
    assert [product.media for product in desk.delivered] == ["application/json"]
    assert desk.at_rest
