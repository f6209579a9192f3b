"""The Theory page in a browser: the grid by mouse and keys, the way to the Step page, the count."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Lab
from ucbpe_app.lessons import find
from ucbpe_app.pages.theory.proof import Status
from ucbpe_app.pages.theory.sentences import summary, verdict
from ucbpe_app.pages.theory.state import RunTheory, gather
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.settings import RunSpec


def spec_of(slug: str) -> RunSpec:
    lesson = find(slug)
    assert lesson is not None
    return lesson.spec()


def evidence_of(slug: str) -> RunTheory:
    return gather(load(spec_of(slug)))


def status(page: Page) -> Locator:
    return page.get_by_role("status").last


def cell(page: Page, title: str, t: int) -> Locator:
    return page.get_by_role("gridcell", name=f"{title}, t = {t}: ")


def marked(page: Page) -> list[list[int]]:
    """The batches that the charts mark, by chart."""
    return page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
          .filter((model) => model.type === "ColumnDataSource"
            && [...model.columns()].join() === "left,right")
          .map((model) => [...model.get_column("right")].map((x) => x - 0.5))"""
    )


def formulas_are_drawn(page: Page) -> None:
    """MathML with roots and fractions has a size, and none is wider than its column."""
    expect(page.locator("math").nth(12)).to_be_visible()
    heights = page.locator("math").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert len(heights) > 12
    assert min(heights) > 8
    overflowing = page.locator(".line").evaluate_all(
        "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert overflowing == 0


@pytest.fixture
def thin_peak(lab: Lab) -> Page:
    lab.open("?page=theory&preset=thin-peak")
    expect(status(lab.page)).to_have_text(verdict(evidence_of("thin-peak")))
    return lab.page


@pytest.mark.slow
def test_the_grid_by_mouse_and_keys(thin_peak: Page) -> None:
    """Every cell says what it does; the numbers follow the focus; Enter marks and links."""
    page, run_theory = thin_peak, evidence_of("thin-peak")
    words = {Status.HOLDS: "holds", Status.FAILS: "fails", Status.SILENT: "does not apply"}
    count = sum(len(one.cells) for one in run_theory.statements)
    expect(page.locator("td[data-t]")).to_have_count(count)
    names = page.locator("td[data-t]").evaluate_all(
        "(cells) => cells.map((cell) => cell.getAttribute('aria-label'))"
    )
    assert names == [
        f"{one.title}, t = {t}: {words[found.state]}. {found.numbers}"
        for one in run_theory.statements
        for t, found in enumerate(one.cells, 1)
    ]
    told, link = page.locator(".told"), page.get_by_role("link", name=re.compile("^Open batch"))
    expect(told).to_contain_text(summary(run_theory.statements))
    expect(link).to_be_hidden()
    page.get_by_role("button", name="The proof").click()
    formulas_are_drawn(page)
    page.get_by_role("button", name="The proof").click()
    band, lemma1 = run_theory.statements[:2]
    cell(page, band.title, 3).hover()
    expect(told).to_have_text(f"{band.title} fails at t = 3 {band.cells[2].numbers}")
    assert marked(page) == [[]]
    cell(page, band.title, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(cell(page, lemma1.title, 7)).to_be_focused()
    expect(told).to_have_text(f"{lemma1.title} holds at t = 7 {lemma1.cells[6].numbers}")
    page.keyboard.press("Enter")
    expect(link).to_have_text("Open batch 7 on the Step page")
    assert marked(page) == [[7]]
    expect(page.locator('[aria-selected="true"]')).to_have_count(1)
    # One place for Tab in the whole grid, then the link.
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"event=7\.pick\.0"))
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    replay = load(spec_of("thin-peak"))
    frame = replay.frame(replay.events.index(Event(7, Kind.PICK)))
    expect(page.get_by_role("status").filter(has_text=frame.status)).to_be_visible()


@pytest.mark.slow
def test_settings_a_count_and_the_link(lab: Lab, context: BrowserContext, thin_peak: Page) -> None:
    """A narrower band; its count; a link that opens it again; the Step page has the same run."""
    page = thin_peak
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    field = page.get_by_label("Scale c", exact=True)
    field.fill("0.1")
    field.press("Enter")
    said = verdict(gather(load(replace(spec_of("thin-peak"), scale=0.1))))
    expect(status(page)).to_have_text(said)
    page.get_by_role("button", name="Count on 200 new draws of f").click()
    told = page.get_by_text(re.compile("s left. f left its band in [0-9]+ of [0-9]+ "))
    expect(told).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = page.get_by_text("Stopped. f left its band in")
    expect(stopped).to_be_visible()
    left, count = map(int, re.findall(r"in (\d+) of (\d+) new draws", stopped.inner_text())[0])
    assert left > count / 2  # a tenth of beta: f leaves nearly always
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "page=theory&" in link
    digest = page.locator(".run").get_attribute("data-digest")
    page.goto(link)
    lab.wait()
    expect(status(page)).to_have_text(said)
    expect(page.locator(".run")).to_have_attribute("data-digest", str(digest))
    page.get_by_role("link", name="Step", exact=True).click()
    page.wait_for_url(re.compile(r"/\?v=1"))
    lab.wait()
    expect(page.locator(".run")).to_have_attribute("data-digest", str(digest))
