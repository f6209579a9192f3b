"""The command line in its own process: one line when ready, one line and 2 when it cannot be."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib

import pytest

from tests.app.serve.serving import COMMAND, ROOT, SECONDS, serving
from ucbpe_app.cli import main
from ucbpe_app.commands import dashboard
from ucbpe_app.serve import jupyter


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def refused(*options: str) -> str:
    done = subprocess.run(
        [*COMMAND, *options], cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.mark.parametrize(
    ("processes", "number"),
    [
        (2, signal.SIGTERM),
        (1, signal.SIGHUP),  # its terminal was closed
        pytest.param(1, signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(2, signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_a_signal_to_the_parent_alone_stops_everything(
    processes: int, number: signal.Signals
) -> None:
    with serving("--num-procs", str(processes)) as lab:
        lab.process.send_signal(number)
        assert lab.process.wait(SECONDS) == 0
        assert lab.process.stdout is not None
        said = lab.process.stdout.read()
    assert said == f"GP-UCB-PE laboratory: http://127.0.0.1:{lab.port}\n"
    assert not listening(lab.port)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="several processes need fork")
def test_workers_do_not_outlive_a_parent_that_was_killed():
    with serving("--num-procs", "2") as lab:
        lab.process.kill()
        lab.process.wait(SECONDS)
    deadline = time.monotonic() + SECONDS
    while listening(lab.port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not listening(lab.port)


@pytest.mark.parametrize("processes", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_port_in_use_is_one_clear_line(processes):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused("--port", str(port), "--num-procs", processes)
    assert said.count("\n") == 1
    assert f"expected a free port, got 127.0.0.1:{port}, which is in use" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "0"], "expected a port from 1 to 65535, got '0'"),
        (["--num-procs", "none"], "expected a number of at least 1, got 'none'"),
        (["--address", "::1"], "expected a host name or an IPv4 address, got '::1'"),
    ],
)
def test_bad_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["app", *options])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "192.0.2.1"], "expected an address of this machine, got '192.0.2.1'"),
        (["--allow-websocket-origin", "host:port"], "expected HOST or HOST:PORT"),
    ],
)
def test_where_it_cannot_listen(options: list[str], message: str) -> None:
    assert message in refused(*options)


def test_jupyter_is_told_of_that_function() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["jupyter_serverproxy_servers"] == {
        jupyter.NAME: f"{jupyter.__name__}:server"
    }


def test_the_command_for_jupyter_is_understood_for_any_user_of_a_hub() -> None:
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
