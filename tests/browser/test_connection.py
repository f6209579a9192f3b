"""A connection that is lost, and a server that was restarted: said, stopped, and come back from."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, START_SECONDS, Lab
from tests.browser.student import Student
from tests.browser.test_problem import Person, holds
from tests.browser.wire import Wire, wire
from ucbpe_app.run.cache import load

PATIENCE = 90_000  # ms; a server that has just started makes its first page slowly
LOST, BACK = "Connection lost. Reconnecting…", "Connected again"


@pytest.fixture(autouse=True)
def whole(line: Wire, server: str) -> None:
    """The wire leads to a dashboard that runs."""
    line.restore()


def is_stopped(page: Page) -> None:
    """The page says so, and its pictures are grey."""
    expect(page.get_by_role("alert").filter(has_text=LOST)).to_be_visible(timeout=PATIENCE)
    part = page.locator(".lab-pictures, .lab-workbench-step").first
    assert "grayscale" in part.evaluate("node => getComputedStyle(node).filter")


def cut(page: Page, line: Wire) -> None:
    """Cut the wire, and wait until the page has asked for the server in vain."""
    with page.expect_event("requestfailed"):
        line.cut()
        is_stopped(page)


def comes_back(page: Page) -> None:
    expect(page.get_by_text(BACK)).to_be_visible(timeout=PATIENCE)
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")


def drop(page: Page, line: Wire) -> None:
    cut(page, line)
    line.restore()
    comes_back(page)


def test_a_drop_leaves_step_where_it_was(line: Wire, page: Page) -> None:
    student = Student(Lab(page, line.url), "start")
    student.type("Lengthscale", "0.3")
    replay = load(replace(student.spec, lengthscale=0.3))
    student.sees(0, replay)
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    student.sees(10, replay)
    cut(page, line)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    student.button("Next batch").click(force=True)
    expect(page.get_by_label("Event", exact=True)).to_have_value("10")
    line.restore()
    comes_back(page)
    student.sees(10, replay)
    expect(page.get_by_label("Lengthscale", exact=True)).to_have_value("0.3")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    student.sees(11, replay)


@pytest.mark.slow
def test_a_drop_on_race_study_and_theory(line: Wire, page: Page) -> None:
    lab = Lab(page, line.url)
    lab.open("?page=race&preset=start&event=1.observe&T=6")
    place = page.get_by_label("Place in the race", exact=True)
    expect(place).to_have_value("1")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_contain_text("After batch 2 of 6")
    drop(page, line)
    expect(page.get_by_role("status")).to_contain_text("After batch 2 of 6")
    for name in ("study", "theory"):
        lab.open(f"?page={name}")
        drop(page, line)
        expect(page.get_by_role("button", name="Copy link")).to_be_visible()


@pytest.mark.slow
def test_a_drop_resumes_the_experiment_on_screen(line: Wire, page: Page) -> None:
    Lab(page, line.url).open("?page=problem")
    person = Person(page)
    person.proposes_four()
    proposed = person.candidates()
    person.result("1 · x¹").fill("55")
    person.result("1 · x¹").press("Tab")
    person.sees("A copy is in this browser")
    drop(page, line)
    person.sees("4 results outstanding")
    assert person.candidates() == proposed
    expect(person.result("1 · x¹")).to_have_value("55")
    # Lost again before the experiment is there, it is there in the end all the same.
    line.cut()
    is_stopped(page)
    line.restore()
    expect(page.get_by_text(BACK)).to_be_visible(timeout=PATIENCE)
    drop(page, line)
    person.sees("4 results outstanding")
    expect(person.result("1 · x¹")).to_have_value("55")
    person.press("Record 1 result")
    person.sees("3 results outstanding")
    person.sees("changes not in a file")
    person.saved()
    person.sees("Saved at")
    drop(page, line)
    person.sees("3 results outstanding")
    person.sees("Saved at")
    assert not person.dialogs


@pytest.mark.slow
def test_what_arrives_before_the_page_is_loaded_again_is_resumed(line: Wire, page: Page) -> None:
    """The server's answer to what was on its way when the connection was lost."""
    Lab(page, line.url).open("?page=problem")
    person = Person(page)
    person.proposes_four()
    kept = page.evaluate_handle(
        """() => {
          const kept = []
          window.dispatchEvent(new CustomEvent("ucbpe-return", {detail: kept}))
          return Promise.all(kept)
        }"""
    )
    assert all(kept.json_value())
    person.result("1 · x¹").fill("55")
    person.press("Record 1 result")
    person.sees("3 results outstanding")
    holds(page, entries=4)
    page.reload()
    person.sees("3 results outstanding")
    assert not person.dialogs


@pytest.mark.slow
def test_an_experiment_that_is_kept_nowhere_stays_on_screen(line: Wire, page: Page) -> None:
    page.add_init_script("indexedDB.open = () => { throw new Error('denied') }")
    Lab(page, line.url).open("?page=problem")
    person = Person(page)
    person.proposes_four()
    person.sees("This browser keeps no copy")
    cut(page, line)
    line.restore()
    expect(page.get_by_role("alert").filter(has_text="keeps no copy of your")).to_be_visible()
    person.sees("4 results outstanding")


class Restartable:
    """A dashboard that can be killed, and started again where it was."""

    def __init__(self, port: int, log: Path) -> None:
        self.url, self._log = f"http://127.0.0.1:{port}", log
        self._command = [sys.executable, "-m", "ucbpe_app.cli", "app", "--port", str(port)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as stream:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=dict(os.environ), stdout=stream, stderr=stream
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/static/js/bokeh.min.js", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        pytest.fail(f"the server does not answer: {self._log.read_text()}")

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process is not None:
            self.send(signal.SIGKILL)
            self._process.wait()
            self._process = None


@pytest.fixture
def restartable(tmp_path: Path) -> Iterator[Restartable]:
    with wire() as line:  # for a free port
        port = line.port
    server = Restartable(port, tmp_path / "log.txt")
    server.start()
    yield server
    server.kill()


@pytest.mark.slow
def test_a_restarted_server_shows_the_same_moment(restartable: Restartable, page: Page) -> None:
    student = Student(Lab(page, restartable.url), "start")
    student.open_menu("Show")
    student.button("Log regret").click()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    student.sees(7)
    restartable.kill()
    is_stopped(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Event", exact=True)).to_have_value("7")
    restartable.start()
    expect(page.get_by_text(BACK)).to_be_visible(timeout=PATIENCE)
    student.sees(7)
    student.open_menu("Show")
    expect(student.button("Log regret")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    student.sees(8)
