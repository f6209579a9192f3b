"""Whatever happens to server, network or browser: a page shows what a fresh one shows, or says so.

Beside it: test_connection.py (network cut, server restarted), test_keys.py and test_address.py
(keys, reload), test_sessions.py (two browsers), test_storage_denied.py, test_drawn_curves.py.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Lab
from tests.browser.fresh import is_as_fresh, shown, shows, still
from tests.browser.student import open_menu
from tests.browser.test_connection import (
    PATIENCE,
    Restartable,
    is_stopped,
    restartable,
)
from tests.browser.test_problem import Person
from tests.browser.wire import Wire

pytestmark = pytest.mark.slow
__all__ = ["restartable"]  # a fixture

ADDRESSES = {
    "step": "?preset=start&event=2.pick.1",
    "race": "?page=race&preset=start&event=1.observe&T=6",
    "study": "?page=study",
    "theory": "?page=theory&preset=start",
}
EXPIRED = 25  # s; a session ends 15 s after its last connection, looked at every two


@pytest.fixture(autouse=True)
def whole(line: Wire, server: str) -> Iterator[None]:
    """The wire leads to a dashboard that runs, and does so again afterwards."""
    line.restore()
    yield
    line.restore()


def is_drawn(page: Page) -> None:
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle", timeout=PATIENCE)
    expect(page.get_by_role("progressbar").filter(visible=True)).to_have_count(0, timeout=PATIENCE)


def opened(page: Page, url: str, query: str) -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/{query}")
    is_drawn(page)
    if query == ADDRESSES["step"]:  # a page shows its first lesson before it opens its address
        expect(page.get_by_label("Event", exact=True)).to_have_value("10", timeout=PATIENCE)
    page.evaluate("() => { window.before = true }")
    return page


def is_loaded_again(page: Page) -> None:
    """Since it was opened. That it says so is seen elsewhere: it does for a few seconds."""
    page.bring_to_front()
    page.wait_for_function(
        "!window.before && window.Bokeh?.documents[0]?.is_idle", timeout=PATIENCE
    )
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


def test_a_connection_that_comes_back_at_once(line: Wire, context: BrowserContext) -> None:
    """As when a proxy is loaded again: it is not resumed, and the pages are where they were."""
    pages = [opened(context.new_page(), line.url, one) for one in ADDRESSES.values()]
    before = [still(page) for page in pages]
    line.cut()
    line.restore()
    for page, its in zip(pages, before, strict=True):
        is_loaded_again(page)
        shows(page, its)


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
    expect(event).to_have_value(re.compile(f"^({here}|{int(here) + 1})$"), timeout=PATIENCE)


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


def test_a_server_that_hangs(restartable: Restartable, page: Page) -> None:
    """What is done meanwhile is not taken, and the page is as it was once the server goes on."""
    opened(page, restartable.url, ADDRESSES["step"])
    before = still(page)
    restartable.send(signal.SIGSTOP)
    page.keyboard.press("Tab")  # asks for an answer, and changes nothing
    is_stopped(page)
    page.keyboard.press("ArrowRight")
    restartable.send(signal.SIGCONT)
    is_loaded_again(page)
    shows(page, before)


@pytest.mark.parametrize("expired", [False, True], ids=["connected", "session expired"])
def test_a_laptop_that_slept(line: Wire, page: Page, expired: bool) -> None:
    """Its page does nothing, and is told nothing, until it wakes: with its session, or without."""
    opened(page, line.url, ADDRESSES["step"])
    person = proposes(page.context.new_page(), line.url)
    sessions = [one.context.new_cdp_session(one) for one in (page, person.page)]
    for session in sessions:
        session.send("Page.setWebLifecycleState", {"state": "frozen"})
    if expired:
        line.cut()
        time.sleep(EXPIRED)
        line.restore()
    else:
        time.sleep(8)
    for session in sessions:
        session.send("Page.setWebLifecycleState", {"state": "active"})
    for one in (page, person.page):
        if expired:
            is_loaded_again(one)
    page.bring_to_front()
    event = page.get_by_label("Event", exact=True)
    expect(event).to_have_value("10", timeout=PATIENCE)
    page.keyboard.press("ArrowRight")
    expect(event).to_have_value("11")
    expect(page).to_have_url(re.compile("event=2.pick.2"))
    is_as_fresh(page)
    person.page.bring_to_front()
    person.press("Record 1 result")
    person.sees("2 results outstanding; 6 measurements")
    is_as_fresh(person.page, prepare="Resume: Extraction")


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


def test_a_page_that_never_gets_its_document_says_so(page: Page, server: str) -> None:
    """As where a proxy lets no websocket through."""
    page.route_web_socket(re.compile("/ws"), lambda socket: socket.close())
    page.goto(f"{server}/")
    said = page.get_by_text("Connection with the server could not be established")
    expect(said).to_be_visible(timeout=PATIENCE)


def test_a_table_that_is_gone_after_a_loss_is_said_to_be(line: Wire, page: Page) -> None:
    opened(page, line.url, "?page=problem")
    person = Person(page)
    person.press("Example: All values known")
    person.sees("values known")
    line.cut()
    line.restore()
    person.sees("please load the table again")
    expect(person.button("Run an experiment")).to_be_disabled()


def test_two_tabs_of_one_run_do_not_meet(context: BrowserContext, server: str) -> None:
    one, other = (opened(context.new_page(), server, ADDRESSES["step"]) for _ in range(2))
    before = still(other)
    one.bring_to_front()
    one.keyboard.press("End")
    expect(one.get_by_label("Event", exact=True)).not_to_have_value("0")
    is_as_fresh(one)
    assert shown(other) == before
    other.bring_to_front()
    is_as_fresh(other)


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


def test_double_clicks_on_a_run(lab: Lab) -> None:
    page = lab.page
    opened(page, lab.url, ADDRESSES["step"])
    before = int(page.get_by_label("Event", exact=True).input_value())
    page.get_by_role("button", name="Next event").dblclick()
    expect(page.get_by_label("Event", exact=True)).to_have_value(str(before + 2))
    open_menu(page, "Show")
    for name in ("Truth", "Log regret", "Measurement band"):
        page.get_by_role("button", name=name, exact=True).dblclick()
    page.get_by_role("button", name="Show", exact=True).click()
    for name in ("Play", "Play"):
        page.get_by_role("button", name=name, exact=True).dblclick()
    link = page.locator(".copy-link .label")
    page.get_by_role("button", name="Copy link", exact=True).dblclick()
    expect(link).to_have_text("Link copied")
    page.wait_for_timeout(6000)  # an answer to the second click may take 3 s; it is said for 2 s
    expect(link).to_have_text("Copy link")
    is_as_fresh(page)


def test_double_clicks_on_an_experiment(lab: Lab) -> None:
    """One batch, one withdrawal, one measurement, also of a row that nobody proposed."""
    page = lab.page
    opened(page, lab.url, "?page=problem")
    person = Person(page)
    person.button("Example: Four measured so far").dblclick()
    person.button("Run an experiment").dblclick()
    person.sees("4 measurements")
    person.button("Propose batch 1").dblclick()
    person.sees("4 results outstanding")
    expect(person.button("Leave them out")).to_have_count(0)  # no file was read
    page.get_by_role("button", name="Withdraw this pick").first.dblclick()
    person.sees("3 results outstanding")
    person.result("1 · x²").fill("55")
    person.button("Record 1 result").dblclick()
    person.sees("2 results outstanding; 5 measurements")
    person.press("All rows")
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


def test_keys_that_are_held_on_a_run(lab: Lab) -> None:
    page = lab.page
    opened(page, lab.url, ADDRESSES["step"])
    hold(page, "ArrowRight", 60)
    is_as_fresh(page)
    hold(page, "Shift+ArrowLeft", 20)
    is_as_fresh(page)
    slider = page.get_by_label("Lengthscale slider", exact=True)
    page.get_by_label("Lengthscale", exact=True).click()
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    hold(page, "ArrowRight", 30)
    is_drawn(page)
    page.wait_for_timeout(1000)
    is_drawn(page)
    page.evaluate("() => document.activeElement.blur()")
    is_as_fresh(page)


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
