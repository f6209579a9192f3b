"""Texts that somebody else has written, in every field that a person can open, in a real browser.

The content policy is switched off, which would keep most of them from doing harm: not every server
has it, and a file has none. No text becomes an element, is asked for, or is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests.app import hostile
from tests.app.hostile import ALL, TEXTS
from tests.browser.conftest import Lab, Server, running
from tests.browser.test_problem import Person

# Tells of each element with the attribute, or with such an address, that is there for a moment, in
# the document, in shadow roots and in templates that are filled elsewhere.
_WATCH = """
{
  const foreign = "[hit], [href^='javascript:' i], [src*='/hit'], base[href*=hit]"
  const check = (node) => {
    if (!(node instanceof Element)) { return }
    for (const one of [node, ...node.querySelectorAll("*")]) {
      if (one.matches(foreign)) { window.found(one.outerHTML.slice(0, 200)) }
      if (one.shadowRoot) { watch(one.shadowRoot) }
    }
  }
  const watch = (root) => {
    [...root.children].forEach(check)
    new MutationObserver((records) => {
      for (const {target, addedNodes} of records) { check(target); addedNodes.forEach(check) }
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
    path = "/app" if "panel" in request.param else ""
    with running(log, program=COMMANDS[request.param], path=path) as server:
        yield server


@pytest.mark.slow
@pytest.mark.gate
def test_an_experiment(browser: Browser, own_server: Server, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_bytes(hostile.saved())
    with watched(browser) as seen:
        lab, person = Lab(seen.page, own_server.url), Person(seen.page)
        lab.open("?page=problem")
        person.choose("Open a saved experiment", file)
        person.sees("2 results outstanding")
        everything(seen.page)
        person.press("Undo 1 failure")
        # As the browser has kept it.
        seen.page.reload()
        lab.wait()
        person.sees("3 results outstanding")
        everything(seen.page)


def everything(page: Page) -> None:
    """Each tab, what is written beside pictures, and what opens."""
    for name in (
        "chart",
        "measurements",
        "all rows",
        "posterior",
        "journal",
        "model",
        "inputs",
        "next batch",
    ):
        page.get_by_role("button", name=name, exact=True).filter(visible=True).click()
        page.wait_for_timeout(300)
    expect(page.get_by_role("heading", name=TEXTS[0]).first).to_be_visible()
