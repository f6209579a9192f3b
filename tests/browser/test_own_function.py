"""A table or a curve of one's own: drawn, kept, and on the other pages, also after a restart.

That a curve is kept is seen while server and browser are killed: every stroke said to be kept is
there again.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import psutil
import pytest
from playwright.sync_api import Error, Page, Playwright, expect

from tests.app.waiting import run
from tests.browser.conftest import PATIENCE, VIEWPORT, Lab
from tests.browser.student import painted
from tests.browser.test_connection import Restartable, restartable
from tests.browser.test_problem import Person, places, settled
from ucbpe_app.pages.problem.drawing import DrawnCurve
from ucbpe_app.pages.problem.sheets.data import EXAMPLES, TableData
from ucbpe_app.pages.problem.sheets.table import problem_of
from ucbpe_app.pages.race.link import decode_race
from ucbpe_app.pages.race.race import run_race
from ucbpe_app.pages.race.views.results import said
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


# The points and the curve that the browser draws.
_DRAWN = """
() => {
  const models = [...Bokeh.documents[0].all_models]
  const figure = models.find(({type, css_classes}) => type === "Figure"
    && [...css_classes ?? []].includes("lab-drawing"))
  const column = ({data}, name) => [...data instanceof Map ? data.get(name) : data[name]]
  const [line, points] = figure.renderers.map(({data_source}) => data_source)
  return [line, points].map((source) => [column(source, "x"), column(source, "y")])
}
"""


def follows(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """The points; the curve on screen must be the one through them."""
    (x, y), points = page.evaluate(_DRAWN)
    curve = DrawnCurve(tuple(zip(*points, strict=True)))
    np.testing.assert_allclose(y, curve.values(np.array(x)), atol=1e-5)
    return np.array(points[0]), np.array(points[1])


def test_the_curve_follows_a_point_that_is_dragged_and_then_the_free_hand(lab: Lab) -> None:
    page, height = lab.page, lab.page.get_by_label("f of point 4", exact=True)
    lab.open("?page=problem")
    person = Person(page)
    person.step("Drawn curve")
    expect(height).to_have_value("0.9")
    follows(page)
    x, y, higher = settled(page)
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.3, 0.6, 0.9):
        page.mouse.move(x, y + share * (higher - y))
    painted(page)
    _, heights = follows(page)  # the button is still down
    assert heights[3] > 1.5
    expect(height).to_have_value("0.9")
    page.mouse.up()
    expect(height).not_to_have_value("0.9")
    follows(page)
    person.press("Undo")
    expect(height).to_have_value("0.9")

    # A drag beside the points draws; a pointer that rests first is a press to Bokeh.
    before = page.evaluate(_DRAWN)[0]
    x, y, higher = settled(page)
    top = y + 0.8 * (higher - y)
    page.mouse.move(x - 60, top)
    page.mouse.down()
    page.wait_for_timeout(600)
    for step in range(1, 25):
        page.mouse.move(x - 60 + 5 * step, top + 8 * np.sin(step))
    painted(page)
    during = page.evaluate(_DRAWN)[0]
    assert max(during[1]) > max(before[1]) - 1
    assert during != before
    page.mouse.up()
    expect(page.get_by_text("7 points.")).to_have_count(0)
    x, y = follows(page)
    assert 7 < len(x) <= 40
    person.press("Undo")
    expect(height).to_have_value("0.9")

    # Without a mouse.
    height.fill("0,5")
    height.press("Enter")
    expect(height).to_have_value("0.5")
    person.press("Remove point 2")
    expect(page.get_by_label("x of point 2", exact=True)).to_have_value("3")
    page.get_by_role("link", name="Simulate this curve").click()
    person.sees("Batch 1 of 10")


KEPT = "This curve is kept in this browser."


@contextlib.contextmanager
def browser_of(playwright: Playwright, profile: Path, arguments: dict) -> Iterator[Page]:
    """A page of a browser that keeps its profile, however it ends."""
    context = playwright.chromium.launch_persistent_context(
        str(profile), **arguments, viewport=VIEWPORT
    )
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        with contextlib.suppress(Error):
            context.close()


def kill_browser(profile: Path) -> None:
    """All processes of it, as when a machine has run out of memory."""
    ours = []
    for process in psutil.process_iter(["cmdline"]):
        if f"--user-data-dir={profile}" in (process.info["cmdline"] or ()):
            ours.append(process)
            with contextlib.suppress(psutil.NoSuchProcess):
                ours += process.children(recursive=True)
    for process in ours:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(ours, timeout=10)


def heights(page: Page) -> list[float]:
    """Of the points, as the table has them."""
    expect(page.get_by_label("f of point 1", exact=True)).to_be_visible()
    fields = page.get_by_label("f of point")
    return [float(fields.nth(i).input_value()) for i in range(fields.count())]


def drag(page: Page, point: int, y: float) -> None:
    """Move a point to another height."""
    x = float(page.get_by_label(f"x of point {point + 1}", exact=True).input_value())
    at, now, then = places(page, x, [heights(page)[point], y])
    page.mouse.move(at, now)
    page.mouse.down()
    page.mouse.move(at, (now + then) / 2)
    page.mouse.move(at, then)
    page.mouse.up()


def test_no_confirmed_stroke_is_lost(
    restartable: Restartable,
    playwright: Playwright,
    browser_type_launch_args: dict,
    tmp_path: Path,
) -> None:
    """Whatever is killed as soon as the page has said that a stroke is kept."""
    profile, known = tmp_path / "profile", list[float]()
    kills = ((True, False), (False, True), (True, True), (False, False))
    for point, (browser, server) in enumerate(kills, start=1):
        with browser_of(playwright, profile, browser_type_launch_args) as page:
            page.goto(f"{restartable.url}/?page=problem&step=draw")
            page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
            field = page.get_by_label(f"f of point {point + 1}", exact=True)
            if known:  # the last stroke is there, and all that were before
                last = page.get_by_label(f"f of point {point}", exact=True)
                expect(last).to_have_value(f"{known[point - 1]:.6g}")
                assert heights(page) == known
            settled(page)
            before = heights(page)[point]
            drag(page, point, -1.5 if before > 0 else 1.5)
            expect(field).not_to_have_value(f"{before:.6g}")
            expect(page.get_by_text(KEPT)).to_be_visible()
            known = heights(page)
            if server:
                restartable.kill()
            if browser:
                kill_browser(profile)
        if server:
            restartable.start()
