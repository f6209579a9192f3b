"""What a server's process is given: leave to download, and an interpreter that gives way."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from bokeh.models import Range1d
from bokeh.settings import settings

from benchmarks._visitors import Visitor
from tests.app.serve.serving import Lab, serving
from tests.app.waiting import run
from ucbpe_app.serve.lifecycle import leave_out_diagnostics, share_the_interpreter
from ucbpe_core.problems.abalone import DATA_DIR, DOWNLOADS

SECONDS = 180


class Proxy(BaseHTTPRequestHandler):
    """The way to the network: notes for which host it was asked, and refuses."""

    asked: list[str]

    def do_CONNECT(self) -> None:
        self.asked.append(self.path)
        self.send_error(403)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[dict[str, str], list[str]]]:
    """An environment whose way to the network is here, and the hosts asked for."""
    monkeypatch.delenv(DATA_DIR, raising=False)
    monkeypatch.delenv(DOWNLOADS, raising=False)
    asked = list[str]()
    web = ThreadingHTTPServer(("127.0.0.1", 0), type("_Proxy", (Proxy,), {"asked": asked}))
    thread = Thread(target=web.serve_forever, args=(0.01,))
    thread.start()
    way = f"http://127.0.0.1:{web.server_port}"
    names = ("HTTPS_PROXY", "https_proxy")
    yield {**dict.fromkeys(names, way), "XDG_CACHE_HOME": str(tmp_path)}, asked
    web.shutdown()
    thread.join()
    web.server_close()


async def opened(lab: Lab, told: str) -> None:
    """Open a link with the problem, until the page tells something."""
    visitor = await Visitor.arrive(f"http://127.0.0.1:{lab.port}/?problem=abalone")
    deadline = time.monotonic() + SECONDS
    text = json.dumps(visitor.models)
    while told not in text:
        assert time.monotonic() < deadline
        text = await visitor.receive("PATCH-DOC")
    visitor.leave()


def test_a_link_does_not_make_the_server_download(
    network: tuple[dict[str, str], list[str]],
) -> None:
    environment, asked = network
    with serving(**environment) as lab:
        run(opened(lab, "abalone.data on this machine"))
    assert asked == []


@pytest.mark.slow
def test_it_does_where_the_operator_allows_it(network: tuple[dict[str, str], list[str]]) -> None:
    environment, asked = network
    with serving("--allow-downloads", **environment) as lab:
        run(opened(lab, "a local abalone.data or a network"))
    assert set(asked) == {"archive.ics.uci.edu:443"}


def test_python_gives_way_soon_and_looks_for_no_garbage_in_what_is_imported() -> None:
    interval = sys.getswitchinterval()
    gc.unfreeze()  # as these tests have frozen it
    try:
        share_the_interpreter()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 10_000
        assert sys.getswitchinterval() <= 0.001
    finally:
        sys.setswitchinterval(interval)


def test_a_missing_attribute_is_not_compared_with_all_names() -> None:
    try:
        leave_out_diagnostics()
        with pytest.raises(AttributeError) as missing:
            Range1d().strat  # noqa: B018 - the error is what is asked for
        assert "start" not in str(missing.value)
    finally:
        settings.perform_document_validation.unset_value()
        settings.perform_error_diagnostics.unset_value()
