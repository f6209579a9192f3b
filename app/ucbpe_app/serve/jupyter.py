"""The laboratory behind a Jupyter server: what jupyter-server-proxy asks this package for."""

from __future__ import annotations

import sys
from typing import Any

NAME = "ucbpe"  # of the entry point, and of the path under which Jupyter offers it
_START_SECONDS = 60  # Panel imports slowly on a cold disk


def server() -> dict[str, Any]:
    """How to start `ucbpe app` for the user of a Jupyter server, and how it appears there.

    It listens on this machine alone. Jupyter lets in whom it knows; to the laboratory every request
    comes from there, whatever name the browser asked for. Without a port: where the browser's is
    the server's own, Panel takes a page under a path for one at the root.
    """
    command = [sys.executable, "-m", "ucbpe_app.cli", "app", "--address", "127.0.0.1"]
    return {
        "command": [*command, "--port", "{port}", "--prefix", "{base_url}" + NAME],
        "absolute_url": True,  # the laboratory knows its path
        "timeout": _START_SECONDS,
        "request_headers_override": {"Host": "localhost", "Origin": "http://localhost"},
        "new_browser_tab": True,
        "launcher_entry": {"title": "GP-UCB-PE laboratory", "path_info": NAME},
    }
