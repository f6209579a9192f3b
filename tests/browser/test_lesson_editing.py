"""A lesson written on the page, tried there and saved as its file, in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from ucbpe_app.lessons import find
from ucbpe_app.lessons.files import read_file
from ucbpe_app.run.events import Event, Kind


def test_a_lesson_is_edited_tried_and_saved(lab: Lab, tmp_path: Path) -> None:
    page = lab.page
    lab.open("?preset=start&event=2.region&K=5")
    card = page.get_by_role("region", name="Lesson")
    card.get_by_role("button", name="Edit this lesson").click()
    text = card.get_by_label("Text of the lesson")
    expect(text).to_be_visible()
    written = text.input_value()
    assert 'slug = "start"' in written
    text.fill(written.replace('slug = "start"', 'slug = "mine"').replace("Start here", "Mine"))
    card.get_by_role("button", name="Take what is on screen").click()
    page.wait_for_function(
        "text => text.value.includes('K = 5')", arg=text.element_handle(), timeout=10_000
    )
    text.press("End")
    text.press("ArrowRight")  # a caret moves, no event does
    expect(page.get_by_role("status")).to_contain_text("relevant region")
    card.get_by_role("button", name="Try").click()
    expect(card.get_by_role("heading")).to_have_text("Mine: one curve")
    with page.expect_download() as download:
        card.get_by_role("button", name="Save file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "mine.toml"
    lesson, start = read_file(file), find("start")
    assert start is not None
    assert lesson.caption == start.caption
    assert lesson.event == Event(2, Kind.REGION)
    assert lesson.settings["batch_size"] == 5
    # A mistake is told, and what is written stays.
    text.fill(text.input_value().replace("version = 1", "version = 7"))
    card.get_by_role("button", name="Try").click()
    expect(page.get_by_text("version must be 1; got 7")).to_be_visible()
    assert "version = 7" in text.input_value()
    card.get_by_role("button", name="Close").click()
    expect(text).to_be_hidden()
    expect(card.get_by_text("A curve f has been measured")).to_be_visible()
