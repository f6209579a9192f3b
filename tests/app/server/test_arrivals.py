"""A page is made once, beside the event loop, and its HTML is kept."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import bokeh.core.property.bases
import panel as pn
import pytest
from bokeh.core.property.validation import validate
from bokeh.document import Document
from bokeh.io.doc import curdoc, patch_curdoc
from bokeh.models import Title
from bokeh.plotting import figure
from tornado.httpclient import AsyncHTTPClient

from benchmarks._visitors import Visitor
from ucbpe_app.private.bokeh import _Stack, validate_by_thread
from ucbpe_app.server.arrivals import build_beside_the_loop
from ucbpe_app.server.gate import guard

SECONDS = 60


class Site:
    """A server in this process, whose pages take as long as the test says."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self.thread = thread
        self.made: list[tuple[str, Any]] = []  # the thread, and the address's fields
        self.go_on = threading.Event()
        self.go_on.set()
        self.server = pn.serve(
            {"/": self.page}, port=0, address="127.0.0.1", start=False, show=False, verbose=False,
            websocket_origin=["127.0.0.1"],
        )  # fmt: skip
        build_beside_the_loop(self.server._tornado, frozenset({"race"}))
        guard(self.server._tornado)
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.port}"

    def page(self) -> pn.Column:
        self.made.append((threading.current_thread().name, dict(pn.state.session_args)))
        assert self.go_on.wait(SECONDS)
        assert pn.state.curdoc is curdoc()
        column = pn.Column("the page")
        pn.state.onload(lambda: column.append("loaded"))
        return column

    async def html(self, query: str = "") -> str:
        return (await AsyncHTTPClient().fetch(f"{self.url}/?{query}")).body.decode()


@pytest.fixture
def site() -> Iterator[Site]:
    """In a thread of its own: a test in a browser leaves an event loop running in the main one."""
    with ThreadPoolExecutor(1, initializer=_make_loop) as thread:
        site = thread.submit(Site, thread).result(SECONDS)
        try:
            yield site
        finally:
            site.go_on.set()
            thread.submit(site.server.stop).result(SECONDS)
            thread.submit(lambda: asyncio.get_event_loop().close()).result(SECONDS)


def _make_loop() -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())


def on(site: Site, act: Any) -> Any:
    """Run on the server's loop."""
    run = partial(site.server.io_loop.run_sync, act, timeout=SECONDS)
    return site.thread.submit(run).result(2 * SECONDS)


def test_a_visit_makes_one_page_in_a_thread(site: Site) -> None:
    async def visits() -> None:
        for fields in ({}, {"K": "3"}, {"K": "5"}, {"page": "race"}, {"page": "other"}):
            before = len(site.made)
            query = "&".join(f"{name}={value}" for name, value in fields.items())
            visitor = await Visitor.arrive(f"{site.url}/?{query}")
            assert len(site.made) == before + 1
            thread, arguments = site.made[-1]
            assert thread.startswith("page")
            assert arguments == {name: [value.encode()] for name, value in fields.items()}
            visitor.leave()

    on(site, visits)


def test_each_html_has_a_session_of_its_own(site: Site) -> None:
    async def ask() -> list[str]:
        return [await site.html(query) for query in ("", "", "K=3", "page=race", "page=race")]

    pages = on(site, ask)
    tokens = [re.findall(r'"token":\s*"([^"]+)"', page) for page in pages]
    assert all(len(found) == 1 for found in tokens)
    assert len({found[0] for found in tokens}) == len(pages)
    # One document for each kind of page; the others are made when a websocket comes.
    assert len(site.made) == 2
    shared = [
        re.sub(f'{found[0]}| nonce="[^"]+"', "", page)
        for page, found in zip(pages, tokens, strict=True)
    ]
    assert shared[0] == shared[2]


@pytest.mark.usefixtures("site")
def test_no_names_are_looked_for_that_are_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difflib, "get_close_matches", pytest.fail)
    assert getattr(Title(), "absent", None) is None


def test_a_page_is_kept_for_each_theme(site: Site) -> None:
    async def ask() -> None:
        for cookie in ("", "ucbpe-theme=dark", "ucbpe-theme=dark; other=1", "ucbpe-theme=odd"):
            await AsyncHTTPClient().fetch(site.url, headers={"Cookie": cookie})
        await site.html("theme=dark")
        await site.html("theme=odd")

    on(site, ask)
    assert len(site.made) == 2


def test_who_is_there_is_answered_while_a_page_is_made(site: Site) -> None:
    async def answered() -> None:
        await site.html()
        there = await Visitor.arrive(site.url)
        site.go_on.clear()
        made = len(site.made)
        arriving = asyncio.create_task(Visitor.arrive(f"{site.url}/?K=3"))
        while len(site.made) == made:
            await asyncio.sleep(0.01)
        await there._write("PULL-DOC-REQ", {})
        await there.send()  # no change at all
        await there.receive("OK")
        assert await site.html("K=4")
        assert not arriving.done()
        site.go_on.set()
        await there.receive("PULL-DOC-REPLY")
        other = await arriving
        assert "the page" in json.dumps(other.models)
        for one in (there, other):
            one.leave()

    on(site, answered)


def test_an_error_reaches_whoever_waits(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    context = site.server._tornado.applications["/"]

    def broken(_: object) -> None:
        raise OSError("no more")

    async def both() -> list[Any]:
        waiting = (context.create_session_if_needed("one") for _ in range(2))
        return await asyncio.gather(*waiting, return_exceptions=True)

    monkeypatch.setattr(context.application, "initialize_document", broken)
    assert [type(one) for one in on(site, both)] == [OSError, OSError]
    assert not context._pending_sessions


def test_validation_is_switched_off_by_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a string becomes, a title here, is part of the check that it is one."""
    for owner, name in (
        (validate, "__init__"),
        (validate, "__exit__"),
        (bokeh.core.property.bases, "validation_on"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # to be put back
    validate_by_thread()
    off, on_ = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with validate(False):
            off.set()
            assert on_.wait(SECONDS)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert off.wait(SECONDS)
    assert isinstance(figure(title="R").title, Title)
    with validate(False), validate(True):
        assert isinstance(figure(title="R").title, Title)
    with validate(False):
        assert figure(title="R").title == "R"
        on_.set()
        thread.join(SECONDS)
        assert figure(title="R").title == "R"
    assert isinstance(figure(title="R").title, Title)


def test_documents_of_callbacks_are_kept_apart_by_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bokeh.io.doc._PATCHED_CURDOCS", _Stack())
    mine, others, seen = Document(), Document(), list[Any]()
    inside, on_ = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with patch_curdoc(others):
            inside.set()
            assert on_.wait(SECONDS)
            seen.append(curdoc() is others)

    thread = threading.Thread(target=elsewhere)
    with patch_curdoc(mine):
        thread.start()
        assert inside.wait(SECONDS)
        assert curdoc() is mine
    with patch_curdoc(mine):
        on_.set()
        thread.join(SECONDS)
        assert curdoc() is mine
    assert seen == [True]
