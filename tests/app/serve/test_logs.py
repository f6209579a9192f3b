"""The server's log: a line for each record; what visitors cause is short, and bounded in number."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable

import pytest

from tests.processes import printed
from ucbpe_app.serve.logs import ALL_AT_ONCE, ALL_PAUSE, AT_ONCE, MOST_LETTERS, PAUSE, LogLimits

FORGED = "GET /\n2026-11-24T08:00:00Z ERROR ucbpe_app: forged"


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


def test_a_message_or_an_error_cannot_make_another_line(log: Log) -> None:
    log.logger.error("%s", FORGED)
    assert log.lines == [FORGED.replace("\n", "\\n")]
    try:
        raise ValueError(FORGED)
    except ValueError:
        log.logger.exception("failed")
    assert log.lines[1] == "failed"
    assert all(line.startswith("  ") for line in log.lines[2:])
    assert "forged" in log.lines[-1]


def test_whatever_would_be_printed_is_such_a_line() -> None:
    """Bounded; of loggers with their own handlers, Python's warnings, and threads that fail."""
    code = """
import logging, sys, threading, warnings
from ucbpe_app.serve.logs import log_to_stderr
import panel, param
sys.stderr = sys.stdout
log_to_stderr("warning")
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
    lines = printed(code).splitlines()
    records = [line for line in lines if not line.startswith("  ")]
    for line, name, level, message in (
        (records[0], "tornado.access", "WARNING", "one"),
        (records[1], "panel", "WARNING", "two"),
        (records[2], "param", "WARNING", "three"),
        (records[5], "bokeh.server", "ERROR", "five"),
    ):
        time = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"
        assert re.fullmatch(f"{time} {level} {name}: .*{message}", line), line
    assert "four" in records[3]
    assert "ZeroDivisionError: division by zero" in lines[lines.index(records[5]) - 1]
    assert len(records[5:]) == AT_ONCE


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
