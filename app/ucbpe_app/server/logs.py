"""The server's log: a line for each record, and a bound on what visitors can cause.

A line has the time, level, logger and message, as text or as JSON. What a message or an error says
of a visitor's cannot make a line that looks like another record: line breaks are written out, and
in text the lines of a traceback are indented.

Bokeh and Tornado log what they cannot make sense of, with the content: a request for a page that is
not there, a message of 20 MB on a websocket. Each is cut here, and of messages from one place in
the code only a few are written, then one in a while with the number of those left out. So it is
with all messages together, so that there is a limit however different they are.
"""

from __future__ import annotations

import json
import logging
import logging.config
import re
import threading
import time
import traceback
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import param
from bokeh.core.serialization import DeserializationError
from bokeh.server.views import ws as websocket
from tornado.log import access_log
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from threading import ExceptHookArgs

Format = Literal["text", "json"]

MOST_LETTERS = 1000  # of a message
TRACEBACK_LETTERS = (4000, 2000)  # from its beginning and its end, where the error itself stands
AT_ONCE = 10  # messages of one place, all of which are written
PAUSE = 300.0  # s until there may be one more of them
BRIEF = {"is_brief": True}  # the `extra` of a record whose error is one line, without its traceback
_MOST_FRAMES = 6
_MOST_PLACES = 1000
ALL_AT_ONCE = 500  # messages of all places together
ALL_PAUSE = 60.0  # s until there may be one more of them: 10 MB a day at most
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # could move a terminal's cursor
_PLAIN = logging.Formatter()
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_LOG = logging.getLogger(__name__)


class _Lines(logging.Formatter):
    """A time of day is that of Greenwich."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        return time.strftime(datefmt or _TIME, time.gmtime(record.created))


class TextLines(_Lines):
    """``2026-11-24T08:00:00Z WARNING tornado.access: message``, and its traceback indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")

    def format(self, record: logging.LogRecord) -> str:
        return "\n  ".join(super().format(record).splitlines())


