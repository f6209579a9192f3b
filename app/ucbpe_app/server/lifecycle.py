"""How a server ends, and what it reports to its operator and its visitors before."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import TYPE_CHECKING

from bokeh.document.events import MessageSentEvent
from tornado.web import RequestHandler

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.document import Document
    from bokeh.server.tornado import BokehTornado
    from tornado.ioloop import IOLoop

STOPPING = "ucbpe-stopping"  # the message that connection.js expects
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_NOTICE = 0.3  # s between the message and the end


class Lifecycle:
    """Whether new visitors may be sent to a server."""

    def __init__(self) -> None:
        self.ready = True

    def stop(self, application: BokehTornado, loop: IOLoop) -> None:
        """Report not ready, notify the visitors who are there, and stop `loop`."""
        if not self.ready:
            return
        self.ready = False
        loop.call_later(_NOTICE, loop.stop)
        for path in application.app_paths:
            for session in application.get_sessions(path):
                loop.add_callback(session.with_document_locked, partial(_tell, session.document))


def _tell(document: Document) -> None:
    document.callbacks.trigger_on_change(MessageSentEvent(document, STOPPING, ""))


class ParentWatchdog:
    """A pipe that ties the workers to their parent.

    Only the parent keeps the writing end. When it closes it (on SIGINT or SIGTERM), or dies in
    any way, SIGKILL included, every worker reads the end of the file and stops. Signalling the
    parent alone would otherwise orphan the workers, which would keep the port.
    """

    def __init__(self) -> None:
        self._read, write = os.pipe()
        self._write: int | None = write
        for number in _SIGNALS:
            signal.signal(number, self._let_go)

    def _let_go(self, *_: object) -> None:
        # The parent itself ends when its workers have. A second signal finds nothing to close.
        write, self._write = self._write, None
        if write is not None:
            os.close(write)

    def hold(self, loop: IOLoop, stop: Callable[[], None]) -> None:
        """In a worker: `stop` when the parent lets go."""
        self._let_go()
        loop.add_handler(self._read, lambda *_: stop(), loop.READ)


def stop_on_signal(loop: IOLoop, stop: Callable[[], None]) -> None:
    """Have a first SIGINT or SIGTERM call `stop` on the loop, and a second end the process."""

    def on_signal(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second Ctrl-C need not wait for a computation
        loop.add_callback_from_signal(stop)

    for number in _SIGNALS:
        signal.signal(number, on_signal)


class Health(RequestHandler):
    """``/health``: 200 as long as the server answers at all."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.write("ok\n")

    def head(self) -> None:
        self.get()


class Ready(Health):
    """``/ready``: 200 while visitors may be sent here, 503 once the server is being stopped."""

    def initialize(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    def get(self) -> None:
        super().get()
        if not self._lifecycle.ready:
            self.clear()
            self.set_status(503)
            self.finish("stopping\n")
