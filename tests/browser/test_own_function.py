"""A table or a curve of one's own on the other pages: by the menu, in links, after a restart."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.app.waiting import run
from tests.browser.conftest import Lab
from tests.browser.test_connection import PATIENCE, Restartable, restartable
from tests.browser.test_problem import HOSTILE, Person
from ucbpe_app.pages.problem.sheets.data import EXAMPLES, TableData
from ucbpe_app.pages.problem.simulation import problem_of
from ucbpe_app.pages.race.link import decode_race
from ucbpe_app.pages.race.measures import Measure, status
from ucbpe_app.pages.race.race import run_race
from ucbpe_app.run.own import OWN, packed

__all__ = ["restartable"]  # a fixture

SHARED = "All runs share the function {}"
ELSEWHERE = "which is kept in the browser that made it; got none of that name here."
KEPT = """async (name) => {
  const opened = indexedDB.open("ucbpe-functions", 1)
  await new Promise((done) => { opened.onsuccess = done })
  const found = opened.result.transaction("functions").objectStore("functions").get(name)
  await new Promise((done) => { found.onsuccess = done })
  opened.result.close()
  return Boolean(found.result)
}"""


async def read() -> TableData:
    """The example, as the server reads it."""
    table = TableData()
    await table.load(EXAMPLES[0].text.encode(), "Extraction", confirmed=True)
    return table


def goes(page: Page, name: str) -> str:
    """Follow a link to another page, once it names a function of one's own; return its name."""
    link = page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True)
    expect(link).to_have_attribute("href", re.compile("problem=own-"), timeout=PATIENCE)
    (own,) = re.findall(r"problem=(own-\w+)", link.get_attribute("href") or "")
    page.wait_for_function(KEPT, arg=own, timeout=PATIENCE)
    link.click()
    return str(own)


def races_on(page: Page, name: str, own: str) -> None:
    """Race has drawn its runs on that function, and says so."""
    expect(page.get_by_text(SHARED.format(name))).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_label("Problem", exact=True)).to_contain_text(f"Yours: {name}")
    assert f"problem={own}" in page.url
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_a_table_is_raced_stepped_and_kept_by_the_browser(
    restartable: Restartable, page: Page
) -> None:
    lab = Lab(page, restartable.url)
    lab.open("?page=problem")
    person = Person(page)
    person.press("Example: All values known")
    person.sees("399 rows, 2 inputs, every value known")
    own = goes(page, "Race")
    races_on(page, "Extraction", own)
    page.keyboard.press("End")
    table = run(read())
    assert OWN.keep(packed(problem_of(table.choice, "Extraction"))) == own
    race = run_race(decode_race(urlsplit(page.url).query)[0].setup)
    expect(page.get_by_role("status")).to_have_text(status(race, 10, Measure.BEST))
    address = page.url

    page.get_by_role("link", name="Open in Step").first.click()
    expect(page.get_by_role("status")).to_contain_text("Batch 10 of 10", timeout=PATIENCE)
    expect(page.get_by_text("Yours: Extraction")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)

    # Another server knows nothing of it: the browser hands it over.
    restartable.kill()
    restartable.start()
    page.goto(address)
    races_on(page, "Extraction", own)
    page.reload()
    races_on(page, "Extraction", own)
    assert not [error for error in lab.errors if "ERR_CONNECTION" not in error]


@pytest.mark.slow
def test_another_browser_is_told_where_the_function_is(
    restartable: Restartable, context: BrowserContext, browser: Browser
) -> None:
    page = context.new_page()
    Lab(page, restartable.url).open("?page=problem")
    Person(page).step("Drawn curve")
    own = goes(page, "Race")
    races_on(page, "Drawn curve", own)
    address = page.url
    page.close()
    restartable.kill()
    restartable.start()
    for where in ("race", "step", "theory"):
        with browser.new_page() as other:
            lab = Lab(other, restartable.url)
            other.goto(address.replace("page=race", f"page={where}"))
            expect(other.get_by_text(ELSEWHERE)).to_be_visible(timeout=PATIENCE)
            assert not lab.errors
    assert "Traceback" not in restartable._log.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_study_says_that_it_is_on_another_function(lab: Lab) -> None:
    """Names are text, whatever somebody has called a table and its columns."""
    lab.open("?page=problem")
    page, person = lab.page, Person(lab.page)
    person.paste(f"{HOSTILE},y\n1,2\n2,3.5\n4,1\n5,2\n")
    person.press("Yes, optimise y")
    name = page.get_by_label("Name", exact=True)
    name.fill(HOSTILE)
    name.blur()
    goes(page, "Study")
    expect(page.get_by_text("A study runs on problems of the laboratory")).to_be_visible(
        timeout=PATIENCE
    )
    races_on(page, HOSTILE, goes(page, "Race"))
    own = goes(page, "Theory")
    expect(page.get_by_text(f"Yours: {HOSTILE}")).to_be_visible(timeout=PATIENCE)
    assert f"problem={own}" in page.url
    expect(page.locator("img")).to_have_count(0)
