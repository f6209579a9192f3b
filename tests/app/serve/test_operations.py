"""What whoever runs a server can set and ask: headers, health, a prefix, who is let in."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from http.client import HTTPMessage

import pytest

from tests.app.serve.serving import COMMAND, ROOT, SECONDS, Lab, free_port, serving
from tests.processes import read_only
from ucbpe_app.cli import main

COURSE = "https://course.example.org"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with serving() as lab:
        yield lab


def directives(headers: HTTPMessage) -> dict[str, str]:
    policy = headers["Content-Security-Policy"]
    return dict(one.strip().split(" ", 1) for one in policy.split(";"))


@pytest.mark.parametrize("path", ["/", "/static/js/bokeh.min.js", "/nothing", "/health"])
def test_every_answer_is_protected(lab: Lab, path: str) -> None:
    _, headers, _ = lab.ask(path)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    policy = directives(headers)
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert "unsafe-inline" not in policy["script-src"]
    assert policy["connect-src"].split()[2:] == [
        f"ws://127.0.0.1:{lab.port}",
        f"wss://127.0.0.1:{lab.port}",
    ]


def test_only_the_pages_own_scripts_are_run(lab: Lab) -> None:
    nonces = set()
    for _ in range(2):
        status, headers, page = lab.ask("/")
        assert status == 200
        (nonce,) = re.findall(r"'nonce-([\w-]+)'", directives(headers)["script-src"])
        tags = re.findall(r"<script\b[^>]*>", page)
        assert tags
        assert all(f'nonce="{nonce}"' in tag for tag in tags)
        assert page.rstrip().endswith("</html>")
        nonces.add(nonce)
    assert len(nonces) == 2


@pytest.mark.parametrize("letter", ["%00", "%0a", "%0D", "%1f", "%7F"])
@pytest.mark.parametrize(
    "folder", ["/", "/static/js/", "/static/js/bokeh.min.js/", "/static/extensions/panel/"]
)
def test_a_path_that_no_file_can_have_is_refused(lab: Lab, folder: str, letter: str) -> None:
    for method in ("GET", "HEAD"):
        status, headers, _ = lab.ask(f"{folder}a{letter}b", method=method)
        assert status == 400
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_prefix_a_frame_and_readiness_that_ends_before_the_server_does() -> None:
    with serving("--prefix", "/courses/lab", "--frame-ancestor", COURSE) as lab:
        status, headers, page = lab.ask("/courses/lab/")
        assert status == 200
        assert directives(headers)["frame-ancestors"] == f"'self' {COURSE}"
        assert lab.ask("/")[0] == 404
        assert lab.ask("/courses/lab/health")[0] == 200
        for path in ("/health", "/ready"):  # a container's check knows no prefix
            status, headers, text = lab.ask(path)
            assert (status, text) == (200, "ok\n")
            assert headers["Cache-Control"] == "no-store"
        sources = re.findall(r'<script[^>]* src="([^"]+)"', page)
        for source in sources:
            path = source if source.startswith("/") else f"/courses/lab/{source}"
            assert lab.ask(path)[0] == 200, source

        lab.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + SECONDS
        while (status := lab.ask("/ready")[0]) == 200:
            assert time.monotonic() < deadline
        assert status == 503
        assert lab.ask("/health")[0] == 200
        assert lab.process.wait(SECONDS) == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--prefix", "lab"),
        ("--prefix", "/a b"),
        ("--frame-ancestor", "course; script-src *"),
    ],
)
def test_what_would_spoil_a_header_or_a_path_is_refused(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["app", "--port", str(free_port()), option, value])
    assert end.value.code == 2
    assert option in capsys.readouterr().err


def test_a_file_of_users_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """To Panel its path would be everybody's password."""
    assert main(["app", "--port", str(free_port()), "--basic-auth", "no-such-file.json"]) == 2
    assert "no-such-file.json" in capsys.readouterr().err


@pytest.mark.slow
def test_without_memory_to_write_to_either_it_says_what_is_missing() -> None:
    done = subprocess.run(
        [*read_only(memory=False), *COMMAND, "--port", str(free_port())],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 2
    assert "expected a folder for temporary files; got" in done.stderr
    assert "set TMPDIR" in done.stderr
