"""What a page shows, and whether a fresh page at the same address shows the same."""

from __future__ import annotations

import time
from difflib import unified_diff

from playwright.sync_api import Page, expect

SECONDS = 60
_LOOKS = 5
# All texts in sight, values of fields and states of buttons, in the order of the document. Without
# what says that the connection is back, and what a pointer or the focus brings up.
_SHOWN = """
() => {
  const said = []
  const skip = "style, script, noscript, title, [data-offline]:not(button), [role=tooltip]"
  const state = (node) => {
    const name = node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? ""
    if (node.matches("input, select, textarea")) {
      const value = ["checkbox", "radio"].includes(node.type) ? node.checked : node.value
      said.push(`${name} = ${value}`)
    }
    for (const attribute of ["aria-pressed", "aria-current", "aria-selected", "aria-disabled"]) {
      if (node.hasAttribute(attribute)) {
        said.push(`${name || node.textContent} ${attribute} ${node.getAttribute(attribute)}`)
      }
    }
    if (node.disabled) { said.push(`${name || node.textContent} disabled`) }
  }
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.textContent.trim()) {
        said.push(node.textContent.trim().replace(/\\s+/g, " "))
      }
      if (node.nodeType !== Node.ELEMENT_NODE || node.matches(skip)) { continue }
      if (!node.checkVisibility() && getComputedStyle(node).display !== "contents") { continue }
      state(node)
      if (node.shadowRoot) { walk(node.shadowRoot) }
      walk(node)
    }
  }
  walk(document.body)
  return said
}
"""
# And without whether a change can be undone, which is not in an address.
NOTES = (
    *("Connected again", "A copy is in this browser", "Saved at"),
    *(f"{name} {state}" for name in ("Undo", "Redo") for state in ("aria-disabled", "disabled")),
)


def shown(page: Page) -> list[str]:
    """What there is to read on a page."""
    return [one for one in page.evaluate(_SHOWN) if not one.startswith(NOTES)]


def still(page: Page) -> list[str]:
    """What there is to read once that no longer changes."""
    before, looks, deadline = shown(page), 0, time.monotonic() + SECONDS
    while looks < _LOOKS:
        assert time.monotonic() < deadline, "the page keeps changing"
        page.wait_for_timeout(300)
        now = shown(page)
        looks = looks + 1 if now == before else 0
        before = now
    return before


def shows(page: Page, before: list[str]) -> None:
    """What the page shows is, within a while, what it or another one showed before."""
    now, deadline = list[str](), time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        now = shown(page)
        if now == before:
            return
        page.wait_for_timeout(300)
    difference = "\n".join(unified_diff(before, now, "expected", "shown", lineterm="", n=1))
    raise AssertionError(difference)


def is_as_fresh(page: Page, prepare: str = "") -> None:
    """What the page shows is, within a while, what a new tab at its address shows.

    `prepare` is the name of a button that the new tab needs pressed.
    """
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)
    ours = still(page)
    with page.context.expect_page() as opened:
        page.evaluate("() => { window.open(window.location.href, '_blank', 'noopener') }")
    fresh = opened.value
    fresh.wait_for_function("window.Bokeh?.documents[0]?.is_idle", timeout=SECONDS * 1000)
    if prepare:
        fresh.get_by_role("button", name=prepare).first.click()
    shows(fresh, ours)
    fresh.close()
    assert shown(page) == ours
