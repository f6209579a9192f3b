"""One line of the log for each record: its time, level, logger and message, as text or as JSON.

What a message or an error says of a visitor's cannot make a line that looks like another record:
line breaks are written out, and in text the lines of a traceback are indented.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from typing import TYPE_CHECKING, Literal

import param

if TYPE_CHECKING:
    from threading import ExceptHookArgs

Format = Literal["text", "json"]

_LOG = logging.getLogger(__name__)


class TextLines(logging.Formatter):
    """``2026-11-24T08:00:00Z WARNING tornado.access: message``, and its traceback indented."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        head = f"{_time(record)} {record.levelname} {record.name}: {said}"
        more = _traceback(self, record).splitlines()
        return "\n".join([head, *(f"  {line}" for line in more)])


class JSONLines(logging.Formatter):
    """An object a line, with `time`, `level`, `logger`, `message` and, of an error, `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        traceback = _traceback(self, record)
        return json.dumps({**said, "traceback": traceback} if traceback else said)


def log_to_stderr(kind: Format = "text", level: str = "warning") -> None:
    """Have all loggers of this process write such lines, and what else would be printed, too.

    This includes Python's warnings, and errors in threads that are not joined.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JSONLines() if kind == "json" else TextLines())
    handler.setLevel(level.upper())  # a library may have set its loggers to less
    param.parameterized.get_logger()  # makes its handler, and would make another if it had none
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if logger.handlers:
            logger.handlers[:], logger.propagate = [handler], False
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level.upper())
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_error


def _log_error(error: ExceptHookArgs) -> None:
    if error.exc_value is not None and error.exc_type is not SystemExit:
        info = (error.exc_type, error.exc_value, error.exc_traceback)
        _LOG.error("a thread ended by an error", exc_info=info)


def _time(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    parts = [record.exc_text or "", record.stack_info or ""]
    if record.exc_info and not record.exc_text:
        parts[0] = formatter.formatException(record.exc_info)
    return "\n".join(filter(None, parts))
