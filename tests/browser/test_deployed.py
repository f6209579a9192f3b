"""As others run it: behind a proxy under a path, in a course system's frame, with signing in."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.browser.conftest import PATIENCE, START_SECONDS, VIEWPORT, Lab, free_port, running
from tests.browser.test_connection import BACK, is_loaded_again, proposes
from tests.browser.test_export import Dialog
from tests.browser.test_problem import holds
from tests.browser.test_study import QUERY, until
from tests.processes import read_only, until_it_listens

pytestmark = pytest.mark.slow


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve the files of a folder; gives the port."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
PREFIX = "/courses/lab"
CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};
  fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
  map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}
  server {{
    listen 127.0.0.1:{port};
    location {prefix}/ {{
      proxy_pass {upstream}/;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(folder: Path, upstream: str) -> Iterator[str]:
    """The address of a proxy to `upstream`."""
    port = free_port()
    file = folder / "nginx.conf"
    text = CONFIGURATION.format(folder=folder, port=port, prefix=PREFIX, upstream=upstream)
    file.write_text(text, encoding="utf-8")
    with subprocess.Popen([str(NGINX), "-c", str(file), "-p", str(folder)]) as process:
        try:
            until_it_listens(process, port, START_SECONDS, folder / "error.log")
            yield f"http://127.0.0.1:{port}{PREFIX}"
        finally:
            process.terminate()


def steps(page: Page) -> None:
    """The page is drawn, and a step is answered."""
    event = page.get_by_label("Event", exact=True)
    expect(event).to_have_value("0")
    page.get_by_role("button", name="Next event").click()
    expect(event).to_have_value("1")
    page.keyboard.press("ArrowRight")
    expect(event).to_have_value("2")
    expect(page.get_by_role("region", name="Why this point")).to_be_visible()


def workers_of(port: str) -> list[psutil.Process]:
    """The processes of the server at that port, without their parent."""
    servers = [
        one for one in psutil.process_iter(["cmdline"]) if port in (one.info["cmdline"] or ())
    ]
    return [one for one in servers if one.parent() in servers]


@pytest.mark.skipif(NGINX is None, reason="needs nginx")
def test_behind_nginx_under_a_path_with_two_processes(page: Page, tmp_path: Path) -> None:
    """One that is killed is replaced; its visitors are with another one, at the same place."""
    served = running(tmp_path / "log", "--num-procs", "2", prefix=PREFIX)
    with served as server, nginx(tmp_path, server.url) as url:
        lab = Lab(page, url)
        lab.open()
        with page.expect_navigation():
            page.get_by_role("link", name="Theory").click()
        lab.wait()
        assert page.url.startswith(f"{url}/?page=theory")
        lab.open("?preset=start&predict=off")
        steps(page)
        assert not lab.errors
        assert all(PREFIX in one for one in lab.requests if one.startswith("http"))
        expect(page).to_have_url(re.compile(r"event=1\.region"))  # the place to come back to
        port = server.url.split(":")[2].split("/")[0]
        for worker in workers_of(port):
            worker.kill()
        expect(page.get_by_text(BACK)).to_be_visible()
        expect(page.get_by_label("Event", exact=True)).to_have_value("2")
        assert len(workers_of(port)) == 2


@contextlib.contextmanager
def around(folder: Path, address: str) -> Iterator[str]:
    """A page of another origin that shows an address in a frame."""
    (folder / "index.html").write_text(
        f'<!DOCTYPE html><title>Course</title><iframe src="{address}" allow="clipboard-write" '
        'style="width: 1300px; height: 800px"></iframe>',
        encoding="utf-8",
    )
    with served(folder) as port:
        yield f"http://localhost:{port}"


def test_visitors_are_told_before_the_server_ends(page: Page, tmp_path: Path) -> None:
    """And an experiment is as it was once there is a server again, with what was typed."""
    port = free_port()
    told = "The server is being restarted"
    with running(tmp_path / "log", port=port) as server:
        Lab(page, server.url).open("?preset=start&predict=off")
        steps(page)
        person = proposes(page.context.new_page(), server.url)
        page.bring_to_front()
    expect(page.get_by_role("alert")).to_contain_text(told)
    expect(person.page.get_by_role("alert").filter(visible=True)).to_contain_text(told)
    with running(tmp_path / "log", port=port):
        expect(page.get_by_text(BACK)).to_be_visible()
        expect(page.get_by_label("Event", exact=True)).to_have_value("2")
        is_loaded_again(person.page)
        person.sees("3 results outstanding; 5 measurements")
        expect(person.result("1 · x²")).to_have_value("66.5")
        person.press("Record 1 result")
        person.sees("2 results outstanding; 6 measurements")
        assert not person.dialogs


def test_an_experiment_in_a_frame(
    playwright: Playwright, browser_type_launch_args: dict, tmp_path: Path
) -> None:
    """A browser keeps for a frame other things than for the same page by itself.

    The frame has its experiment back after a reload, by itself where its address is kept.
    """
    port = free_port()
    # Playwright has storages not kept apart; of such options the last one holds.
    apart = [*browser_type_launch_args["args"], "--disable-features=MediaRouter"]
    (tmp_path / "course").mkdir()
    address = f"http://127.0.0.1:{port}/?page=problem"
    with (
        around(tmp_path / "course", address) as url,
        running(tmp_path / "log", "--frame-ancestor", url, port=port),
        playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"),
            **{**browser_type_launch_args, "args": apart},
            viewport=VIEWPORT,
        ) as context,
    ):
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(url)
        frame = page.frames[1]
        frame.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        for name in ("Example: Four measured so far", "Run an experiment", "Propose 4 rows"):
            frame.get_by_role("button", name=name, exact=True).filter(visible=True).click()
        expect(frame.get_by_text("4 results outstanding").first).to_be_visible()
        expect(frame.get_by_text("A copy is in this browser")).to_be_visible()
        holds(frame, entries=3)
        page.on("dialog", lambda dialog: dialog.accept())
        frame.evaluate("window.before = true; setTimeout(() => location.reload())")
        frame.wait_for_function("!window.before && window.Bokeh?.documents[0]?.is_idle")
        expect(frame.get_by_text("4 results outstanding").first).to_be_visible()
        page.reload()  # the frame has the address that the course page gives it
        frame = page.frames[1]
        frame.get_by_role("button", name="Resume: Extraction").click()
        expect(frame.get_by_text("4 results outstanding").first).to_be_visible()
        alone = context.new_page()
        Lab(alone, f"http://127.0.0.1:{port}").open("?page=problem")
        expect(alone.get_by_role("button", name="Example: Four measured so far")).to_be_visible()
        expect(alone.get_by_role("button", name="Resume: Extraction")).to_have_count(0)


def test_from_a_file_system_that_is_read_only(page: Page, tmp_path: Path) -> None:
    """A step, a picture and a study, each of which needs something written in other places."""
    with running(tmp_path / "log", within=read_only()) as server:
        lab = Lab(page, server.url)
        lab.open("?preset=start&predict=off")
        steps(page)
        dialog = Dialog(page)
        dialog.opener.click()
        assert dialog.saved("PNG", tmp_path).stat().st_size > 1000
        lab.open(f"?{QUERY}")
        page.get_by_role("button", name="Run study", exact=True).click()
        until(page, 1)
        assert not lab.errors
