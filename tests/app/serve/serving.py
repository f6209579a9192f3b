"""A server in a process of its own, and what it answers."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPMessage
from pathlib import Path
from typing import IO

from tornado.websocket import WebSocketClientConnection

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "ucbpe_app.cli", "app")
SECONDS = 180  # on a machine that is busy otherwise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Lab:
    """A server; `ask` may lie about its Host."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        self.port, self.process = port, process

    def ask(
        self, path: str, body: str = "", method: str = "GET", *, host: str = "", **headers: str
    ) -> tuple[int, HTTPMessage, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named | ({"Host": host} if host else {}))
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer.status, answer.headers, text

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(OSError):
                self.ask("/favicon.ico")
                return
            assert time.monotonic() < deadline, "expected a server that answers"
            time.sleep(0.1)


@contextlib.contextmanager
def serving(
    *options: str,
    command: Sequence[str] = COMMAND,
    port: int = 0,
    errors: IO[str] | None = None,
    **changed: str,
) -> Iterator[Lab]:
    """A server that a command starts, in an environment with `changed`; `errors` gets its log."""
    port = port or free_port()
    with subprocess.Popen(
        [*command, "--port", str(port), *options],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **changed},
    ) as process:  # fmt: skip
        lab = Lab(port, process)
        try:
            lab.wait()
            yield lab
        finally:
            process.kill()


def shut(connection: WebSocketClientConnection) -> None:
    """Close it now, without waiting for the server's farewell."""
    stream = None if connection.protocol is None else connection.protocol.stream
    connection.close()
    if stream is not None:
        stream.close()
