"""The Theory page in a browser: what does not hold, a batch, the count, the link."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.layout import ROUNDING, resized
from tests.browser.student import choose
from ucbpe_app.lessons import find
from ucbpe_app.run.cache import load
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.theory.sentences import summary, verdict
from ucbpe_app.theory.state import RunTheory, gather


def spec_of(slug: str) -> RunSpec:
    lesson = find(slug)
    assert lesson is not None
    return lesson.spec()


def evidence_of(slug: str) -> RunTheory:
    return gather(load(spec_of(slug)))


def status(page: Page) -> Locator:
    return page.get_by_role("status").last


def marked(page: Page) -> list[list[int]]:
    """The batches that the charts mark, by chart."""
    return page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
          .filter((model) => model.type === "ColumnDataSource"
            && [...model.columns()].join() === "left,right")
          .map((model) => [...model.get_column("right")].map((x) => x - 0.5))"""
    )


@pytest.fixture
def thin_peak(lab: Lab) -> Page:
    lab.open("?page=theory&preset=thin-peak")
    expect(status(lab.page)).to_have_text(verdict(evidence_of("thin-peak")))
    return lab.page


def test_what_the_strip_says_is_whole_and_the_charts_have_their_height(lab: Lab) -> None:
    """With the settings open over a part of them."""
    lab.keep_settings("open")
    lab.open("?page=theory")
    expect(status(lab.page)).to_contain_text("Most is lost at")
    for size in ((1366, 768), (1280, 720), (1024, 768), (1920, 1080)):
        resized(lab.page, size)
        strip = lab.page.locator(".lab-lesson").bounding_box()
        words = status(lab.page).bounding_box()
        assert strip
        assert words
        assert strip["y"] <= words["y"] <= strip["y"] + strip["height"] - words["height"]
        expect(lab.page.get_by_label("Problem", exact=True)).to_be_visible()
        chart = lab.page.locator(".bk-Figure:visible").first.bounding_box()
        assert chart
        assert strip["y"] + strip["height"] <= chart["y"] <= size[1] - chart["height"]
        assert chart["height"] > 200
        # The charts end where the statements begin, and these with the window.
        proof = lab.page.locator(".lab-plot-waterfall").bounding_box()
        words, table = (lab.page.locator(one).bounding_box() for one in (".statements", "table"))
        assert proof
        assert words
        assert table
        for drawn in (chart, proof):
            assert abs(drawn["y"] + drawn["height"] - words["y"]) < ROUNDING
        assert size[1] - 30 < table["y"] + table["height"] < size[1]


@pytest.mark.slow
def test_what_does_not_hold_and_a_batch_of_the_list(thin_peak: Page) -> None:
    """A row for each statement that fails; the batch of the list is marked in the chart."""
    page, run_theory = thin_peak, evidence_of("thin-peak")
    expect(page.get_by_role("heading", name=summary(run_theory))).to_be_visible()
    table = page.get_by_role("table").filter(has_text="does not hold")
    titles = [one.title for one in run_theory.verdicts.failures]
    expect(table.get_by_role("rowheader")).to_have_text(titles)
    assert marked(page) == [[]]
    page.get_by_role("button", name="Settings", exact=True).click()  # they lie over it
    choose(page, "After batch", "7")
    expect(page.get_by_role("heading", name="after batch 7")).to_be_visible()
    assert marked(page) == [[7]]


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
