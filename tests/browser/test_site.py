"""A site from a disk: its index."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import from_disk
from tests.browser.test_accessible import findings
from ucbpe_app.files.site import Site
from ucbpe_app.lessons import Lesson, read

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
