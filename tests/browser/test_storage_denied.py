"""A browser that keeps nothing: pages work, and say so where it matters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.browser.conftest import VIEWPORT, Lab
from tests.browser.fresh import shows, still
from tests.browser.student import open_menu
from tests.browser.test_connection import is_stopped
from tests.browser.test_faults import ADDRESSES, PATIENCE, is_drawn, is_loaded_again, opened
from tests.browser.test_problem import Person
from tests.browser.wire import Wire

pytestmark = pytest.mark.slow
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


@pytest.mark.parametrize("name", ADDRESSES)
def test_every_page_without_storage(denied: Page, line: Wire, name: str) -> None:
    lab = Lab(denied, line.url)
    opened(denied, line.url, ADDRESSES[name])
    assert {"localStorage", "sessionStorage"} <= set(denied.evaluate(DENIED))
    if name in ("step", "race"):
        denied.keyboard.press("ArrowRight")
        is_drawn(denied)
        if name == "step":
            open_menu(denied, "Show")
        denied.get_by_role("button", name="Truth", exact=True).click()
    denied.get_by_role("button", name=re.compile("Toggle|theme", re.IGNORECASE)).first.click()
    before = still(denied)
    assert not lab.errors
    line.cut()
    is_stopped(denied)
    line.restore()
    is_loaded_again(denied)
    shows(denied, before)


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


def test_a_curve_without_storage(denied: Page, line: Wire) -> None:
    lab = Lab(denied, line.url)
    opened(denied, line.url, "?page=problem&step=draw")
    height = denied.get_by_label("f of point 4", exact=True)
    expect(height).to_have_value("0.9", timeout=PATIENCE)
    height.fill("0.5")
    height.press("Enter")
    Person(denied).sees("This browser keeps no copy of the curve")
    assert not lab.errors
