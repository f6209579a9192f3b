"""Every page, light and dark: axe-core finds nothing serious, and the keys reach what it offers."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from ucbpe_app.main import PAGES

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_RUN = """() => axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})"""
# Colours on their way to the other theme belong to neither: buttons in shadow roots change late.
_AT_REST = "() => document.getAnimations().every((one) => one.playState !== 'running')"
_LOOKS, _PAUSE = 10, 1000  # ms


def findings(page: Page) -> list[str]:
    """What axe-core calls serious or critical, and still does later, with what to look at."""
    for _ in range(_LOOKS):
        if not (found := _look(page)):
            break
        page.wait_for_timeout(_PAUSE)
    return found


def _look(page: Page) -> list[str]:
    page.wait_for_function(_AT_REST)
    page.evaluate(_AXE)
    violations: list[dict[str, Any]] = page.evaluate(_RUN)["violations"]
    return [
        f"{one['impact']}: {one['help']} ({node['html'][:120]}: {node['failureSummary'][:300]})"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_in_either_theme(lab: Lab, name: str) -> None:
    page = lab.page
    lab.open(f"?page={name}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(PAGES[name].label)
    assert findings(page) == []
    page.get_by_role("button", name="Toggle theme").click()
    expect(page.locator(".mui-dark").first).to_be_attached()
    page.wait_for_timeout(_PAUSE)
    assert findings(page) == []


@pytest.mark.slow
def test_presented_too(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=figure-2&present=1")
    expect(page.get_by_role("button", name="Present")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("combobox", name="Problem", exact=True)).to_have_count(0)
    assert findings(page) == []
    status = page.get_by_role("status").filter(has_text="Batch")
    before = status.inner_text()
    page.keyboard.press("PageDown")  # a clicker's key
    expect(status).not_to_have_text(before)
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    assert page.get_by_role("region", name="Why this point").locator("p").evaluate(size) >= 18  # px
    page.keyboard.press("PageUp")
    expect(status).to_have_text(before)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Present")).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("combobox", name="Problem", exact=True)).to_be_visible()
