"""The search of the documentation, opened from a disk: what comes first, and what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tools.docs import search

SITE = {
    "index.html": '<section id="cite"><h1>Laboratory</h1><p>to install, hallucinate</section>',
    "install.html": '<section id="install"><h1>Install</h1><p>in one line</p></section>',
    "glossary.html": '<section id="words"><h1>Glossary</h1><table><td><span id="hallucinate">'
    "hallucinate</span></td><td>to count a pick as measured</td></table></section>",
    "api/gp.html": '<section id="gp"><h1>Processes</h1><dl><dt id="gp.hallucinate">hallucinate('
    'indices)<a class="headerlink">#</a></dt><dd>count picks</dd></dl></section>',
    "developers.html": f'<section id="d"><h1>Developers</h1><p>{"install " * 9}</section>',
}


@pytest.fixture
def site(page: Page, tmp_path: Path) -> Page:
    """The search page of a small site."""
    for name, article in SITE.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<nav>install</nav><article>{article}</article>", encoding="utf-8")
    (tmp_path / "_static").mkdir()
    search.write(tmp_path)
    script = Path(search.__file__).with_name("static") / "search.js"
    (tmp_path / "search.html").write_text(
        '<meta charset="utf-8"><form id="search"><input name="q" type="search"></form>'
        '<p id="search-status"></p><ol id="search-results"></ol>'
        '<script src="_static/search-texts.js"></script>'
        f"<script>{script.read_text(encoding='utf-8')}</script>",
        encoding="utf-8",
    )
    page.context.set_offline(True)
    page.goto((tmp_path / "search.html").as_uri() + "?q=install")
    return page


def _links(page: Page) -> list[str]:
    return [str(one.get_attribute("href")) for one in page.locator("li a").all()]


def test_the_guide_comes_before_reference_and_developers(site: Page) -> None:
    assert _links(site) == ["install.html#install", "index.html#cite", "developers.html#d"]
    site.get_by_role("searchbox").fill("hallucinating")
    found = ["glossary.html#hallucinate", "index.html#cite", "api/gp.html#gp.hallucinate"]
    assert _links(site) == found
    expect(site.locator("li").nth(2)).to_contain_text("Processes › hallucinatereference")


def test_what_is_found_is_marked_and_what_is_typed_is_text(site: Page) -> None:
    assert site.locator("li").nth(1).locator("mark").all_inner_texts() == ["install"]
    site.get_by_role("searchbox").fill("<img src=x onerror=alert(1)>")
    expect(site.locator("#search-status")).to_have_text(
        "No results for “<img src=x onerror=alert(1)>”"
    )
    assert site.locator("img").count() == 0
