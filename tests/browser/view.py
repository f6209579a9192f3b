"""A component's script in a page, with a model that a test changes in place of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page

_SHOW = """async ([code, values]) => {
  const {render} = await import(URL.createObjectURL(new Blob([code], {type: "text/javascript"})))
  const listeners = []
  window.sent = []
  const model = {...values, on: (...one) => listeners.push(one), send_msg: (one) => sent.push(one)}
  window.answer = (changes) => {
    Object.assign(model, changes)
    for (const [name, heard] of listeners) { if (name in changes) { heard() } }
  }
  document.body.replaceChildren(render({model}))
}"""


def show(page: Page, code: str, values: Mapping[str, Any]) -> None:
    """Show it; `sent` has what it sends, and `answer` changes what it has of the server."""
    page.evaluate(_SHOW, [code, values])
