"""The function that a link names, asked of the browser, and handed to it to be kept."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from tests.app.waiting import run
from ucbpe_app.run.own import OwnProblems, packed
from ucbpe_app.widgets import kept
from ucbpe_app.widgets.address import Navigation
from ucbpe_app.widgets.kept import Kept
from ucbpe_core.problems import from_table

TEXT = packed(from_table([[0.0], [1.0], [2.0]], [0.5, 1.5, 1.0], name="Mine"))
NAME = OwnProblems().keep(TEXT)


def sent(text: str, part: int = 0, parts: int = 1) -> dict[str, Any]:
    data = base64.b64encode(text.encode()).decode()
    return {"id": "a", "name": NAME, "part": part, "parts": parts, "data": data}


def ends(kept: Kept, *messages: dict[str, Any], within: float = 30.0) -> bool:
    """Whether the page ends to wait after these messages, in so many seconds."""

    async def whole() -> bool:
        bringing = asyncio.ensure_future(kept.bring())
        await asyncio.sleep(0)
        for message in messages:
            kept._handle_msg(message)
        done, _ = await asyncio.wait({bringing}, timeout=within)
        bringing.cancel()
        return bool(done)

    return run(whole())


def test_only_what_is_not_here_is_asked_for() -> None:
    problems = OwnProblems()
    assert Kept("problem=himmelblau", problems).wanted == ""
    query, half = f"page=race&problem={NAME}", len(TEXT) // 2
    parts = sent(TEXT[:half], 0, 2), sent(TEXT[half:], 1, 2)
    assert Kept(query, problems).wanted == NAME
    assert not ends(Kept(query, problems), within=0.05)
    assert not ends(Kept(query, problems), parts[0], within=0.05)
    assert ends(Kept(query, problems), *parts)
    assert problems.find(NAME).name == "Mine"
    again = Kept(f"problem={NAME}", problems)
    assert again.wanted == ""
    assert ends(again)


@pytest.mark.parametrize(
    "message",
    [{"missing": NAME}, sent("{}"), sent(TEXT[:-1]), {"part": 0}, {**sent(""), "data": "~"}],
)
def test_a_page_does_not_wait_for_what_the_browser_does_not_have(message: dict[str, Any]) -> None:
    problems = OwnProblems()
    kept = Kept(f"problem={NAME}", problems)
    assert ends(kept, message)
    assert NAME not in problems


def test_a_browser_that_says_nothing_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "_PATIENCE", 0.01)
    assert ends(Kept(f"problem={NAME}", OwnProblems()))


def test_a_function_is_given_to_the_browser_once() -> None:
    kept, given = Kept(problems=OwnProblems()), list[Any]()
    kept.param.watch(lambda event: given.append(event.new), "kept")
    assert kept.keep(TEXT) == kept.keep(TEXT) == NAME
    assert given == [{"name": NAME, "text": TEXT}]


def test_the_links_of_a_page_hand_over_what_its_own_link_names() -> None:
    name = NAME[:-32] + "0" * 32  # which no other test has kept
    assert Navigation({"step": "Step"}, "step", f"problem={name}").kept.wanted == name
