"""The app in other servers: a chapter in JupyterLab, the dashboard behind Jupyter, marimo.

Each where it is installed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from packaging.version import Version
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from tests.browser.conftest import START_SECONDS, Lab, Server, running
from tools import notebooks
from ucbpe_app.serve import jupyter as proxied

CHAPTER = "3-inside-a-batch"
RUN_SECONDS = 180  # of a chapter that takes ten, beside other tests on two cores


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab as `make notebooks` starts it, on a copy of the chapters, with new settings."""
    home = tmp_path_factory.mktemp("jupyter")
    chapters = shutil.copytree(notebooks.FOLDER, home / "notebooks")
    folders = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {name: str(home / name.lower()) for name in folders}
    environment["JUPYTERLAB_SETTINGS_DIR"] = environment["JUPYTERLAB_WORKSPACES_DIR"] = str(home)
    root = notebooks.FOLDER.parent  # this checkout, whichever one is installed
    environment["PYTHONPATH"] = os.pathsep.join([str(root), str(root / "app")])
    options = ("--no-browser", "--IdentityProvider.token=", f"--ServerApp.root_dir={chapters}")
    program = ("tools.notebooks", "lab")
    log = home / "log.txt"
    with running(log, *options, program=program, environment=environment) as server:
        yield server


@pytest.mark.slow
def test_a_chapter_runs_and_next_changes_the_picture(page: Page, jupyter: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 1600})
    lab = Lab(page, jupyter.url)
    page.goto(f"{jupyter.url}/lab/tree/{CHAPTER}.ipynb")
    expect(page.get_by_text(re.compile(r"\| Idle$"))).to_be_visible(timeout=60_000)  # the kernel
    _run_all(page)
    lesson = page.frame_locator("iframe.ucbpe-frame")
    after = lesson.get_by_role("button", name="Next event")
    expect(after).to_be_visible(timeout=1000 * RUN_SECONDS)
    expect(page.locator(".jp-Notebook")).to_contain_text(
        "Not answered yet", timeout=1000 * RUN_SECONDS
    )
    page.locator("iframe.ucbpe-frame").scroll_into_view_if_needed()
    picture = lesson.locator(".bk-Figure").first
    expect(picture).to_be_visible()
    expect(page.locator(".ucbpe-still")).to_be_hidden()  # the live one has taken its place

    place = lesson.get_by_role("status").filter(has_text=re.compile(r"^Batch 1 of 6, "))
    expect(place).to_have_text(re.compile("posterior after 4 observations"))
    before = picture.screenshot()
    after.click()
    expect(place).to_have_text(re.compile("UCB pick"))
    page.wait_for_timeout(500)  # until it is painted, which nothing in the page tells
    assert picture.screenshot() != before

    assert not _failures(jupyter, page)
    _without_its_kernel(page, jupyter)
    assert not lab.requests_that_left()


CELLS = (
    """from ucbpe_app import stepper
from ucbpe_core import GPUCBPE, problems, simulate

trace = simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=2, initial=3, seed=0)
shown = stepper(trace, "1.region")
shown""",
    "print('at', shown.frame.event.text)",
    "shown.go(7)",
)


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("anywidget"), reason="it is not installed")
def test_python_and_the_cell_share_the_event(page: Page, jupyter: Server) -> None:
    _opened(page, jupyter, "shared", *CELLS)
    _run_cell(page, 0)
    lesson = page.frame_locator("iframe.ucbpe-frame")
    expect(lesson.get_by_text("Event 3 of 12")).to_be_visible(timeout=60_000)
    lesson.get_by_role("button", name="Next event").click()
    expect(lesson.get_by_text("Event 4 of 12")).to_be_visible()
    page.wait_for_timeout(1_000)  # in which it reaches the kernel, which nothing on the page tells
    _run_cell(page, 1)
    expect(page.get_by_text("at 1.pick.1", exact=True)).to_be_visible()
    _run_cell(page, 2)
    expect(lesson.get_by_text("Event 8 of 12")).to_be_visible()


@pytest.mark.slow
def test_a_cell_shows_the_dashboard(page: Page, jupyter: Server) -> None:
    """Framed, from a process of the kernel, which steps it and ends with it."""
    _opened(page, jupyter, "dashboard", "from ucbpe_app import page\npage()")
    _run_cell(page, 0)
    dashboard = page.frame_locator("iframe[title='GP-UCB-PE laboratory']")
    status = dashboard.get_by_role("status").filter(has_text="Batch")
    before = status.inner_text(timeout=1000 * START_SECONDS)
    dashboard.get_by_role("button", name="Skip", exact=True).click()  # lesson 1 asks for a place
    expect(status).not_to_have_text(before)
    link = page.locator(".jp-OutputArea").get_by_role("link", name="http://127.0.0.1:")
    address = urlsplit(link.inner_text())
    with socket.create_connection((address.hostname, address.port)):
        _end_kernels(page, jupyter)
    for _ in range(100):
        with socket.socket() as tried:
            if tried.connect_ex((address.hostname, address.port)) == errno.ECONNREFUSED:
                return
        page.wait_for_timeout(100)
    pytest.fail("the dashboard goes on without its kernel")


