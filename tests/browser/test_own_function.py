"""A table of one's own on the other pages, also after a restart of the server."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.app.waiting import run
from tests.browser.conftest import Lab
from tests.browser.test_connection import Restartable, restartable
from tests.browser.test_problem import Person
from ucbpe_app.problem.sheets.data import EXAMPLES, TableData
from ucbpe_app.problem.sheets.table import problem_of
from ucbpe_app.race.link import decode_race
from ucbpe_app.race.race import run_race
from ucbpe_app.race.views import said
from ucbpe_app.run.own import OWN, packed

pytestmark = pytest.mark.slow
__all__ = ["restartable"]  # a fixture

IN_THE_BROWSER = """async (name) => {
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
    expect(link).to_have_attribute("href", re.compile("problem=own-"))
    (own,) = re.findall(r"problem=(own-\w+)", link.get_attribute("href") or "")
    page.wait_for_function(IN_THE_BROWSER, arg=own)
    link.click()
    return str(own)


def races_on(page: Page, name: str, own: str) -> None:
    """Race has drawn its runs on that function, and says so."""
    drawn = page.get_by_role("rowheader", name="GP-UCB-PE", exact=True)
    expect(drawn).to_be_visible()
    expect(page.get_by_label("Problem", exact=True)).to_contain_text(f"Yours: {name}")
    assert f"problem={own}" in page.url
    expect(page.get_by_role("alert")).to_have_count(0)


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
    assert OWN.keep(packed(problem_of(table.draft.choice, "Extraction"))) == own
    race = run_race(decode_race(urlsplit(page.url).query)[0].setup)
    expect(page.get_by_role("status")).to_have_text(said(race, 10))
    address = page.url

    page.get_by_role("link", name="Open in Step").first.click()
    expect(page.get_by_role("status")).to_contain_text("Batch 10 of 10")
    expect(page.get_by_text("Yours: Extraction")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)

    # Another server knows nothing of it: the browser hands it over.
    page.goto("about:blank")  # a page that is left open would load itself again, and not this one
    restartable.kill()
    restartable.start()
    page.goto(address)
    races_on(page, "Extraction", own)
    page.reload()
    races_on(page, "Extraction", own)
    assert not [error for error in lab.errors if "ERR_CONNECTION" not in error]
