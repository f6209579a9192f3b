"""What is asked before it is shown: the state machine of predict.js, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.live.modules import Modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

SCRIPT = "app/ucbpe_app/widgets/predict.js"
LAST = 6
# Every state after these actions. A reload has what the tab keeps, and the event on screen; a link
# opens an event in the same tab.
PLAY = """({advance, INITIAL, KEPT}, {marked, last, actions}) => {
  const begin = (kept) => ({...INITIAL, ...JSON.parse(JSON.stringify(kept)), last, marked})
  const states = [advance(begin({}), {do: "open", index: 0})]
  for (const action of actions) {
    const state = states.at(-1)
    const kept = Object.fromEntries(KEPT.map((name) => [name, state[name]]))
    states.push(action.do === "reload" ? advance(begin(kept), {do: "open", index: state.index})
      : advance(state, action))
  }
  return states
}"""


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[Modules]:
    page = browser.new_page()
    yield Modules(page)
    page.close()


index = st.integers(-2, LAST + 2)
marks = st.sets(st.integers(1, LAST), max_size=6).map(
    lambda found: [{"index": i, "event": f"event {i}"} for i in sorted(found)]
)
actions = st.lists(
    st.one_of(
        st.sampled_from(["next", "back", "skip", "unmark", "reload"]).map(lambda do: {"do": do}),
        st.builds(lambda mark: {"do": "mark", "mark": mark}, st.integers(0, 99)),
        st.builds(lambda do, at: {"do": do, "index": at}, st.sampled_from(["go", "open"]), index),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(marked=marks, actions=actions)
def test_no_pick_is_shown_before_its_answer_or_skip(
    modules: Modules, marked: list[dict[str, Any]], actions: list[dict[str, Any]]
) -> None:
    states = modules.call(SCRIPT, PLAY, {"marked": marked, "last": LAST, "actions": actions})
    for state, before, action in zip(states[1:], states, actions, strict=False):
        assert 0 <= state["index"] <= LAST
        shown = [mark["event"] for mark in marked if mark["index"] <= state["index"]]
        assert set(shown) <= set(state["answers"]), "a pick without its answer or skip"
        # What counts is the first answer, whatever is marked later.
        assert before["answers"].items() <= state["answers"].items()
        if state["asking"] is None:
            assert state["mark"] is None
        else:  # only before the very event, which is not yet on screen
            assert {"index": state["index"] + 1, "event": state["asking"]} in marked
        news = state["answers"].keys() - before["answers"].keys()
        if action["do"] in ("next", "back", "go"):  # a step gives no answer but the mark
            assert [state["answers"][event] for event in news] == [before["mark"]] * len(news)
        if action["do"] == "reload":
            assert state == before, "a reload keeps all"


def test_a_skip_an_answer_and_another_one_after_it(modules: Modules) -> None:
    marked = [{"index": 1, "event": "a"}, {"index": 3, "event": "b"}]
    told: list[dict[str, Any]] = [
        {"do": "next"}, {"do": "mark", "mark": 5}, {"do": "next"}, {"do": "back"},
        {"do": "mark", "mark": 6}, {"do": "next"}, {"do": "go", "index": 9}, {"do": "skip"},
        {"do": "back"}, {"do": "go", "index": 9},
    ]  # fmt: skip
    states = modules.call(SCRIPT, PLAY, {"marked": marked, "last": LAST, "actions": told})
    seen = [(state["index"], state["asking"], state["mark"]) for state in states]
    assert seen == [
        (0, "a", None), (0, "a", None), (0, "a", 5), (1, None, None), (0, "a", 5), (0, "a", 6),
        (1, None, None), (2, "b", None), (3, None, None), (2, None, None), (6, None, None),
    ]  # fmt: skip
    assert states[-1]["answers"] == {"a": 5, "b": "skipped"}
    assert states[-1]["latest"] == {"a": 6}