class JSONLines(_Lines):
    """An object a line, with `time`, `level`, `logger`, `message` and, of an error, `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        raised = record.exc_text or (record.exc_info and self.formatException(record.exc_info))
        traceback = "\n".join(filter(None, (raised, record.stack_info)))
        return json.dumps({**entry, "traceback": traceback} if traceback else entry)


@dataclass
class _Place:
    """Messages of one place that may still be written, since when, and how many were left out."""

    left: float
    since: float
    omitted: int = 0

    def fill(self, most: int, pause: float, now: float) -> None:
        """Let there be one more for each pause since the last time."""
        self.left = min(most, self.left + (now - self.since) / pause)
        self.since = now


class LogLimits(logging.Filter):
    """Cuts long records and drops frequent ones; thread-safe.

    A place is the line that logs, with the kind of exception and the line that raised it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._places: OrderedDict[Hashable, _Place] = OrderedDict()
        self._all = _Place(ALL_AT_ONCE, clock())
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written; it is cut then.

        That a browser has left while it was being sent something is not: they all leave; nor that
        one was asked to wait.
        """
        if _is_usual(record):
            return False
        if "is_written" not in vars(record):  # it may come here once for each handler
            omitted = self._admit(_place(record))
            vars(record)["is_written"] = omitted is not None
            if omitted is not None:
                _cut(record, omitted)
        return bool(vars(record)["is_written"])

    def _admit(self, key: Hashable) -> int | None:
        """How many of the same place were left out since the last one; None: leave it out, too."""
        with self._lock:
            now = self._clock()
            place = self._places.setdefault(key, _Place(AT_ONCE, now))
            self._places.move_to_end(key)
            while len(self._places) > _MOST_PLACES:
                self._places.popitem(last=False)
            place.fill(AT_ONCE, PAUSE, now)
            self._all.fill(ALL_AT_ONCE, ALL_PAUSE, now)
            if place.left < 1 or self._all.left < 1:
                place.omitted += 1
                return None
            place.left -= 1
            self._all.left -= 1
            omitted, place.omitted = place.omitted, 0
            return omitted


BOUNDS = LogLimits()


def log_to_stderr(kind: Format = "text", level: str = "warning") -> None:
    """Have all loggers of this process write such lines, bounded, and what else would be printed.

    This includes Python's warnings, and errors in threads that are not joined.
    """
    param.parameterized.get_logger()  # makes its handler, and would make another if it had none
    handled = [name for name in logging.root.manager.loggerDict if logging.getLogger(name).handlers]
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": {"()": JSONLines if kind == "json" else TextLines}},
            "filters": {"bounds": {"()": lambda: BOUNDS}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "level": level.upper(),  # a library may have set its loggers to less
                    "formatter": "lines",
                    "filters": ["bounds"],
                }
            },
            "loggers": {name: {"handlers": ["stderr"], "propagate": False} for name in handled},
            "root": {"handlers": ["stderr"], "level": level.upper()},
        }
    )
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_error


def _log_error(error: ExceptHookArgs) -> None:
    if error.exc_value is not None and error.exc_type is not SystemExit:
        info = (error.exc_type, error.exc_value, error.exc_traceback)
        _LOG.error("a thread ended by an error", exc_info=info)


def bound_logs(bounds: LogLimits = BOUNDS) -> None:
    """Put every handler that there is under bounds, those of all loggers; again has no effect."""
    param.parameterized.get_logger()  # makes its handler
    for handler in dict.fromkeys(_handlers()):
        handler.addFilter(bounds)


def _handlers() -> Iterator[logging.Handler]:
    if logging.lastResort is not None:
        yield logging.lastResort
    yield from logging.getLogger().handlers
    for name in list(logging.root.manager.loggerDict):
        yield from logging.getLogger(name).handlers


def _is_usual(record: logging.LogRecord) -> bool:
    left = record.exc_info and isinstance(record.exc_info[1], WebSocketClosedError)
    asked_to_wait = record.name == access_log.name and str(record.args).startswith("(503,")
    return bool(left) or asked_to_wait


def _is_brief(record: logging.LogRecord) -> bool:
    """Whether its error is one line: so it is where a message of a browser could not be read."""
    error = record.exc_info and record.exc_info[1]
    unread = record.name == websocket.__name__ or isinstance(error, DeserializationError)
    return bool(error) and (unread or "is_brief" in vars(record))


def _place(record: logging.LogRecord) -> Hashable:
    raised: tuple[object, ...] = ()
    if record.exc_info and record.exc_info[0] is not None:
        trace = record.exc_info[2]
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = () if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        raised = (record.exc_info[0].__qualname__, *where)
    return (record.pathname, record.lineno, *raised)


def _cut(record: logging.LogRecord, omitted: int) -> None:
    """Make its text short and harmless."""
    try:
        message = record.getMessage()
    except (TypeError, ValueError):  # arguments that do not fit: logging says so, with all of them
        message = f"{record.msg} (its arguments do not fit)"
    more = f" ({omitted} like this were left out)" if omitted else ""
    record.msg, record.args = f"{_short(message, MOST_LETTERS, 0)}{more}", None
    if record.exc_info and record.exc_info[1] and _is_brief(record):
        record.msg += f": {_in_a_line(record.exc_info[1])}"
        record.exc_info = record.exc_text = None
    if record.exc_info and not record.exc_text:
        record.exc_text = _PLAIN.formatException(record.exc_info)
    if record.exc_text:
        record.exc_text = _short(record.exc_text, *TRACEBACK_LETTERS)
    if record.stack_info:
        record.stack_info = _short(record.stack_info, *TRACEBACK_LETTERS)


def _in_a_line(error: BaseException) -> str:
    """What an error says, and the lines that led to it, the last first."""
    frames = traceback.extract_tb(error.__traceback__)[: -_MOST_FRAMES - 1 : -1]
    places = ", ".join(f"{Path(one.filename).name}:{one.lineno}" for one in frames)
    return _short(f"{type(error).__name__}: {error}", MOST_LETTERS, 0) + f" (in {places})"


def _short(text: str, first: int, last: int) -> str:
    if len(text) > first + last:
        text = f"{text[:first]} .. {len(text) - first - last} more .. {text[len(text) - last :]}"
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
