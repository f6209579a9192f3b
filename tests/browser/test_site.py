"""A site from a disk: its index, and the concept inventory."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import from_disk
from tests.browser.test_accessible import findings
from ucbpe_app.files import inventory
from ucbpe_app.files.site import Site
from ucbpe_app.lessons import Lesson, read
from ucbpe_app.lessons.inventory import items

LESSON = '''version = 1
slug = "{slug}"
title = "On {problem}"
problem = "{problem}"
caption = """Press Next. Then [there](event=2.posterior)."""

[settings]
K = 3
T = 3
initial = 5

[[questions]]
text = "How many?"
answer = "As the run has it."
number = 3
tolerance = 0.5
wrong = "Count them."
'''
PICTURES = {"curve": "multimodal", "field": "himmelblau", "plane": "mackey_glass"}
SIZES = {"phone": (390, 844), "laptop": (1366, 768), "projector": (1920, 1080)}


@pytest.fixture(scope="module")
def lessons() -> dict[str, Lesson]:
    return {
        slug: read(LESSON.format(slug=slug, problem=problem), slug)
        for slug, problem in PICTURES.items()
    }


@pytest.fixture(scope="module")
def folder(lessons: dict[str, Lesson], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder)
    site.finish([site.lesson(lesson) for lesson in lessons.values()])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("projector", "light")])
def test_the_index_is_accessible_fits_and_stays_in_its_folder(
    browser: Browser, folder: Path, size: str, scheme: Literal["light", "dark"]
) -> None:
    index = folder / "index.html"
    with from_disk(browser, index, SIZES[size], scheme, figures=False) as lab:
        page = lab.page
        expect(page.get_by_role("listitem")).to_have_count(3)
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert all(
            page.locator("img").nth(i).evaluate("e => e.naturalWidth > 100") for i in range(3)
        )
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page).to_have_title("On multimodal")


@pytest.mark.parametrize(
    ("form", "size", "scheme"), [("before", "laptop", "light"), ("after", "phone", "dark")]
)
def test_the_inventory_is_answered_by_keys_and_marks_nothing_before_the_end(
    browser: Browser, tmp_path: Path, form: str, size: str, scheme: Literal["light", "dark"]
) -> None:
    """Answers come as a file; reasons are told after the second form, and never after the first."""
    path = tmp_path / "inventory.html"
    path.write_text(inventory.page(), encoding="utf-8")
    with from_disk(browser, path, SIZES[size], scheme, figures=False) as lab:
        page, keys = lab.page, lab.page.keyboard
        page.get_by_role("link", name=f"{form.capitalize()} the lessons").press("Enter")
        shown = page.get_by_role("group").filter(has=page.get_by_role("radio"))
        expect(shown).to_have_count(12)
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        page.get_by_role("button", name="Finish").press("Enter")  # without a code
        expect(page.get_by_role("textbox", name="Your code")).to_be_focused()
        keys.type("fox7")
        keys.press("Tab")
        keys.type("B")
        for item in items(form)[:11]:  # the last one is left out
            keys.press("Tab")
            kinds = [kind for kind, _ in item.shuffled]
            keys.press("Space")
            for _ in range(kinds.index("right" if item.slug == "at-once" else "misconception")):
                keys.press("ArrowDown")
        assert page.locator(".reason:visible").count() == 0
        with page.expect_download() as download:
            page.get_by_role("button", name="Finish").press("Enter")
        assert download.value.suggested_filename == f"inventory-{form}-fox7.csv"
        with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        answers = {row["question"]: row["answer"] for row in rows}
        assert {(row["code"], row["group"], row["form"]) for row in rows} == {("fox7", "B", form)}
        assert list(answers) == [item.slug for item in items(form)]
        assert [*answers.values()].count("misconception") == 10
        assert (answers["at-once"], answers["results-in-a-batch"]) == ("right", "")
        expect(page.get_by_role("status")).to_be_focused()
        told = page.locator(".reason:visible").all_inner_texts()
        if form == "before":
            assert told == []
        else:
            expect(page.get_by_role("status")).to_contain_text("1 of 12 are right")
            assert len(told) == 12 + 10  # why the right ones are, and why the chosen ones are not
            assert told[0][0] in "✓✗"
        expect(page.get_by_role("radio").first).to_be_disabled()
