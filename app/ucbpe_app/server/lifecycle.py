"""What a server reports to its operator, and to its visitors before it ends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bokeh.document.events import MessageSentEvent
from tornado.web import RequestHandler

if TYPE_CHECKING:
    from bokeh.document import Document
    from bokeh.server.tornado import BokehTornado
    from tornado.ioloop import IOLoop

STOPPING = "ucbpe-stopping"  # the message that connection.js expects
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
