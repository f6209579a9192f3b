"""Texts that somebody else has written, in every field that a person can open, in a real browser.

The content policy is switched off, which would keep most of them from doing harm: not every server
has it, and a file has none. No text becomes an element, is asked for, or is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests.app import hostile
from tests.app.hostile import ALL, TEXTS
from tests.browser.conftest import Lab, Server, free_port, running
from tests.browser.test_problem import Person
from ucbpe_app.files import lesson
from ucbpe_app.files.site_index import Card, index, summary
from ucbpe_app.lessons import read
from ucbpe_app.links import FIELDS
from ucbpe_app.run.cache import load

# Tells of each element with the attribute, or with such an address, that is there for a moment, in
# the document, in shadow roots and in templates that are filled elsewhere.
_WATCH = """
{
  const foreign = "[hit], [href^='javascript:' i], [src*='/hit'], base[href*=hit]"
  const check = (node) => {
    if (node.matches(foreign)) { window.found(node.outerHTML.slice(0, 200)) }
    if (node.shadowRoot) { watch(node.shadowRoot) }
  }
  const checkAll = (node) => {
    if (node instanceof Element) { [node, ...node.querySelectorAll("*")].forEach(check) }
  }
  const watch = (root) => {
    [...root.children].forEach(checkAll)
    new MutationObserver((records) => {
      for (const {type, target, addedNodes} of records) {
        if (type === "attributes") { check(target) } else { addedNodes.forEach(checkAll) }
      }
    }).observe(root, {childList: true, subtree: true, attributes: true})
  }
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options)
    watch(root)
    return root
  }
  watch(document)
}
"""


class Watched:
    """A page without a content policy, and what became of texts in it."""

    def __init__(self, context: BrowserContext) -> None:
        self.found: list[str] = []
        context.expose_function("found", lambda what: self._add("element", what))
        context.expose_function("hit", lambda *_: self._add("call", "hit"))
        context.add_init_script(_WATCH)
        context.on("request", self._on_request)
        self.page = context.new_page()

    def _add(self, kind: str, what: str) -> None:
        self.found.append(f"{kind}: {what}")

    def _on_request(self, request: Request) -> None:
        if "/hit" in request.url.partition("?")[0]:
            self._add("request", request.url)


@contextmanager
def watched(browser: Browser) -> Iterator[Watched]:
    """A page; afterwards nothing has become of any text."""
    with browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 920}) as context:
        context.set_default_timeout(90_000)
        watched = Watched(context)
        yield watched
        watched.page.wait_for_timeout(500)
        assert watched.found == []


def test_what_is_watched_for_is_seen(browser: Browser) -> None:
    """Of an element, of one in a shadow root, of what it asks for, and of what it calls."""
    with browser.new_context(bypass_csp=True) as context:
        seen = Watched(context)
        context.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
        seen.page.goto("http://127.0.0.1/")
        for where in ("document.body", "document.body.attachShadow({mode: 'open'})"):
            seen.found.clear()
            seen.page.evaluate(f"(text) => {{ {where}.innerHTML = text }}", ALL)
            seen.page.wait_for_timeout(500)
            kinds = {one.partition(":")[0] for one in seen.found}
            assert kinds == {"element", "call", "request"}
            assert len(seen.found) > 20


COMMANDS = {
    "ucbpe app": ("ucbpe_app.cli", "app"),
    "panel serve app": ("panel", "serve", "app"),
}


@pytest.fixture(scope="module", params=COMMANDS)
def own_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("hostile") / "log.txt"
    port, options, path = free_port(), list[str](), ""
    if "panel" in request.param:
        options, path = ["--allow-websocket-origin", f"127.0.0.1:{port}"], "/app"
    program = COMMANDS[request.param]
    with running(log, *options, program=program, port=port, path=path) as server:
        yield server


pytestmark = pytest.mark.slow


def go(lab: Lab, query: str) -> None:
    """Open an address; that of `panel serve` has no slash at its end."""
    lab.page.goto(f"{lab.url}{query}")
    lab.wait()


def open_all(page: Page, names: Iterable[str]) -> None:
    """Press each of these buttons, to see what it brings."""
    for name in names:
        page.get_by_role("button", name=name, exact=True).filter(visible=True).click()
        page.wait_for_timeout(300)


LISTS = ("measurements", "all rows", "posterior", "journal", "inputs", "next batch", "Settings")


def test_an_experiment(browser: Browser, own_server: Server, tmp_path: Path) -> None:
    """From a file, and as the browser has kept it."""
    file = tmp_path / "own.json"
    file.write_bytes(hostile.saved())
    with watched(browser) as seen:
        lab, person = Lab(seen.page, own_server.url), Person(seen.page)
        lab.keep_settings("closed")
        go(lab, "?page=problem")
        person.choose("Open a saved experiment", file)
        person.sees("2 results outstanding")
        expect(seen.page.get_by_role("heading", name=f"{TEXTS[0]} {TEXTS[1]}")).to_be_visible()
        open_all(seen.page, LISTS)
        person.press("Undo failure")
        person.sees("3 results outstanding")
        seen.page.reload()
        lab.wait()
        person.sees("3 results outstanding")
        open_all(seen.page, LISTS[:-1])


@pytest.mark.parametrize("name", ["table.csv", "table.xlsx"])
def test_a_table(browser: Browser, own_server: Server, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(hostile.table() if name.endswith("csv") else hostile.workbook())
    with watched(browser) as seen:
        lab, person = Lab(seen.page, own_server.url), Person(seen.page)
        lab.keep_settings("closed")
        go(lab, "?page=problem")
        person.choose("Choose a CSV or Excel file", file)
        uses = seen.page.get_by_label(re.compile("^Use of column"))
        for i, use in enumerate(("label", "input", "category", "value")):
            uses.nth(i).select_option(use)
        person.press(f"Yes, optimise {TEXTS[20]}")
        person.sees("4 values known")
        person.press("Run an experiment")
        person.press("Propose 4 rows")
        person.sees("4 results outstanding")
        open_all(seen.page, LISTS)


def test_lessons(browser: Browser, own_server: Server, tmp_path: Path) -> None:
    """Opened by their button, one after the other; all their titles are in the list then."""
    numbers = range(len(TEXTS) if not own_server.url.endswith("/app") else 3)
    with watched(browser) as seen:
        page = seen.page
        lab = Lab(page, own_server.url)
        go(lab, "?preset=start")
        for number in numbers:
            text = hostile.lesson(number)
            file = tmp_path / f"{number}.toml"
            file.write_text(text, encoding="utf-8")
            page.get_by_label("Open a lesson file").set_input_files(file)
            card = page.get_by_role("region", name="Lesson")
            title = read(text, "mine").title
            expect(card.get_by_role("heading", name=title, exact=True)).to_be_visible()
            open_all(page, ["Choose an answer"])
            card.get_by_role("radio").first.check()
            page.keyboard.press("Escape")
        page.get_by_title("All lessons").click()
        shelf = page.get_by_role("region", name="From a file")
        expect(shelf.get_by_text(TEXTS[0], exact=True)).to_be_visible()
        page.keyboard.press("Escape")


def test_links(browser: Browser, own_server: Server) -> None:
    """To every page, with one of the texts in every field; and what it says is wrong."""
    names = [*FIELDS, "label", "b.label", "policies", "reference", "regret", "unit", "run"]
    with watched(browser) as seen:
        lab = Lab(seen.page, own_server.url)
        for number, page in enumerate(("step", "race", "study", "theory", "problem", ALL)):
            go(lab, f"?{hostile.query(page, number, names)}")
            if page not in ("problem", ALL):
                said = seen.page.get_by_role("alert").filter(visible=True).first
                expect(said).to_contain_text("hit")
        labels = f"label={quote(TEXTS[0])}&b.label={quote(TEXTS[2])}"
        go(lab, f"?page=race&preset=start&T=2&b.policy=greedyucb&{labels}")
        expect(seen.page.get_by_role("heading", name=TEXTS[0]).first).to_be_visible()


def test_files(browser: Browser, tmp_path: Path) -> None:
    """A lesson's file, one that is computed, and the index of a site."""
    files = dict[str, str]()
    for number in (0, 1, 2):
        about = read(hostile.lesson(number), "mine")
        card = Card(
            about.title, summary(about.caption), f"{ALL}.html", "", about.questions[0].answer, 1
        )
        files[f"index-{number}"] = index({about.questions[0].text: [card]}, about.title)
        files[f"lesson-{number}"] = lesson(load(about.spec()), about=about, live=number == 1)
    for name, text in files.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        with watched(browser) as seen:
            seen.page.goto((tmp_path / f"{name}.html").as_uri())
            if "lesson" in name:
                Lab(seen.page, "").wait()
                seen.page.keyboard.press("End")
