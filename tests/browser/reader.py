"""The page as a screen reader has it: the accessibility tree, what has the focus, and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PATIENCE

_FOCUSED = """
(() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) { node = node.shadowRoot.activeElement }
  return node
})()
"""
_MOST_STOPS = 250
_PAUSE = 50  # ms
# What is read out of a control besides its name.
_STATES = ("focusable", "expanded", "pressed", "disabled", "valuetext")


@dataclass(frozen=True)
class Node:
    """A node of the tree: what it is, how it is called, and its value."""

    role: str
    name: str
    value: str
    states: dict[str, Any]
    number: int  # of the element, within the page
    parts: tuple[Node, ...] = ()

    @cached_property
    def text(self) -> str:
        """All that is read out of it, with single spaces."""
        if self.role == "StaticText":
            return self.name
        return " ".join("".join(one.text for one in self.parts).split())

    def __iter__(self) -> Iterator[Node]:
        """It and all that it contains, in the order of reading."""
        yield self
        for one in self.parts:
            yield from one


def _node(raw: dict[str, Any], parts: tuple[Node, ...] = ()) -> Node:
    states = {one["name"]: one["value"].get("value") for one in raw.get("properties", ())}
    role, name, value = (
        str(raw.get(key, {}).get("value", "")) for key in ("role", "name", "value")
    )
    return Node(
        role,
        name if role == "StaticText" else " ".join(name.split()),
        value,
        {name: states[name] for name in _STATES if name in states},
        int(raw.get("backendDOMNodeId", -1)),
        parts,
    )


class Reader:
    """Somebody who has only the keyboard and what the browser tells a screen reader."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._browser = page.context.new_cdp_session(page)
        self._browser.send("Accessibility.enable")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def tree(self) -> Node:
        """The whole page."""
        raw = {one["nodeId"]: one for one in self._send("getFullAXTree")["nodes"]}

        def build(one: dict[str, Any]) -> Node:
            children = (raw[child] for child in one.get("childIds", ()) if child in raw)
            return _node(one, tuple(build(child) for child in children))

        (root,) = (one for one in raw.values() if "parentId" not in one)
        return build(root)

    def all(self, role: str, within: Node | None = None) -> list[Node]:
        return [one for one in within or self.tree() if one.role == role]

    def the(self, role: str, name: str) -> Node:
        """The one node of this role and name."""
        found = [one for one in self.all(role) if one.name == name]
        assert len(found) == 1, f"expected one {role} {name!r}, got {found}"
        return found[0]

    def again(self, node: Node) -> Node:
        """The same node as it is now, with what stands right in it."""
        raw = self._send("getPartialAXTree", backendNodeId=node.number, fetchRelatives=True)[
            "nodes"
        ]
        (own,) = (one for one in raw if one.get("backendDOMNodeId") == node.number)
        inside = {one["nodeId"]: one for one in raw}
        return _node(own, tuple(_node(inside[i]) for i in own.get("childIds", ()) if i in inside))

    def focus(self) -> Node:
        """What has the focus."""
        at = self._focused_object()
        return _node(self._send("getPartialAXTree", objectId=at, fetchRelatives=False)["nodes"][0])

    def _focused_object(self) -> str:
        found = self._browser.send("Runtime.evaluate", {"expression": _FOCUSED})
        return str(found["result"]["objectId"])

    def of_focused(self, function: str) -> Any:
        """What a function of JavaScript says of the element that has the focus, as `this`."""
        found = self._browser.send(
            "Runtime.callFunctionOn",
            {
                "objectId": self._focused_object(),
                "functionDeclaration": function,
                "returnByValue": True,
            },
        )
        return found["result"].get("value")

    def go(self, role: str, name: str, key: str = "Tab") -> Node:
        """Press Tab (or Shift+Tab) until this has the focus."""
        for _ in range(_MOST_STOPS):
            here = self.focus()
            if (here.role, here.name) == (role, name):
                return here
            self.press(key)
        pytest.fail(f"{key} does not reach the {role} {name!r} in {_MOST_STOPS} stops")

    def hears(self, what: str, heard: Callable[[], str]) -> None:
        """Wait until this is all that is read out."""
        self.waits(lambda: heard() == what, lambda: f"expected {what!r}, heard {heard()!r}")

    def waits(self, until: Callable[[], bool], told: Callable[[], str]) -> None:
        """Wait until something is so; after a while it is an error."""
        for _ in range(PATIENCE // _PAUSE):
            if until():
                return
            self.page.wait_for_timeout(_PAUSE)
        pytest.fail(told())

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.send(f"Accessibility.{method}", parameters)
