"""Two browsers: neither can be made to share a session with the other."""

from __future__ import annotations

import base64
import json
import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket

from tests.browser.conftest import Lab, Server
from tests.browser.test_problem import Person

ATTACK = """
() => {
  const script = "<img src=x onerror='window.attacked = true'>"
  for (const model of Bokeh.documents[0].all_models) {
    if (model.type.startsWith("Markup")) { model.object = script }
    if (model.type == "panel.models.markup.HTML") { model.text = script }
  }
}
"""
TIMELINE = """
() => {
  for (const model of Bokeh.documents[0].all_models) {
    if (model.type.startsWith("Timeline")) { return [model.index, model.status] }
  }
}
"""


@pytest.mark.slow
def test_an_address_does_not_name_the_session(browser: Browser, server_process: Server) -> None:
    with browser.new_context() as one, browser.new_context() as other:
        attacker = Lab(one.new_page(), server_process.url)
        victim = Lab(other.new_page(), server_process.url)
        for lab in (attacker, victim):
            assert refused(lab, "bokeh-session-id=guessed")
        attacker.open()
        token = token_of(attacker)
        assert refused(victim, f"bokeh-token={token}")
        assert refused(victim, f"bokeh-session-id={session_of(token)}")
        victim.open()
        assert session_of(token_of(victim)) != session_of(token)
        seen = victim.page.evaluate(TIMELINE)
        attacker.page.evaluate(ATTACK)
        attacker.page.keyboard.press("End")
        attacker.page.wait_for_function(f"() => ({TIMELINE})()[0] > 3")
        assert victim.page.evaluate(TIMELINE) == seen
        victim.page.keyboard.press("ArrowRight")
        victim.page.wait_for_function(f"() => ({TIMELINE})()[1] != {json.dumps(seen[1])}")
        assert victim.page.evaluate(TIMELINE)[0] == seen[0] + 1
        assert not victim.page.evaluate("() => window.attacked")
        victim.page.reload()
        victim.wait()
        assert session_of(token_of(victim)) != session_of(token)


@pytest.mark.slow
def test_what_one_brings_and_measures_reaches_no_other(
    browser: Browser, server_process: Server
) -> None:
    """Experiments and results, in whatever the server sends, logs, and the browser keeps."""
    with browser.new_context() as one, browser.new_context() as other:
        visitors = [Visitor(one, server_process, "ada"), Visitor(other, server_process, "bob")]
        for visitor in visitors:
            visitor.begin()
        for visitor in visitors:
            visitor.measure()
        for visitor in visitors:
            visitor.come_back()
        for visitor, stranger in (visitors, visitors[::-1]):
            received = b"".join(visitor.received)
            assert visitor.name.encode() in received
            assert stranger.name.encode() not in received
            assert stranger.name not in visitor.page.evaluate(EVERYTHING)
            assert stranger.name not in server_process.said()


# What a browser keeps by itself is asked of it by the page, which names what it finds.
EVERYTHING = """
() => JSON.stringify([
  document.documentElement.outerHTML, document.body.innerText,
  Object.entries(localStorage), Object.entries(sessionStorage),
])
"""


class Visitor:
    """Somebody with an experiment that nobody else knows of."""

    def __init__(self, context: BrowserContext, server: Server, name: str) -> None:
        self.name = f"secret-of-{name}"
        self.received: list[bytes] = []
        self.page: Page = context.new_page()
        self.page.on("websocket", self._listen)
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.lab, self.person = Lab(self.page, server.url), Person(self.page)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._take)

    def _take(self, payload: str | bytes) -> None:
        self.received.append(payload.encode() if isinstance(payload, str) else payload)

    def begin(self) -> None:
        self.lab.open("?page=problem")
        self.person.press("Example: Four measured so far")
        self.person.sees("4 values known")
        name = self.page.get_by_label("Name", exact=True)
        name.fill(self.name)
        name.press("Enter")
        self.person.press("Run an experiment")

    def measure(self) -> None:
        self.person.press("Propose batch 1")
        self.person.sees("results outstanding")

    def come_back(self) -> None:
        self.page.reload()
        self.lab.wait()
        self.person.sees("results outstanding")
        self.page.get_by_text(self.name).first.wait_for(state="attached")


def refused(lab: Lab, query: str) -> bool:
    answer = lab.page.goto(f"{lab.url}/?{query}")
    assert answer is not None
    return answer.status == 403


def token_of(lab: Lab) -> str:
    found = re.search(r'"token":"([^"]+)"', lab.page.content())
    assert found is not None
    return found[1]


def session_of(token: str) -> str:
    text = token.partition(".")[0]
    session: str = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))["session_id"]
    return session
