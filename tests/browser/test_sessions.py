"""Two browsers: neither can be made to share a session with the other."""

from __future__ import annotations

import base64
import json
import re

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Lab, Server

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
