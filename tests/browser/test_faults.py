"""Tabs, back and forward, double clicks, keys held down, storage denied: nothing wrong is shown.

And of two browsers neither is shown anything of the other. What happens to server or network is in
test_connection.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, WebSocket, expect

from tests.browser.conftest import VIEWPORT, Lab, Server
from tests.browser.fresh import is_as_fresh, shows, still
from tests.browser.student import Student, open_menu
from tests.browser.test_connection import (
    ADDRESSES,
    is_drawn,
    is_loaded_again,
    is_stopped,
    opened,
    proposes,
)
from tests.browser.test_problem import Person
from tests.browser.wire import Wire

pytestmark = pytest.mark.slow


def test_two_tabs_of_one_experiment(context: BrowserContext, server: str) -> None:
    """Each keeps what it has; one that is behind says so, and neither loses what is typed."""
    first = proposes(context.new_page(), server)
    second = Person(opened(context.new_page(), server, "?page=problem"))
    second.page.get_by_role("button", name="Resume: Extraction").click()
    second.sees("3 results outstanding; 5 measurements")
    expect(second.result("1 · x²")).to_have_value("66.5")
    second.result("1 · x⁰").fill("70")
    first.page.bring_to_front()
    first.result("1 · x²").fill("67")
    first.result("1 · x²").press("Tab")
    second.page.bring_to_front()
    second.result("1 · x²").fill("66.5")
    second.press("Record 2 results")
    second.sees("1 result outstanding; 7 measurements")
    second.sees("A copy is in this browser")
    first.page.bring_to_front()
    first.sees("3 results outstanding; 5 measurements")
    first.sees("was continued in another tab")
    first.result("1 · x³").fill("40")
    first.press("Record 2 results")
    first.sees("1 result outstanding; 7 measurements")
    first.sees("A copy is in this browser")
    first.page.close(run_before_unload=False)
    second.page.close(run_before_unload=False)
    third = opened(context.new_page(), server, "?page=problem")
    expect(third.get_by_role("button", name="Resume: Extraction")).to_have_count(2)


def test_back_and_forward(lab: Lab) -> None:
    page = lab.page
    opened(page, lab.url, ADDRESSES["step"])
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("event=2.pick.2"))
    with page.expect_navigation():
        page.get_by_role("link", name="Theory").click()
    is_drawn(page)
    page.go_back()
    is_drawn(page)
    expect(page).to_have_url(re.compile("event=2.pick.2"))
    is_as_fresh(page)
    page.go_forward()
    is_drawn(page)
    is_as_fresh(page)


def test_double_clicks_on_an_experiment(lab: Lab) -> None:
    """One batch, one withdrawal, one measurement, also of a row that nobody proposed."""
    page = lab.page
    opened(page, lab.url, "?page=problem")
    person = Person(page)
    person.button("Example: Four measured so far").dblclick()
    person.button("Run an experiment").dblclick()
    person.sees("4 measurements")
    person.button("Propose 4 rows").dblclick()
    person.sees("4 results outstanding")
    expect(person.button("Leave them out")).to_have_count(0)  # no file was read
    page.get_by_role("button", name="Withdraw this pick").first.dblclick()
    person.sees("3 results outstanding")
    person.result("1 · x²").fill("55")
    person.button("Record 1 result").dblclick()
    person.sees("2 results outstanding; 5 measurements")
    person.press("all rows")
    for value, known in (("33", 6), ("34", 7)):  # the same row twice, once each
        row = page.get_by_role("region", name="All rows").get_by_role("textbox").nth(1)
        row.fill(value)
        person.button("Record 1 result").dblclick()
        person.sees(f"2 results outstanding; {known} measurements")
        expect(row).to_have_value("")
        page.wait_for_timeout(500)
        person.sees(f"2 results outstanding; {known} measurements")
    person.sees("A copy is in this browser")
    expect(page.get_by_role("alert").filter(visible=True, has_text=re.compile("."))).to_have_count(
        0
    )


def test_enter_that_is_held_records_nothing(lab: Lab) -> None:
    person = proposes(lab.page, lab.url)
    person.result("1 · x⁰").fill("70")
    hold(lab.page, "Enter", 20)
    lab.page.wait_for_timeout(1000)
    person.sees("3 results outstanding; 5 measurements")
    expect(person.result("1 · x⁰")).to_have_value("70")


def hold(page: Page, key: str, times: int) -> None:
    """As a keyboard does: the same key goes down again and again, and up once."""
    *modifiers, last = key.split("+")
    for one in modifiers:
        page.keyboard.down(one)
    for _ in range(times):
        page.keyboard.down(last)
        page.wait_for_timeout(33)
    page.keyboard.up(last)
    for one in modifiers:
        page.keyboard.up(one)


def test_a_page_that_the_browser_has_kept_is_loaded_again(lab: Lab) -> None:
    """Its connection is gone: it would show what was, and answer to nothing."""
    student = Student(lab, "start")
    student.button("Next event").click()
    student.sees(1)
    expect(lab.page).to_have_url(re.compile("event=1.pick.0"))
    with lab.page.expect_navigation():
        lab.page.evaluate(
            "window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"
        )
    lab.wait()
    student.sees(1)


# What "Block all site data" does in Chromium's settings: whoever touches a storage gets an error.
BLOCKED = {"profile": {"default_content_setting_values": {"cookies": 2}}}
DENIED = """
() => ["localStorage", "sessionStorage", "indexedDB"].filter((name) => {
  try { window[name].length; return name === "indexedDB" && !probe() } catch { return true }
  function probe() { try { indexedDB.open("probe"); return true } catch { return false } }
})
"""


@pytest.fixture
def denied(
    playwright: Playwright, browser_type_launch_args: dict, tmp_path: Path, line: Wire, server: str
) -> Iterator[Page]:
    """A page of a browser whose person has blocked all site data."""
    line.restore()
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(BLOCKED), encoding="utf-8")
    context = playwright.chromium.launch_persistent_context(
        str(tmp_path), **browser_type_launch_args, viewport=VIEWPORT
    )
    yield context.new_page()
    context.close()
    line.restore()


def test_a_page_without_storage(denied: Page, line: Wire) -> None:
    lab = Lab(denied, line.url)
    opened(denied, line.url, ADDRESSES["step"])
    assert {"localStorage", "sessionStorage"} <= set(denied.evaluate(DENIED))
    denied.keyboard.press("ArrowRight")
    is_drawn(denied)
    open_menu(denied, "Show")
    truth = denied.get_by_role("button", name="True f", exact=True)
    truth.click()
    expect(truth).to_have_attribute("aria-pressed", "false")
    # A menu that is open is closed in a page that is loaded again.
    denied.get_by_role("button", name="Show", exact=True).click()
    denied.get_by_role("button", name=re.compile("Toggle|theme", re.IGNORECASE)).first.click()
    before = still(denied)
    assert not lab.errors
    line.cut()
    is_stopped(denied)
    line.restore()
    is_loaded_again(denied)
    shows(denied, before)
    open_menu(denied, "Show")
    expect(truth).to_have_attribute("aria-pressed", "false")


def test_an_experiment_without_storage(denied: Page, line: Wire) -> None:
    lab = Lab(denied, line.url)
    opened(denied, line.url, "?page=problem")
    person = Person(denied)
    person.proposes_four()
    person.sees("This browser keeps no copy")
    person.result("1 · x¹").fill("55")
    assert not lab.errors
    # Saved, it is in a file; what is typed is nowhere else, and stays on screen.
    person.saved()
    line.cut()
    is_stopped(denied)
    line.restore()
    expect(denied.get_by_role("alert").filter(has_text="keeps no copy of your")).to_be_visible()
    person.sees("4 results outstanding")
    expect(person.result("1 · x¹")).to_have_value("55")


def test_what_one_brings_and_measures_reaches_no_other(
    browser: Browser, server_process: Server
) -> None:
    """Experiments and results, in whatever the server sends, logs, and the browser keeps."""
    with browser.new_context() as one, browser.new_context() as other:
        visitors = [Visitor(one, server_process, "ada"), Visitor(other, server_process, "bob")]
        for visitor in visitors:
            visitor.begin()
        for visitor in visitors:
            visitor.measure()
        for visitor in visitors:
            visitor.come_back()
        for visitor, stranger in (visitors, visitors[::-1]):
            received = b"".join(visitor.received)
            assert visitor.name.encode() in received
            assert stranger.name.encode() not in received
            assert stranger.name not in visitor.page.evaluate(EVERYTHING)
            assert stranger.name not in server_process.said()


# What a browser keeps by itself is asked of it by the page, which names what it finds.
EVERYTHING = """
() => JSON.stringify([
  document.documentElement.outerHTML, document.body.innerText,
  Object.entries(localStorage), Object.entries(sessionStorage),
])
"""


class Visitor:
    """Somebody with an experiment that nobody else knows of."""

    def __init__(self, context: BrowserContext, server: Server, name: str) -> None:
        self.name = f"secret-of-{name}"
        self.received: list[bytes] = []
        self.page: Page = context.new_page()
        self.page.on("websocket", self._listen)
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.lab, self.person = Lab(self.page, server.url), Person(self.page)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._take)

    def _take(self, payload: str | bytes) -> None:
        self.received.append(payload.encode() if isinstance(payload, str) else payload)

    def begin(self) -> None:
        self.lab.open("?page=problem")
        self.person.press("Example: Four measured so far")
        self.person.sees("4 values known")
        name = self.page.get_by_label("Name", exact=True)
        name.fill(self.name)
        name.press("Enter")
        self.person.press("Run an experiment")

    def measure(self) -> None:
        self.person.press("Propose 4 rows")
        self.person.sees("results outstanding")

    def come_back(self) -> None:
        self.page.reload()
        self.lab.wait()
        self.person.sees("results outstanding")
        self.page.get_by_text(self.name).first.wait_for(state="attached")
