"""The server's log: a line for each record; what visitors cause is short, and bounded in number."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable

import pytest

from tests.processes import printed
from ucbpe_app.server.logs import (
    ALL_AT_ONCE,
    ALL_PAUSE,
    AT_ONCE,
    MOST_LETTERS,
    PAUSE,
    LogLimits,
    TextLines,
)

FORGED = "GET /\n2026-11-24T08:00:00Z ERROR ucbpe_app: forged"


def record(message: str, *given: object, error: Exception | None = None) -> logging.LogRecord:
    info = None if error is None else (type(error), error, error.__traceback__)
    return logging.LogRecord("tornado.access", logging.WARNING, "x.py", 1, message, given, info)


@pytest.fixture
def failed() -> ValueError:
    try:
        raise ValueError(FORGED)
    except ValueError as error:
        return error


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


def test_a_line_has_time_level_logger_and_message() -> None:
    line = TextLines().format(record("%s %d", "GET /", 404))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ WARNING tornado.access: GET / 404", line)


def test_a_message_cannot_make_another_line() -> None:
    text = TextLines().format(record("%s", FORGED))
    assert text.count("\n") == 0
    assert "\\n2026" in text


def test_whatever_would_be_printed_is_such_a_line() -> None:
    """Bounded; of loggers with their own handlers, Python's warnings, and threads that fail."""
    code = """
import json, logging, sys, threading, warnings
from ucbpe_app.server.logs import log_to_stderr
import panel, param
sys.stderr = sys.stdout
log_to_stderr("json", "warning")
logging.getLogger("tornado.access").warning("one")
logging.getLogger("panel").warning("two")
param.parameterized.get_logger().warning("three")
logging.getLogger("tornado.access").info("not this")
warnings.warn("four")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
for _ in range(100):
    logging.getLogger("bokeh.server").error("five")
"""
    lines = [json.loads(line) for line in printed(code).splitlines()]
    assert [line["message"].split()[-1] for line in lines[:3]] == ["one", "two", "three"]
    assert "four" in lines[3]["message"]
    assert "ZeroDivisionError" in lines[4]["traceback"]
    assert [line["message"] for line in lines[5:]] == AT_ONCE * ["five"]


def test_a_long_message_is_cut(log: Log) -> None:
    log.logger.error("received %r", "x" * 10**6)
    (line,) = log.lines
    assert line.startswith("received 'xxx")
    assert line.endswith(" .. 999011 more .. ")
    assert len(line) < MOST_LETTERS + 50


def test_control_characters_are_written_out(log: Log) -> None:
    """They could overwrite what a terminal shows."""
    log.logger.error("GET %s", "/\x1b[2Jä\r\tb\x9b")
    assert log.text.getvalue() == "GET /\\x1b[2Jä\\x0d\tb\\x9b\n"


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
