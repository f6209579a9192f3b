"""The search of the documentation: what comes first, and what is shown of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tools.docs.sources import ROOT

pytest.importorskip("furo", reason="Furo, of the extra docs, is not installed")

CHAPTER, API, DEVELOPERS = "chapters/1.html", "api/gp.html", "developers.html"
PAGES = {
    "index": "# Laboratory\n\nTo install, and to hallucinate.",
    "install": "# Install\n\nIn one line.",
    "glossary": "# Glossary\n\n## hallucinate\n\nTo count a pick.\n\n## R⁺ (R+)\n\nA region.",
    "chapters/1": "# Install, by a proof\n\nIn R⁺ and R, install, hallucinate.",
    "api/gp": "# Installing\n\n## install\n\nHallucinated.",
    "developers": f"# Developers install\n\n{'install ' * 9}R",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site, as Sphinx makes the documentation."""
    folder = tmp_path_factory.mktemp("site")
    for name, text in PAGES.items():
        file = folder / "texts" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\norphan: true\n---\n\n{text}\n", encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "-W", "-q", "-c", str(ROOT / "tools" / "docs")]
    subprocess.run([*sphinx, str(folder / "texts"), str(folder / "made")], cwd=ROOT, check=True)
    return folder / "made"


def _found(page: Page) -> list[str]:
    expect(page.get_by_text("matching the search query")).to_be_visible()
    return [str(one.get_attribute("href")) for one in page.locator(".search li a").all()]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("install", ["install.html", "index.html", CHAPTER, f"{API}#install", API, DEVELOPERS]),
        ("hallucinate", ["glossary.html#hallucinate", "glossary.html", "index.html", CHAPTER, API]),
        ("hallucinating", ["glossary.html", "index.html", CHAPTER, API]),
        ("R%2B", ["glossary.html", CHAPTER]),
        ("r⁺", ["glossary.html", CHAPTER]),
    ],
)
def test_the_guide_comes_before_chapters_reference_and_developers(
    site: Path, page: Page, query: str, found: list[str]
) -> None:
    """From a disk too, where a page may not read another one."""
    page.goto(f"{(site / 'search.html').as_uri()}?q={query}")
    assert _found(page) == found


def test_a_word_of_the_glossary_is_shown_with_what_it_means(site: Path, page: Page) -> None:
    def answer(route: Route) -> None:
        route.fulfill(path=site / route.request.url.partition("test/")[2].partition("?")[0])

    page.route("**/*", answer)
    page.goto("http://site.test/search.html?q=hallucinate")
    first = page.locator(".search li").first
    expect(first).to_contain_text("hallucinate To count a pick.")
    expect(first.locator("p .highlighted")).to_have_text("hallucinate")
