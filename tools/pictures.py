"""Draw the README's pictures anew: screenshots of the running dashboard, in ``docs``.

``python -m tools.pictures`` in an environment that can run the browser tests.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from benchmarks._painted import laboratory
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium

DOCS = Path(__file__).resolve().parents[1] / "docs"
SIZE: ViewportSize = {"width": 1366, "height": 768}
SCALE = 1.25  # device pixels of a pixel
# Each picture's address.
STEPS = {
    "step": "?preset=start&event=3.pick.2&show=truth",
    "step-2d": "?preset=himmelblau&event=4.pick.2",
    "step-plane": "?preset=mackey-glass&event=3.pick.2",
}
RACE = "?page=race"
# Those of docs/first-minute.md: the event of lesson 1, and the button that is pressed there.
MINUTE = {
    "1.posterior": "",
    "1.pick.0": "",
    "1.pick.1": "",
    "1.observe": "",
    "2.posterior": "Choose an answer",
}


def main() -> None:
    """All of them, from one server."""
    with laboratory() as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        context = browser.new_context(viewport=SIZE, device_scale_factor=SCALE)
        for name, query in STEPS.items():
            page = context.new_page()
            page.goto(f"{url}/{query}")
            page.get_by_role("region", name="Regret", exact=True).wait_for()
            save(page, name)
        for number, (event, button) in enumerate(MINUTE.items(), start=1):
            page = context.new_page()
            page.goto(f"{url}/?preset=start&event={event}")
            page.get_by_role("region", name="Regret", exact=True).wait_for()
            if button:
                page.get_by_role("button", name=button).click()
            save(page, f"first-minute-{number}")
        page = context.new_page()
        page.goto(f"{url}/{RACE}")
        page.get_by_role("slider").first.wait_for()
        page.keyboard.press("End")
        save(page, "race")
        browser.close()


def save(page: Page, name: str) -> None:
    """A picture of what the page shows."""
    page.wait_for_timeout(3_000)  # pictures are drawn one after the other
    page.mouse.move(1, 700)
    page.screenshot(path=DOCS / f"{name}.png")


if __name__ == "__main__":
    main()
