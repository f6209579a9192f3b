"""The dashboard in a notebook's cell: a frame of a server that the kernel starts, and that ends
with it.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, Self

from ucbpe_app.html import Html
from ucbpe_app.serve.serve import Access, CannotListenError, serve
from ucbpe_core.support.optional import install

_LOCAL = "127.0.0.1"
# The kernel does not know the notebook's port.
_NOTEBOOKS = ("http://localhost:*", f"http://{_LOCAL}:*")
_START_SECONDS = 120  # Panel imports slowly on a cold disk
_CELL = Html("""\
<iframe src="{url}" title="GP-UCB-PE laboratory" allow="clipboard-write" \
style="width: 100%; height: 800px; border: 1px solid #bbb"></iframe>
<p>The dashboard is at <a href="{url}" target="_blank">{url}</a> while this kernel runs. No \
dashboard above? It shows where Jupyter is at localhost or {local}, on the computer of this \
browser. Elsewhere, <code>{install}</code> and open it from Jupyter's launcher.</p>""")


@dataclass(frozen=True)
class Framed:
    """What a cell shows: the dashboard at `url`, and what to do where it does not show."""

    url: str

    def servable(self) -> Self:
        """Itself, for a notebook that `panel serve` also serves."""
        return self

    def _repr_html_(self) -> str:
        return _CELL.format(url=self.url, local=_LOCAL, install=install("jupyterhub"))


def framed(page: Callable[[], Any]) -> Framed:
    """A frame of `page`, a function of a module, served by another process: one for each kernel.

    Raises
    ------
    CannotListenError
        If it does not start.
    """
    process, url = _started(page)
    until = time.monotonic() + _START_SECONDS
    while process.is_alive() and time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/ready", timeout=10):
                return Framed(url)
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.1)
    process.terminate()
    _started.cache_clear()
    raise CannotListenError(
        f"expected a dashboard at {url}, which this kernel started, got no answer; "
        "run the cell again, or run `ucbpe app` in a terminal and open the address that it says"
    )


@cache
def _started(page: Callable[[], Any]) -> tuple[BaseProcess, str]:
    with socket.socket() as free:
        free.bind((_LOCAL, 0))
        port: int = free.getsockname()[1]
    # Forked, it would have the kernel's sockets.
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(page, port), daemon=True
    )
    process.start()
    return process, f"http://{_LOCAL}:{port}"


def _serve(page: Callable[[], Any], port: int) -> NoReturn:
    os.setsid()  # to interrupt the kernel is not to stop the dashboard
    threading.Thread(target=_end_with_kernel, daemon=True).start()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):  # else what it logs appears in whatever cell runs
        os.dup2(nowhere, stream)
    serve(page, port=port, address=_LOCAL, access=Access(frames=_NOTEBOOKS), num_procs=1)


def _end_with_kernel() -> None:
    kernel = multiprocessing.parent_process()
    if kernel is not None:
        wait([kernel.sentinel])
        os._exit(0)
