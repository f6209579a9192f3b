"""What the browser is told of a drag of a slider, whose runs it draws itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.engine.parts import require_computed
from ucbpe_app.run.cache import load
from ucbpe_app.step.live_run import LiveRun
from ucbpe_app.step.page import StepPage
from ucbpe_app.widgets.fields import shown


@pytest.fixture
def step() -> StepPage:
    return StepPage("preset=start")


def drag(step: StepPage, setting: str = "lengthscale") -> LiveRun:
    """Have the pointer hold the slider of a setting, or of none."""
    in_a_session(lambda: setattr(step.explore.live, "dragged", setting))
    return step.explore.live


def focus(step: StepPage, setting: str = "lengthscale") -> LiveRun:
    """Have the slider of a setting, or of none, have the focus."""
    in_a_session(lambda: setattr(step.explore.live, "focused", setting))
    return step.explore.live


def press(step: StepPage, name: str) -> None:
    in_a_session(lambda: step.explore.bar.receive({"do": name}))


def test_a_drag_begins_with_the_run_and_the_event_on_screen(step: StepPage) -> None:
    step.session.go(10)
    live = drag(step)
    assert live.setting == "lengthscale"
    assert live.settings == require_computed(step.session.replay)
    assert live.event == {"t": 2, "kind": "pick", "k": 1}
    shown = {
        "truth": False, "noisy": False, "plane": False, "stop": False, "plain": True,
        "featured": "", "secret": True,
    }  # fmt: skip
    assert live.layers == {**shown, "pinned": "before: lengthscale 0.65"}
    slider = step.controls.fields["lengthscale"].slider
    assert slider.setting == "lengthscale"
    assert live.value == slider.value == pytest.approx(np.log10(0.65))
    assert "engine.js" in live.engine
    values = live.problem["tables"]["values"]
    assert values == step.session.replay.trace.problem.values.tolist()


def test_a_slider_at_rest_is_drawn_by_the_server_which_says_so_first(step: StepPage) -> None:
    drag(step)
    said: list[str] = []
    live, line = step.explore.live, step.view.picture
    live.param.watch(lambda _: said.append("taken back"), "drawn")
    line.named["function.mean"].on_change("data", lambda attr, old, new: said.append("drawn"))
    before = step.session.replay
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert step.session.replay is not before
    assert said[0] == "taken back"
    assert "drawn" in said
    assert live.settings == require_computed(step.session.replay)


@pytest.mark.parametrize(
    ("before", "then", "setting", "held"),
    [
        (["drag lengthscale"], ["move", "drag"], "", False),
        (["drag lengthscale"], ["move", "drag", "drag scale"], "scale", True),
        (["drag lengthscale"], ["move", "drag", "focus lengthscale"], "lengthscale", False),
        (["focus lengthscale", "move"], [], "lengthscale", False),
        (["focus lengthscale"], ["move", "focus"], "", False),
        (["focus lengthscale"], ["focus", "focus scale"], "scale", False),
        (["focus lengthscale", "focus", "focus scale"], ["focus"], "", False),
        (["focus scale", "drag lengthscale"], ["focus"], "lengthscale", True),
        (["focus scale", "drag lengthscale", "focus"], ["drag"], "", False),
    ],
)
def test_what_is_drawn_follows_pointer_and_focus_and_the_last_run_is_not_lost(
    step: StepPage, before: list[str], then: list[str], setting: str, held: bool
) -> None:
    live = step.explore.live

    def act(does: str) -> None:
        what, _, name = does.partition(" ")
        if what == "move":
            step.session.settings.accept(lengthscale=1.3)
        else:
            setattr(live, {"drag": "dragged", "focus": "focused"}[what], name)

    for does in before:
        in_a_session(lambda: act(does))  # noqa: B023
    in_a_session(lambda: [act(does) for does in then])
    lengthscale = 1.3 if "move" in [*before, *then] else 0.65
    assert (live.setting, step.session.spec.lengthscale) == (setting, lengthscale)
    if setting:
        assert (live.settings, live.locked) == (require_computed(step.session.replay), held)
        assert (live.layers["pinned"] != "") == held
    request = step.view.picture.request
    for one in (live.start, request.locked, request.pinned):
        assert (one is not None) == held


def test_a_problem_is_sent_once(step: StepPage) -> None:
    live = drag(step)
    sent: list[str] = []
    live.param.watch(lambda event: sent.append(event.name), ["engine", "problem"])
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    drag(step, "")
    drag(step, "scale")
    assert sent == []
    drag(step, "")
    in_a_session(lambda: step.session.settings.accept(batches=4))
    drag(step)
    assert sent == ["problem"]


def test_a_run_that_is_pinned_meanwhile_is_drawn_after_the_browser_took_back(
    step: StepPage,
) -> None:
    live = focus(step)
    before = live.drawn
    press(step, "pin")
    assert live.drawn > before


@pytest.mark.parametrize(
    "query",
    [
        "preset=start&show=bounds",
        "preset=start&show=log",
        "preset=start&policy=pims",
        "preset=start&schedule=information-gain",
        "preset=mackey-glass",
    ],
)
def test_what_the_engine_does_not_draw_the_server_draws(query: str) -> None:
    step = StepPage()
    in_a_session(lambda: step.visit(query))
    assert not drag(step).setting
    before = step.session.replay
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.1))
    assert step.session.replay is not before


def test_held_data_are_drawn_by_the_server(step: StepPage) -> None:
    press(step, "hold")
    assert not drag(step).setting


def test_a_browser_that_refuses_has_its_runs_from_the_server(step: StepPage) -> None:
    live = drag(step)

    def move_and_refuse() -> None:
        step.session.settings.accept(lengthscale=1.3)
        live.refused = True

    in_a_session(move_and_refuse)
    assert step.session.spec.lengthscale == 1.3
    assert not live.setting
    drag(step, "")
    assert not drag(step).setting


def test_other_layers_are_drawn_by_the_server(step: StepPage) -> None:
    live = drag(step)
    in_a_session(lambda: step.layers.toggle("log"))
    assert not live.setting
    in_a_session(lambda: step.layers.toggle("log"))
    assert live.setting == "lengthscale"


def test_a_run_that_it_cannot_draw_ends_a_drag(step: StepPage) -> None:
    live = drag(step)
    in_a_session(lambda: step.visit("preset=mackey-glass"))
    assert step.session.replay.scene.dimension > 2
    assert not live.setting


def test_another_problem_is_sent_during_a_drag(step: StepPage) -> None:
    live = drag(step)
    in_a_session(lambda: step.visit("preset=himmelblau"))
    tables = live.problem["tables"]
    assert len(tables["values"]) == len(step.session.replay.trace.problem.candidates)


def test_another_slider_takes_over_before_the_first_is_written(step: StepPage) -> None:
    """The browser takes back what it wrote when it is told of the drag: not what comes after."""
    first, live = step.controls.fields["lengthscale"], drag(step)
    seen = list[str]()
    first.control.param.watch(lambda _: seen.append("field"), "value")
    live.param.watch(lambda _: seen.append("drawn"), "drawn")

    def move_and_drag_another() -> None:
        first.slider.value += 0.5
        assert (first.control.value, seen) == ("0.65", [])
        live.dragged = "noise_variance"
        assert first.control.value == shown(step.session.settings.lengthscale) != "0.65"
        assert (seen[0], seen.count("field")) == ("drawn", 1)

    in_a_session(move_and_drag_another)


def test_a_measurement_that_is_dragged_is_drawn_by_the_browser(step: StepPage) -> None:
    live, before = drag(step, "moved"), step.session.replay
    assert live.setting == "moved"
    assert live.settings == require_computed(before)
    assert live.layers["pinned"] == "before: as it was"
    in_a_session(lambda: setattr(live, "placed", [1, 2.0]))
    after = step.session.replay
    assert after is load(step.session.spec, moved=((1, 2.0),))
    assert live.moved == [[1, 2.0]]
    assert live.value == [1, 2.0]
    assert live.setting == "moved"  # the next move as well
    assert live.settings == require_computed(before)
    drag(step, "")
    assert step.view.picture.request.pinned is None
    focus(step)
    assert not live.setting  # another setting, on measurements that stay
    assert "moved=1_2.0" in step.links.query
    press(step, "undo")
    assert step.session.replay is before
    assert (live.moved, step.session.data) == ([], None)
    press(step, "redo")
    assert step.session.replay is after


def test_of_a_moved_measurement_other_settings_leave_the_data(step: StepPage) -> None:
    live, spec = step.explore.live, step.session.spec
    in_a_session(lambda: live.receive({"number": 4, "back": False}))
    in_a_session(lambda: step.session.settings.accept(lengthscale=0.3))
    other = load(step.session.spec, data=spec, moved=((4, None),))
    assert step.session.replay is other
    in_a_session(lambda: live.receive({"number": 4, "back": True}))
    assert step.session.replay is load(step.session.spec, data=spec)
    in_a_session(lambda: live.receive({"number": 4, "back": False}))
    in_a_session(lambda: step.session.settings.accept(seed=3))  # other measurements
    assert step.session.replay is load(step.session.spec)
    assert live.moved == []


def test_keys_move_the_measurement_of_the_candidate_held(step: StepPage) -> None:
    live, made = step.explore.live, step.session.replay.trace.history.measured[2]

    def key(steps: int) -> None:
        in_a_session(lambda: live.receive({"steps": steps}))

    key(1)
    assert step.session.moved == ()  # none is held
    step.view.readout.pinned_candidate = made.index
    low, high = step.session.frame.values
    key(1)
    ((number, y),) = step.session.moved
    assert number == 2
    assert y == pytest.approx((made.y or 0.0) + 0.02 * (high - low), rel=1e-3)
    key(0)
    assert step.session.moved == ((2, None),)
    key(0)
    assert step.session.moved == ()
