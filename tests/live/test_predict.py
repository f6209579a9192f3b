"""What is asked before it is shown: the state machine of predict.js, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.live.modules import Modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from ucbpe_core.support.validation import Floats

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


# What is drawn, against NumPy.

DRAW = "app/ucbpe_app/widgets/predict_draw.js"


def drawn(seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=13)


def test_a_stroke_is_straight_from_point_to_point(modules: Modules) -> None:
    points, at = (
        np.linspace(2.7, 7.5, 13),
        np.sort([2.7, *np.random.default_rng(0).uniform(2.7, 7.5, 99), 7.5]),
    )
    join = "({joinedStroke}, [all, x]) => all.map((values) => joinedStroke(values, x))"
    strokes = [drawn(seed) for seed in range(8)]
    given = [[stroke.tolist() for stroke in strokes], at.tolist()]
    for stroke, found in zip(strokes, modules.call(DRAW, join, given), strict=True):
        np.testing.assert_allclose(found, np.interp(at, points, stroke), atol=1e-12)


def test_the_gap_is_the_one_of_numpy(modules: Modules) -> None:
    x = np.linspace(2.7, 7.5, 61)
    curve, stroke, half = np.sin(x), drawn(3), 0.2 + 0.3 * np.cos(x) ** 2
    ask: dict[str, Any] = {"x": x, "curve": curve, "lower": curve - half, "upper": curve + half}
    given = [stroke.tolist(), {name: one.tolist() for name, one in ask.items()}]
    gap = modules.call(DRAW, "({strokeGap}, [y, ask]) => strokeGap(y, ask)", given)
    handles = np.linspace(x[0], x[-1], 13)
    away = np.abs(np.interp(x, handles, stroke) - curve)
    assert gap["average"] == pytest.approx(away.mean())
    assert (gap["most"], gap["largest"]) == (away.argmax(), pytest.approx(away.max()))
    assert gap["share"] == pytest.approx(np.mean(away <= half))


def test_a_goal_is_met_beyond_its_bound_and_near_within_the_margin(modules: Modules) -> None:
    goal = {"quantity": "region", "below": 20, "above": None, "margin": 5}
    raised = {**goal, "below": None, "above": 20}
    judge = "({judgedGoal}, all) => all.map(([goal, facts]) => judgedGoal(goal, facts))"
    values = [19.9, 20, 25, 25.1]
    given = [[one, {"region": value}] for one in (goal, raised) for value in values]
    found = modules.call(DRAW.replace("draw", "goal"), judge, [*given, [goal, {"x0": 1}]])
    assert found == ["done", "near", "near", "", "near", "near", "done", "done", ""]
