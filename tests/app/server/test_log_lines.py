"""Each record is one line, which no visitor's words can break."""

from __future__ import annotations

import json
import logging
import re

import pytest

from tests.processes import printed
from ucbpe_app.server.log_lines import JSONLines, TextLines

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


def test_a_line_has_time_level_logger_and_message() -> None:
    line = TextLines().format(record("%s %d", "GET /", 404))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ WARNING tornado.access: GET / 404", line)


def test_a_message_cannot_make_another_line() -> None:
    text = TextLines().format(record("%s", FORGED))
    assert text.count("\n") == 0
    assert "\\n2026" in text


def test_lines_of_a_traceback_are_indented(failed: ValueError) -> None:
    first, *others = TextLines().format(record("failed", error=failed)).splitlines()
    assert first.endswith("failed")
    assert len(others) > 3
    assert all(line.startswith("  ") for line in others)


def test_json_has_all_of_it_in_a_line(failed: ValueError) -> None:
    line = JSONLines().format(record("%s", FORGED, error=failed))
    assert line.count("\n") == 0
    said = json.loads(line)
    assert list(said) == ["time", "level", "logger", "message", "traceback"]
    assert (said["level"], said["logger"], said["message"]) == (
        "WARNING",
        "tornado.access",
        FORGED,
    )
    assert said["traceback"].startswith("Traceback")
    assert "traceback" not in json.loads(JSONLines().format(record("all is well")))


def test_whatever_would_be_printed_is_such_a_line() -> None:
    """Of loggers with handlers of their own, warnings of Python's, and threads that fail."""
    code = """
import json, logging, sys, threading, warnings
from ucbpe_app.server.log_lines import log_to_stderr
import panel, param
from ucbpe_app.server.logs import bound_logs
sys.stderr = sys.stdout
log_to_stderr("json", "warning")
bound_logs()
logging.getLogger("tornado.access").warning("one")
logging.getLogger("panel").warning("two")
param.parameterized.get_logger().warning("three")
logging.getLogger("tornado.access").info("not this")
warnings.warn("four")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
"""
    lines = [json.loads(line) for line in printed(code).splitlines()]
    assert [line["message"].split()[-1] for line in lines[:3]] == ["one", "two", "three"]
    assert "four" in lines[3]["message"]
    assert "ZeroDivisionError" in lines[4]["traceback"]
    assert len(lines) == 5
