"""The server's log: what visitors cause is short, and bounded in number."""

from __future__ import annotations

import http.client
import io
import logging
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tornado.websocket import WebSocketClosedError

from tests.app.server.test_serve import COMMAND, ROOT, free_port
from ucbpe_app.server.logs import (
    ALL_AT_ONCE,
    ALL_PAUSE,
    AT_ONCE,
    MOST_LETTERS,
    PAUSE,
    LogLimits,
    bound_logs,
)

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "x",
    "Origin": f"http://{'y' * 50_000}",
}


class Log:
    """A logger whose clock stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now, self.text = 0.0, io.StringIO()
        self.bounds = LogLimits(lambda: self.now)
        self.logger = logging.Logger("test")
        handler = logging.StreamHandler(self.text)
        handler.addFilter(self.bounds)
        self.logger.addHandler(handler)

    @property
    def lines(self) -> list[str]:
        return self.text.getvalue().splitlines()


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_browser_that_has_left_is_not_told_of(log: Log) -> None:
    for error in (WebSocketClosedError(), OSError("no more")):
        log.logger.error("never retrieved", exc_info=error)
    assert log.lines == ["never retrieved", "OSError: no more"]


def test_a_long_message_is_cut(log: Log) -> None:
    log.logger.error("received %r", "x" * 10**6)
    (line,) = log.lines
    assert line.startswith("received 'xxx")
    assert line.endswith(" .. 999011 more .. ")
    assert len(line) < MOST_LETTERS + 50


def test_a_short_message_stays(log: Log) -> None:
    log.logger.warning("404 GET %s (%s)", "/favicon.ico", "127.0.0.1")
    assert log.lines == ["404 GET /favicon.ico (127.0.0.1)"]


def test_a_traceback_keeps_its_beginning_and_its_error(log: Log) -> None:
    def deep(level: int) -> None:
        if level:
            deep(level - 1)
        raise ValueError(f"{'x' * 10**6} the end")

    try:
        deep(9)
    except ValueError:
        log.logger.exception("failed")
    text = log.text.getvalue()
    assert text.startswith("failed\nTraceback (most recent call last):\n")
    assert text.endswith("x the end\n")
    assert len(text) < 8000


def test_control_characters_are_written_out(log: Log) -> None:
    """They could overwrite what a terminal shows."""
    log.logger.error("GET %s", "/\x1b[2Jä\r\tb\x9b")
    assert log.text.getvalue() == "GET /\\x1b[2Jä\\x0d\tb\\x9b\n"


def test_arguments_that_do_not_fit(log: Log) -> None:
    template, given = "%s and %s", ("x" * 10**6,)
    log.logger.error(template, *given)
    assert log.lines == ["%s and %s (its arguments do not fit)"]


def test_of_many_messages_from_one_place_few_are_written(log: Log) -> None:
    """Then one in a while, which says how many there were."""

    def flood(count: int) -> None:
        for i in range(count):
            log.logger.error("bad request %d", i)

    flood(1000)
    assert log.lines == [f"bad request {i}" for i in range(AT_ONCE)]
    log.logger.error("from another place")
    assert log.lines[-1] == "from another place"
    log.now += PAUSE
    flood(1000)
    assert log.lines[AT_ONCE + 1 :] == [f"bad request 0 ({1000 - AT_ONCE} like this were left out)"]
    log.now += 100 * PAUSE
    flood(1000)
    assert len(log.lines) == 2 * AT_ONCE + 2


def test_errors_of_another_kind_are_not_hidden(log: Log) -> None:
    """Though the same line logs them all."""

    def handle(work: Callable[[], object]) -> None:
        try:
            work()
        except (ValueError, ZeroDivisionError) as error:
            log.logger.error("work failed: %s", error, exc_info=True)

    for _ in range(100):
        handle(lambda: int("x"))
    handle(lambda: 1 // 0)
    found = [line for line in log.lines if line.startswith("work failed")]
    assert len(found) == AT_ONCE + 1
    assert found[-1].startswith("work failed: integer division")


def record_of(line: int) -> logging.LogRecord:
    return logging.LogRecord("n", logging.ERROR, "file.py", line, "x", None, None)


def test_many_different_messages_are_bounded_too(log: Log) -> None:
    """Each from a place of its own."""
    written = sum(log.bounds.filter(record_of(line)) for line in range(100_000))
    assert written == ALL_AT_ONCE
    log.now += 10 * ALL_PAUSE
    assert sum(log.bounds.filter(record_of(line)) for line in range(100_000)) == 10


def test_what_is_remembered_is_bounded(log: Log) -> None:
    for line in range(5000):
        log.now += ALL_PAUSE
        assert log.bounds.filter(record_of(line))
    assert len(log.bounds._places) == 1000


def test_a_record_counts_once_for_all_handlers(log: Log) -> None:
    other = logging.StreamHandler(log.text)
    other.addFilter(log.bounds)
    log.logger.addHandler(other)
    for _ in range(100):
        log.logger.error("twice")
    assert len(log.lines) == 2 * AT_ONCE


def test_every_handler_is_bounded() -> None:
    """That of the last resort, Bokeh's, Panel's and those that a script has set."""
    import panel  # noqa: F401 - it makes the handlers of Bokeh and its own

    bounds = LogLimits()
    own = logging.StreamHandler()
    logging.getLogger("some.script").addHandler(own)
    handlers = [own, logging.lastResort]
    for name in ("bokeh", "panel", "param"):
        handlers += logging.getLogger(name).handlers
    try:
        bound_logs(bounds)
        assert len(handlers) >= 4
        assert all(handler is not None and bounds in handler.filters for handler in handlers)
    finally:
        for handler in handlers:
            assert handler is not None
            handler.removeFilter(bounds)
        logging.getLogger("some.script").removeHandler(own)


@pytest.mark.slow
def test_the_log_of_a_server_that_is_sent_nonsense(tmp_path: Path) -> None:
    """Hundreds of requests with 50 kB each: the log stays below the length of one."""
    port, path = free_port(), tmp_path / "log"
    with (
        path.open("wb") as stream,
        subprocess.Popen(
            [*COMMAND, "--port", str(port)], cwd=ROOT, stdout=subprocess.PIPE, stderr=stream
        ) as process,
    ):
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            upgrade = {
                "Upgrade": "websocket",
                "Connection": "Upgrade",
                "Sec-WebSocket-Version": "13",
            }
            for _ in range(100):
                for address, headers in (
                    (f"/{'x' * 50_000}", {}),
                    (
                        "/ws",
                        {**upgrade, "Sec-WebSocket-Key": "x", "Origin": "http://" + "y" * 50_000},
                    ),
                ):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    connection.request("GET", address, headers=headers)
                    assert connection.getresponse().status in (403, 404)
                    connection.close()
        finally:
            process.terminate()
            process.wait(60)
    said = path.read_text(encoding="utf-8")
    assert "404 GET /xxx" in said
    assert "yyyy" in said
    assert len(said) < 50_000