def _opened(page: Page, jupyter: Server, name: str, *cells: str) -> None:
    """A new notebook of these cells, its kernel ready."""
    path = Path(jupyter.log.parent, "notebooks", f"{name}.ipynb")
    path.write_text(notebooks.written(notebooks.of_cells(*cells)), encoding="utf-8")
    page.set_viewport_size({"width": 1280, "height": 1600})
    page.goto(f"{jupyter.url}/lab/tree/{name}.ipynb?reset")
    expect(page.get_by_text(re.compile(r"\| Idle$"))).to_be_visible(timeout=60_000)


def _run_cell(page: Page, number: int) -> None:
    page.locator(".jp-CodeCell .jp-InputArea-editor").nth(number).click()
    page.keyboard.press("Shift+Enter")


def _token(page: Page) -> dict[str, str]:
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    return {"X-XSRFToken": cookies["_xsrf"]}


def _without_its_kernel(page: Page, jupyter: Server) -> None:
    """The saved notebook, opened again, has the run, and nothing that calls itself lost."""
    _end_kernels(page, jupyter)
    page.reload()
    lesson = page.frame_locator("iframe.ucbpe-frame").first
    after = lesson.get_by_role("button", name="Next event")
    expect(after).to_be_visible(timeout=60_000)
    expect(page.get_by_text("model not found")).to_have_count(0)
    page.locator("iframe.ucbpe-frame").first.scroll_into_view_if_needed()
    after.click()
    expect(lesson.get_by_text(re.compile(r"^event 2 of", re.IGNORECASE))).to_be_visible()


def _end_kernels(page: Page, jupyter: Server) -> None:
    sessions = f"{jupyter.url}/api/sessions"
    for session in page.request.get(sessions).json():
        assert page.request.delete(f"{sessions}/{session['id']}", headers=_token(page)).ok


def _run_all(page: Page) -> None:
    """Run every cell. JupyterLab drops what is asked before its kernel is ready: ask again then."""
    asked_for = page.locator(".jp-InputPrompt").filter(has_text=re.compile(r"\[(\*|\d+)\]")).first
    for _ in range(5):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        with contextlib.suppress(NotInTime):
            asked_for.wait_for(timeout=20_000)
            return
    pytest.fail("no cell runs")


def _failures(jupyter: Server, page: Page) -> list[str]:
    """Outputs of the saved notebook that are errors."""
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Save Notebook")).first.click()
    chapter = next(Path(jupyter.log.parent, "notebooks").glob(f"{CHAPTER}.ipynb"))
    for _ in range(100):
        page.wait_for_timeout(100)
        with contextlib.suppress(json.JSONDecodeError):  # while it is being written
            cells = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
            outputs = [one for cell in cells for one in cell.get("outputs", ())]
            if outputs:
                return [one["ename"] for one in outputs if one["output_type"] == "error"]
    pytest.fail("expected the saved notebook to have outputs, got none within 10 s")


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("jupyter_server_proxy"), reason="it is not installed")
def test_who_has_the_token_steps_and_nobody_else(page: Page, tmp_path: Path) -> None:
    assert Version(version("jupyter-server-proxy")) >= Version("4.4")
    # As the entry point has it, which an editable install of before does not know.
    (tmp_path / "jupyter_server_config.json").write_text(
        json.dumps({"ServerProxy": {"servers": {proxied.NAME: proxied.server()}}}),
        encoding="utf-8",
    )
    folders = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {name: str(tmp_path) for name in folders}
    options = ("--no-browser", "--allow-root", "--IdentityProvider.token=secret")
    base, log = "/user/ada/", tmp_path / "log.txt"
    options = (*options, f"--ServerApp.base_url={base}")
    program = ("jupyter_server",)
    with running(log, *options, program=program, environment=environment, path=base) as server:
        address = f"{server.url}{proxied.NAME}/"
        page.goto(address)
        assert "/login" in page.url
        lab = Lab(page, server.url)
        page.goto(f"{address}?token=secret&preset=start", timeout=1000 * START_SECONDS)
        lab.wait()
        status = page.get_by_role("status").filter(has_text="Batch")
        before = status.inner_text()
        page.keyboard.press("ArrowRight")
        expect(status).not_to_have_text(before)
        assert lab.errors == []
