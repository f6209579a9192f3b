"""The server's log: Python's `logging`, with a bound on what visitors can cause.

What a message or an error says of a visitor's cannot make a line that looks like another record:
line breaks of a message are written out, and the lines of a traceback are indented.

Bokeh and Tornado log what they cannot make sense of, with the content: a request for a page that is
not there, a message of 20 MB on a websocket. Each is cut here, and of messages from one place in
the code only a few are written, then one in a while with the number of those left out. So it is
with all messages together, so that there is a limit however different they are.
"""

from __future__ import annotations

import logging
import logging.config
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import param
from tornado.log import access_log
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from threading import ExceptHookArgs

MOST_LETTERS = 1000  # of a message
TRACEBACK_LETTERS = (4000, 2000)  # from its beginning and its end, where the error itself is
AT_ONCE = 10  # messages of one place, all of which are written
PAUSE = 300.0  # s until there may be one more of them
_MOST_PLACES = 1000
ALL_AT_ONCE = 500  # messages of all places together
ALL_PAUSE = 60.0  # s until there may be one more of them: 10 MB a day at most
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # could move a terminal's cursor
_PLAIN = logging.Formatter()
_LINE, _TIME = "%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S%z"
_LOG = logging.getLogger(__name__)


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


def log_to_stderr(level: str = "warning") -> None:
    """Have all loggers of this process write to standard error, bounded, and what else is printed.

    This includes Python's warnings, and errors in threads that are not joined.
    """
    param.parameterized.get_logger()  # makes its handler, and would make another if it had none
    handled = [name for name in logging.root.manager.loggerDict if logging.getLogger(name).handlers]
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": {"format": _LINE, "datefmt": _TIME}},
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
    line = _short(message, MOST_LETTERS, 0).replace("\n", "\\n")
    record.msg, record.args = f"{line}{more}", None
    if record.exc_info and not record.exc_text:
        record.exc_text = _PLAIN.formatException(record.exc_info)
    if record.exc_text:
        record.exc_text = _indented(record.exc_text)
    if record.stack_info:
        record.stack_info = _indented(record.stack_info)


def _indented(traceback: str) -> str:
    return "  " + "\n  ".join(_short(traceback, *TRACEBACK_LETTERS).splitlines())


def _short(text: str, first: int, last: int) -> str:
    if len(text) > first + last:
        text = f"{text[:first]} .. {len(text) - first - last} more .. {text[len(text) - last :]}"
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
