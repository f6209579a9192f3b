"""Chromium, a running server, and a page that is watched, for every test in this folder."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    expect,
)

from tests.browser.wire import Wire, wire
from tools import chromium
from ucbpe_core.problems.abalone import DATA_DIR

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
START_SECONDS = 180  # Panel imports slowly on a cold disk with two busy cores
STOP_SECONDS = 60
VIEWPORT = {"width": 1280, "height": 920}  # high enough for a lesson's words to be open
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",  # root, as in most containers, has no sandbox to offer
    "--disable-gpu",
    "--disable-software-rasterizer",  # nor is one imitated: nothing draws in 3-D
    # The rest keeps Chromium from calling home, which a closed network answers with noise.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# ms. What is waited for is waited for as it comes, so that a long time costs nothing; a page beside
# other tests' and another busy program on two cores takes this long.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)
OWN_HOSTS = {"127.0.0.1", "localhost"}
INLINE_SCHEMES = {"about", "blob", "data"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    # NoChromiumError is an error of the session, never a skip.
    return {
        **browser_type_launch_args,
        "executable_path": str(chromium.find()),
        "args": CHROMIUM_ARGUMENTS,
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": VIEWPORT}


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    context.set_default_timeout(PATIENCE)
    return context


@dataclass(frozen=True)
class Server:
    """A dashboard in another process."""

    url: str
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def running(
    log: Path,
    *options: str,
    program: tuple[str, ...] = ("ucbpe_app.cli", "app"),
    environment: Mapping[str, str] | None = None,
    port: int = 0,
    prefix: str = "",
    path: str = "",
    within: Sequence[str] = (),
) -> Iterator[Server]:
    """Run ``ucbpe app``, with `options`; it must end cleanly when asked to.

    `program` is another module to run in its place, and what it is to do; `environment` is set
    beside this process's own; without a `port` it has a free one; `path` is where a server that
    knows no --prefix has its pages; `within` precedes the command.
    """
    port = port or free_port()
    if prefix:
        options = (*options, "--prefix", prefix)
    server = Server(f"http://127.0.0.1:{port}{prefix or path}", log)
    command = [*within, sys.executable, "-m", *program, "--port", str(port), *options]
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=stream,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            until_it_answers(server, process)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
    assert process.returncode == 0, (
        f"expected the server to end with 0, got {process.returncode}:\n{server.said()}"
    )


@pytest.fixture(scope="session")
def line() -> Iterator[Wire]:
    """A wire to the dashboard of `server_process`."""
    with wire() as line:
        yield line


@pytest.fixture(scope="session")
def server_process(tmp_path_factory: pytest.TempPathFactory, line: Wire) -> Iterator[Server]:
    """The dashboard that the tests of this worker share.

    It finds no data, wherever the tests run: Abalone is not in the folder that it is told.
    """
    folder = tmp_path_factory.mktemp("server")
    (folder / "data").mkdir()
    origin = ("--allow-websocket-origin", f"127.0.0.1:{line.port}")
    environment = {DATA_DIR: str(folder / "data")}
    with running(folder / "log.txt", *origin, environment=environment) as server:
        line.lead_to(server.url)
        yield server


@pytest.fixture(scope="session")
def server(server_process: Server) -> str:
    """The address of a running dashboard, without a slash at the end."""
    return server_process.url


@dataclass
class Lab:
    """A browser page on the dashboard, and what it did that a user would not see."""

    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.keep_settings("open")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"console: {message.text} ({message.location.get('url')})")

    def keep_settings(self, state: str) -> None:
        """Have the browser remember that the settings of the Step page are open, or closed."""
        kept = f"localStorage.setItem('ucbpe-settings', '{state}')"
        self.page.add_init_script(f"try {{ {kept} }} catch {{ /* a test may deny storage */ }}")

    def open(self, query: str = "") -> None:
        """Load the dashboard, with `query` such as ``?lesson=2``, and wait until it is drawn."""
        self.page.goto(f"{self.url}/{query}")
        self.wait()

    def wait(self) -> None:
        """Wait until the page that the browser has gone to is drawn."""
        self.page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")

    def requests_that_left(self) -> list[str]:
        """Return the requests that went to another host."""
        addresses = ((url, urlsplit(url)) for url in self.requests)
        return [
            url
            for url, parts in addresses
            if parts.scheme not in INLINE_SCHEMES and parts.hostname not in OWN_HOSTS
        ]


@pytest.fixture
def lab(page: Page, server_process: Server) -> Iterator[Lab]:
    """A page to open; afterwards no error, in browser or server, and no request outside."""
    said_before = len(server_process.said())
    lab = Lab(page, server_process.url)
    yield lab
    assert lab.requests, "expected the test to open a page, as by lab.open()"
    said = server_process.said()[said_before:]
    assert not lab.errors, "expected no error in the browser, got:\n" + "\n".join(lab.errors)
    left = lab.requests_that_left()
    assert not left, "expected every request to stay on this host, got:\n" + "\n".join(left)
    assert not exceptions(said), f"expected no exception in the server, got:\n{said}"


@contextlib.contextmanager
def from_disk(
    browser: Browser,
    file: Path,
    size: tuple[int, int] = (VIEWPORT["width"], VIEWPORT["height"]),
    scheme: Literal["light", "dark"] = "light",
    *,
    figures: bool = True,
) -> Iterator[Lab]:
    """A file opened without a network; afterwards no error, and no request out of its folder.

    One with figures is waited for until they are drawn.
    """
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    with browser.new_context(offline=True, viewport=viewport, color_scheme=scheme) as context:
        lab = Lab(context.new_page(), file.as_uri())
        lab.page.goto(lab.url)
        if figures:
            lab.wait()
        yield lab
        left = lab.requests_that_left()
        assert lab.url in left
        assert all(url.startswith(file.parent.as_uri()) for url in left), left
        assert not lab.errors, lab.errors


def exceptions(log: str) -> list[str]:
    """Return the last lines of the tracebacks in `log`.

    Without those of a browser that left while the server was writing to it.
    """
    raised = re.finditer(
        r"^(?:Traceback .*\n(?:[ \t].*\n)*)?(?P<last>[\w.]+(?:Error|Exception)\b.*)$",
        log,
        re.MULTILINE,
    )
    return [one["last"] for one in raised if not _says_that_a_browser_left(one[0], one["last"])]


def _says_that_a_browser_left(traceback: str, last: str) -> bool:
    """The write to a closed socket, or Bokeh's second farewell to one connection.

    Its keep-alive ping can find a socket closed just before the socket says so itself; the
    connection is then given up twice, and the second time it has no session left.
    """
    if last.startswith("tornado."):
        return "Closed" in last
    return last.startswith("AssertionError") and "session.notify_connection_lost()" in traceback


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until_it_answers(server: Server, process: subprocess.Popen[bytes], file: str = "") -> None:
    """Wait for its page, or for a file of it, which takes no session."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(server.url + file, timeout=START_SECONDS):
                return
        except urllib.error.HTTPError as error:
            error.close()
            pytest.fail(f"expected a page at {server.url}, got {error}:\n{server.said()}")
        except OSError:
            time.sleep(0.1)
    pytest.fail(
        f"expected the server to answer at {server.url} within {START_SECONDS} s, got silence "
        f"(exit code {process.poll()}). It said:\n{server.said()}"
    )
