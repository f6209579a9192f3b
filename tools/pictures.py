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
PHONE: ViewportSize = {"width": 390, "height": 844}
DRAG = "?preset=first-pick&event=2.pick.0"  # asked for in lesson 3
# Where lesson 1 is marked, and the stroke, in px of the window.
FIRST, SECOND = (568, 350), (640, 350)
TAP = (270, 380)  # on a phone
STROKE = [(86, 380), (195, 330), (331, 345), (420, 260), (560, 380), (728, 400)]


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
        lesson(context.new_page(), url)
        page = browser.new_page(viewport=PHONE, device_scale_factor=SCALE)
        page.goto(f"{url}/{DRAG}")
        save(page, "ten-minutes-5")
        page.goto(f"{url}/?preset=start")
        page.get_by_role("slider", name="Where would you measure first?").wait_for(state="attached")
        page.wait_for_timeout(3_000)
        page.mouse.click(*TAP)
        page.get_by_role("button", name="Next event", exact=True).click()
        save(page, "ten-minutes-6")
        page = context.new_page()
        page.goto(f"{url}/{RACE}")
        page.get_by_role("slider").first.wait_for()
        page.keyboard.press("End")
        save(page, "race")
        browser.close()


def lesson(page: Page, url: str) -> None:
    """Those of docs/learn.md: lesson 1, marked, drawn and played to its end."""
    step = page.get_by_role("button", name="Next event", exact=True)
    page.goto(f"{url}/?preset=start")
    page.get_by_role("region", name="Regret", exact=True).wait_for()
    save(page, "ten-minutes-1")
    page.mouse.click(*FIRST)
    step.click()
    save(page, "ten-minutes-2")
    for _ in range(2):
        step.click()
        page.wait_for_timeout(1_000)
    page.mouse.click(*SECOND)
    for _ in range(4):
        step.click()
        page.wait_for_timeout(1_000)
    page.mouse.move(*STROKE[0])
    page.mouse.down()
    for x, y in STROKE[1:]:
        page.mouse.move(x, y, steps=20)
    page.mouse.up()
    step.click()
    save(page, "ten-minutes-3")
    for _ in range(7):
        step.click()
        page.wait_for_timeout(1_000)
    save(page, "ten-minutes-4")


def save(page: Page, name: str) -> None:
    """A picture of what the page shows."""
    page.wait_for_timeout(3_000)  # pictures are drawn one after the other
    page.mouse.move(1, 700)
    page.screenshot(path=DOCS / f"{name}.png")


if __name__ == "__main__":
    main()
