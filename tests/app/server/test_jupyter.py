"""What jupyter-server-proxy is told starts the dashboard, where it says."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tomllib
from pathlib import Path

from ucbpe_app.commands import dashboard
from ucbpe_app.server import jupyter

ROOT = Path(__file__).parents[3]
GROUP = "jupyter_serverproxy_servers"


def test_the_entry_point_is_that_function() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"][GROUP] == {jupyter.NAME: f"{jupyter.__name__}:server"}


def test_the_command_is_understood_for_any_user_of_a_hub() -> None:
    told = jupyter.server()
    for base in ("/", "/user/ada/", "/hub/user/ada.l-1/"):
        python, dash, module, name, *texts = [
            text.replace("{port}", "5123").replace("{base_url}", base) for text in told["command"]
        ]
        assert (python, dash, name) == (sys.executable, "-m", "app")
        assert importlib.util.find_spec(module)
        parser = argparse.ArgumentParser(exit_on_error=False)
        dashboard.add_arguments(parser)
        options = parser.parse_args(texts)
        assert (options.port, options.address) == (5123, "127.0.0.1")
        assert options.prefix == f"{base}{jupyter.NAME}"
    assert told["absolute_url"] is True
    assert set(told["request_headers_override"]) == {"Host", "Origin"}
