"""A wire between browser and server that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

_CHUNK = 65536


class Wire:
    """Forwards connections.

    `cut` ends all of them and refuses others, `hold` keeps all of them waiting, until `restore`.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._target = 0
        self._whole = True
        self._passing = threading.Event()
        self._passing.set()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def lead_to(self, url: str) -> None:
        """Forward to the server at this address from now on."""
        self._target = urlsplit(url).port or 80
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Pass nothing on from now until `restore`, and end nothing: nobody is told."""
        self._passing.clear()

    def cut(self) -> None:
        """End all connections."""
        with self._lock:
            self._whole = False
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def restore(self) -> None:
        """Let connections through again."""
        self._passing.set()
        with self._lock:
            self._whole = True

    def close(self) -> None:
        """Cut for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if not self._whole:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
                self._open |= {near, far}
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                self._passing.wait()
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._open -= {source}
        source.close()


@contextlib.contextmanager
def wire() -> Iterator[Wire]:
    """A wire, cut in the end."""
    made = Wire()
    try:
        yield made
    finally:
        made.close()
