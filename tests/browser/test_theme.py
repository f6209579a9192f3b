"""Light or dark: as the system is, until somebody chooses; then that, in every page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Lab, Server

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 18, 18)"
DENIED = """
const deny = () => { throw new DOMException("denied", "SecurityError") }
for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, {get: deny})
}
Object.defineProperty(document, "cookie", {get: () => "", set: deny})
"""


@pytest.fixture(params=["light", "dark"])
def system(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def page(browser: Browser, system: str) -> Iterator[Page]:
    with browser.new_context(color_scheme=system) as context:
        yield context.new_page()


def is_(page: Page, theme: str) -> None:
    expect(page.locator("body")).to_have_css("background-color", DARK if theme == "dark" else LIGHT)


def settles(page: Page) -> None:
    """Wait for an answer: what the browser has said before has then been heard."""
    page.get_by_role("button", name="Next event").click()
    expect(page.get_by_label("Event", exact=True)).to_have_value("1")
    expect(page.get_by_role("status")).to_contain_text("UCB pick")


@pytest.mark.slow
def test_the_theme_follows_the_system_until_it_is_chosen(
    page: Page, system: str, server_process: Server
) -> None:
    lab, other = Lab(page, server_process.url), "light" if system == "dark" else "dark"
    lab.open()
    is_(page, system)
    page.emulate_media(color_scheme=other)
    is_(page, other)
    page.emulate_media(color_scheme=system)
    is_(page, system)
    page.get_by_label("Toggle theme").click()
    is_(page, other)
    for query in ("?page=problem", ""):
        # Before the browser has run anything: nothing flashes.
        html = page.request.get(f"{server_process.url}/{query}").text()
        assert ("background-color: #121212" in html) == (other == "dark")
        lab.open(query)
        is_(page, other)
    page.emulate_media(color_scheme=other)
    page.emulate_media(color_scheme=system)
    is_(page, other)
    settles(page)
    assert not lab.errors


@pytest.mark.slow
def test_without_storage_the_theme_is_the_systems(
    page: Page, system: str, server_process: Server
) -> None:
    page.add_init_script(DENIED)
    lab = Lab(page, server_process.url)
    lab.open()
    is_(page, system)
    page.get_by_label("Toggle theme").click()
    is_(page, "light" if system == "dark" else "dark")
    settles(page)
    lab.open("?preset=start")  # another address than before, whose moment is the first
    is_(page, system)
    settles(page)
    assert not lab.errors
