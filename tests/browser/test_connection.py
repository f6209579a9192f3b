"""Whatever happens to server or network: a page shows what a fresh one shows, or says so.

What happens in the browser, or in another one, is in test_faults.py.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE, ROOT, Lab, Server, free_port, until_it_answers
from tests.browser.fresh import shows, still
from tests.browser.student import Student
from tests.browser.test_problem import Person
from tests.browser.wire import Wire
from ucbpe_app.run.cache import load

LOST, BACK = "Connection lost. Reconnecting…", "Connected again"
ADDRESSES = {
    "step": "?preset=start&event=2.pick.1",
    "race": "?page=race&preset=start&event=1.observe&T=6",
    "study": "?page=study",
    "theory": "?page=theory&preset=start",
}


@pytest.fixture(autouse=True)
def whole(line: Wire, server: str) -> Iterator[None]:
    """The wire leads to a dashboard that runs, and does so again afterwards."""
    line.restore()
    yield
    line.restore()


def is_stopped(page: Page) -> None:
    """The page says so, and its pictures are grey."""
    expect(page.get_by_role("alert").filter(has_text=LOST)).to_be_visible()
    part = page.locator(".lab-pictures, .lab-body, .wide-body, .lab-workbench-step").first
    assert "grayscale" in part.evaluate("node => getComputedStyle(node).filter")


def cut(page: Page, line: Wire) -> None:
    """Cut the wire, and wait until the page has asked for the server in vain."""
    with page.expect_event("requestfailed"):
        line.cut()
        is_stopped(page)


def comes_back(page: Page) -> None:
    expect(page.get_by_text(BACK)).to_be_visible()
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")


def drop(page: Page, line: Wire) -> None:
    cut(page, line)
    line.restore()
    comes_back(page)


def is_drawn(page: Page) -> None:
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    expect(page.get_by_role("progressbar").filter(visible=True)).to_have_count(0)


def opened(page: Page, url: str, query: str) -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/{query}")
    is_drawn(page)
    if query == ADDRESSES["step"]:  # a page shows its first lesson before it opens its address
        expect(page.get_by_label("Event", exact=True)).to_have_value("10")
    page.evaluate("() => { window.before = true }")
    return page


def is_loaded_again(page: Page) -> None:
    """Since it was opened. That it says so is seen elsewhere: it does for a few seconds."""
    page.bring_to_front()
    page.wait_for_function("!window.before && window.Bokeh?.documents[0]?.is_idle")
    is_drawn(page)


def proposes(page: Page, url: str) -> Person:
    """A page with an experiment that has one result of four."""
    opened(page, url, "?page=problem")
    person = Person(page)
    person.proposes_four()
    person.result("1 · x¹").fill("55")
    person.press("Record 1 result")
    person.sees("3 results outstanding; 5 measurements")
    person.result("1 · x²").fill("66.5")
    person.result("1 · x²").press("Tab")
    person.sees("A copy is in this browser")
    return person


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
        server = Server(self.url, self._log)
        until_it_answers(server, self._process, "/static/js/bokeh.min.js")

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
    server = Restartable(free_port(), tmp_path / "log.txt")
    server.start()
    yield server
    server.kill()


@pytest.mark.gate
@pytest.mark.slow
def test_a_drop_leaves_step_where_it_was(line: Wire, page: Page) -> None:
    student = Student(Lab(page, line.url), "lengthscale-long")
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
    expect(page.get_by_text(BACK)).to_be_visible()
    drop(page, line)
    person.sees("4 results outstanding")
    expect(person.result("1 · x¹")).to_have_value("55")
    person.saved()
    person.sees("Saved at")
    drop(page, line)
    person.sees("Saved at")
    assert not person.dialogs


@pytest.mark.slow
def test_every_page_after_the_server_was_killed(
    restartable: Restartable, context: BrowserContext
) -> None:
    pages = [opened(context.new_page(), restartable.url, one) for one in ADDRESSES.values()]
    person = proposes(context.new_page(), restartable.url)
    before = [still(page) for page in [*pages, person.page]]
    restartable.kill()
    for page in [*pages, person.page]:
        is_stopped(page)
    restartable.start()
    for page, its in zip([*pages, person.page], before, strict=True):
        is_loaded_again(page)
        shows(page, its)
    expect(person.result("1 · x²")).to_have_value("66.5")
    person.press("Record 1 result")
    person.sees("2 results outstanding; 6 measurements")
    assert not person.dialogs


@pytest.mark.slow
def test_a_picture_that_is_not_yet_of_the_event_is_pale(
    restartable: Restartable, page: Page
) -> None:
    """What is on screen belongs together, or says that it does not."""
    Lab(page, restartable.url).open("?preset=lengthscale-long&predict=off&event=1.region")
    expect(page.get_by_label("Event", exact=True)).to_have_value("2")
    expect(page.locator(".lab-opening")).to_have_count(0)
    opacity = "node => getComputedStyle(node).filter"
    pictures, why = (page.locator(f".lab-{part}").first for part in ("pictures", "aside"))
    restartable.send(signal.SIGSTOP)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    place = page.get_by_text(re.compile(r"event 6 of \d+"))
    expect(place).to_be_visible()
    expect(page.get_by_text("event 6 of 56, waiting for the server")).to_be_visible()
    assert {part.evaluate(opacity) for part in (pictures, why)} == {"opacity(0.35)"}
    expect(page.get_by_role("status").filter(has_text="waiting for the server")).to_have_count(1)
    restartable.send(signal.SIGCONT)
    expect(place).not_to_contain_text("waiting")
    assert {part.evaluate(opacity) for part in (pictures, why)} == {"none"}


@pytest.mark.slow
def test_a_connection_that_is_lost_without_a_word(line: Wire, page: Page) -> None:
    """Nothing arrives and nothing is refused: the page says so soon after something is done."""
    opened(page, line.url, ADDRESSES["step"])
    event = page.get_by_label("Event", exact=True)
    here = event.input_value()
    line.hold()
    page.keyboard.press("ArrowRight")
    is_stopped(page)
    line.restore()
    is_loaded_again(page)
    expect(event).to_have_value(re.compile(f"^({here}|{int(here) + 1})$"))


@pytest.mark.slow
def test_menus_open_without_an_answer_and_never_two(line: Wire, page: Page) -> None:
    """Nothing arrives: each press shows its menu alone, and late answers open none again."""
    opened(page, line.url, "?problem=multimodal&T=4&event=2.pick.1")
    menus = {
        "Show": page.get_by_role("button", name="True f", exact=True),
        "Compare": page.get_by_role("button", name="Pin this run", exact=True),
        "Atlas": page.get_by_text("Loading …").or_(page.get_by_text("Which beta?")).first,
    }

    def shows(*names: str) -> None:
        for name, part in menus.items():
            expect(part).to_be_visible(visible=name in names)

    expect(page.get_by_label("Event", exact=True)).to_have_value("10")
    shows()
    line.hold()
    for name in ("Show", "Atlas", "Compare", "Show"):
        page.get_by_role("button", name=name, exact=True).click()
        shows(name)
    page.keyboard.press("Escape")
    shows()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog).to_contain_text("Loading")
    line.restore()
    expect(dialog.get_by_role("button", name="PNG")).to_be_visible()
    page.keyboard.press("Escape")
    shows("Compare")
    page.get_by_role("button", name="Atlas", exact=True).click()
    expect(page.get_by_text("13 × 13 settings")).to_be_visible()
    shows("Atlas")


@pytest.mark.slow
def test_an_experiment_whose_connection_is_lost_without_a_word(line: Wire, page: Page) -> None:
    """A result on its way is recorded once, or is still typed in its field."""
    person = proposes(page, line.url)
    line.hold()
    person.press("Record 1 result")
    expect(person.button("Record 1 result")).to_be_disabled()
    is_stopped(page)
    line.restore()
    is_loaded_again(page)
    person.sees("results outstanding")
    if person.result("1 · x²").count():
        expect(person.result("1 · x²")).to_have_value("66.5")
        person.press("Record 1 result")
    person.sees("2 results outstanding; 6 measurements")


@pytest.mark.slow
def test_who_stays_on_the_page_is_still_told(restartable: Restartable, page: Page) -> None:
    """A page that has asked whether it may be left, and was not left, is told of a loss."""
    person = proposes(page, restartable.url)
    before = still(page)
    page.remove_listener("dialog", person._leave)
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.evaluate("() => { setTimeout(() => { location.href = '?page=theory' }) }")
    page.wait_for_timeout(1000)
    person.sees("3 results outstanding; 5 measurements")
    restartable.kill()
    person.result("1 · x²").press("Tab")
    is_stopped(page)
    restartable.start()
    is_loaded_again(page)
    shows(page, before)


@pytest.mark.slow
def test_a_page_that_never_gets_its_document_says_so(page: Page, server: str) -> None:
    """As where a proxy lets no websocket through."""
    page.route_web_socket(re.compile("/ws"), lambda socket: socket.close())
    page.goto(f"{server}/")
    said = page.get_by_text("Connection with the server could not be established")
    expect(said).to_be_visible()


@pytest.mark.slow
def test_a_table_that_is_gone_after_a_loss_is_said_to_be(line: Wire, page: Page) -> None:
    opened(page, line.url, "?page=problem")
    person = Person(page)
    person.press("Example: All values known")
    person.sees("values known")
    line.cut()
    line.restore()
    person.sees("please load the table again")
    expect(person.button("Run an experiment")).to_be_disabled()
