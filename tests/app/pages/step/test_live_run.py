"""What the browser is told of a drag of a slider, whose runs it draws itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.export.lesson.live import require_computed
from ucbpe_app.pages.fields import shown
from ucbpe_app.pages.step.live_run import LiveDrag
from ucbpe_app.pages.step.page import StepPage

SLIDER = "Lengthscale slider"


@pytest.fixture
def step() -> StepPage:
    return StepPage("preset=start")


def act(step: StepPage, **data: object) -> None:
    in_a_session(lambda: step.explore.bar._handle_msg(data))


def drag(step: StepPage, slider: str = SLIDER) -> LiveDrag:
    act(step, do="drag", slider=slider)
    return step.explore.live


def told(step: StepPage) -> dict[str, Any]:
    return dict(json.loads(step.explore.live.component.drag))


def test_a_drag_begins_with_the_run_and_the_event_on_screen(step: StepPage) -> None:
    step.session.go(10)
    assert drag(step).on
    component, now = step.explore.live.component, told(step)
    assert now["settings"] == require_computed(step.session.replay)
    assert now["event"] == {"t": 2, "kind": "pick", "k": 1}
    layers = {"truth": True, "noisy": False, "plane": False, "featured": ""}
    assert now["layers"] == {**layers, "pinned": "before: lengthscale = 0.65"}
    assert now["setting"] == "lengthscale"
    slider = step.controls.fields["lengthscale"].slider
    assert (
        float(f"{10 ** (now['middle'] + now['at']):.3g}") == 0.65 == step.session.spec.lengthscale
    )
    assert now["at"] == slider.value
    assert "function answer(" in component.engine
    values = json.loads(component.problem)["tables"]["values"]
    assert values == step.session.replay.trace.problem.values.tolist()


def test_a_slider_at_rest_is_drawn_by_the_server_which_says_so_first(step: StepPage) -> None:
    drag(step)
    said: list[str] = []
    component, line = step.explore.live.component, step.stage.line
    component.param.watch(lambda _: said.append("taken back"), "drag")
    line.named["function.mean"].on_change("data", lambda attr, old, new: said.append("drawn"))
    before = step.session.replay
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert step.session.replay is not before
    assert said == ["taken back", "drawn"]
    assert told(step)["settings"] == require_computed(step.session.replay)


def test_only_the_last_of_many_values_is_computed_by_the_server(step: StepPage) -> None:
    drag(step)
    shown: list[float] = []
    step.session.param.watch(lambda _: shown.append(step.session.spec.lengthscale), "replay")

    def moves() -> None:
        for value in (0.7, 0.8, 0.9):
            step.session.settings.accept(lengthscale=value)

    in_a_session(moves)
    assert shown == [0.9]


def test_letting_go_draws_the_last_run_and_ends_the_drag(step: StepPage) -> None:
    live = drag(step)

    def move_and_let_go() -> None:
        step.session.settings.accept(lengthscale=1.3)
        step.explore.bar._handle_msg({"do": "release"})

    in_a_session(move_and_let_go)
    assert step.session.spec.lengthscale == 1.3
    assert not live.on
    assert not live.component.drag
    assert not step.stage.line.request.locked
    assert step.stage.line.request.pinned is None


def test_letting_go_where_it_began_leaves_the_run(step: StepPage) -> None:
    before = step.session.replay
    live = drag(step)
    act(step, do="release")
    assert step.session.replay is before
    assert not live.on


def test_another_drag_begins_while_the_last_run_of_the_one_before_is_computed(
    step: StepPage,
) -> None:
    live = drag(step)

    def let_go_and_seize() -> None:
        step.session.settings.accept(lengthscale=1.3)
        step.explore.bar._handle_msg({"do": "release"})
        step.explore.bar._handle_msg({"do": "drag", "slider": "Multiplier c slider"})

    in_a_session(let_go_and_seize)
    assert live.on
    assert told(step)["setting"] == "scale"
    assert told(step)["settings"]["lengthscale"] == 1.3
    assert step.stage.line.request.locked


def test_a_problem_is_sent_once(step: StepPage) -> None:
    component = drag(step).component
    sent: list[str] = []
    component.param.watch(lambda event: sent.append(event.name), ["engine", "problem"])
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    act(step, do="release")
    drag(step, "Multiplier c slider")
    assert sent == []
    act(step, do="release")
    in_a_session(lambda: step.session.settings.accept(batches=4))
    drag(step)
    assert sent == ["problem"]


def test_keys_of_a_slider_that_has_the_focus_are_drawn_without_a_run_behind(step: StepPage) -> None:
    act(step, do="focus", slider=SLIDER)
    assert step.explore.live.on
    now = told(step)
    assert (now["setting"], now["layers"]["pinned"], now["held"]) == ("lengthscale", "", False)
    assert not step.stage.line.request.locked
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert told(step)["settings"] == require_computed(step.session.replay)
    act(step, do="blur")
    assert not step.explore.live.on


def test_the_last_key_is_drawn_at_once_when_the_focus_leaves(step: StepPage) -> None:
    act(step, do="focus", slider=SLIDER)

    def press_and_leave() -> None:
        step.session.settings.accept(lengthscale=1.3)
        step.explore.bar._handle_msg({"do": "blur"})

    in_a_session(press_and_leave)
    assert step.session.spec.lengthscale == 1.3
    assert not step.explore.live.on


def test_after_a_drag_the_keys_of_the_slider_are_drawn(step: StepPage) -> None:
    live = drag(step)
    assert told(step)["held"]

    def move_and_let_go() -> None:
        step.session.settings.accept(lengthscale=1.3)
        step.explore.bar._handle_msg({"do": "release"})
        step.explore.bar._handle_msg({"do": "focus", "slider": SLIDER})

    in_a_session(move_and_let_go)
    assert live.on
    assert not told(step)["held"]
    assert told(step)["layers"]["pinned"] == ""
    assert not step.stage.line.request.locked


def test_a_drag_goes_on_when_the_focus_leaves_another_slider(step: StepPage) -> None:
    act(step, do="focus", slider="Multiplier c slider")
    live = drag(step)
    act(step, do="blur")
    assert live.on
    assert told(step)["setting"] == "lengthscale"
    act(step, do="release")
    assert not live.on


def test_the_focus_goes_from_slider_to_slider(step: StepPage) -> None:
    act(step, do="focus", slider=SLIDER)

    def move() -> None:
        step.explore.bar._handle_msg({"do": "blur"})
        step.explore.bar._handle_msg({"do": "focus", "slider": "Multiplier c slider"})

    in_a_session(move)
    assert told(step)["setting"] == "scale"
    act(step, do="blur")
    act(step, do="focus", slider="Speed")
    assert not step.explore.live.on


def test_a_pinned_run_stays_behind_what_keys_draw(step: StepPage) -> None:
    act(step, do="pin")
    act(step, do="focus", slider=SLIDER)
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert told(step)["layers"]["pinned"] == "pinned: lengthscale = 0.65"


@pytest.mark.parametrize(
    "query",
    [
        "preset=start&show=bounds",
        "preset=start&show=predict",
        "preset=start&show=log",
        "preset=start&policy=thompson-sampling",
        "preset=start&schedule=information-gain",
        "preset=mackey-glass",
    ],
)
def test_what_the_engine_does_not_draw_the_server_draws(query: str) -> None:
    step = StepPage()
    in_a_session(lambda: step.visit(query))
    assert not drag(step).on
    before = step.session.replay
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.1))
    assert step.session.replay is not before


def test_a_matern_kernel_of_any_smoothness_is_drawn_by_the_engine() -> None:
    step = StepPage()
    in_a_session(lambda: step.visit("preset=start&nu=0.7&kernel=Matérn"))
    assert drag(step).on
    assert told(step)["settings"]["nu"] == 0.7


def test_held_data_and_a_slider_that_is_unknown(step: StepPage) -> None:
    assert not drag(step, "Speed").on
    act(step, do="release")
    act(step, do="hold")
    assert not drag(step).on


def test_a_browser_that_refuses_has_its_runs_from_the_server(step: StepPage) -> None:
    component = drag(step).component

    def move_and_refuse() -> None:
        step.session.settings.accept(lengthscale=1.3)
        component._handle_msg({"do": "refuse"})

    in_a_session(move_and_refuse)
    assert step.session.spec.lengthscale == 1.3
    assert not component.drag
    act(step, do="release")
    assert not drag(step).on


def test_other_layers_are_drawn_by_the_server(step: StepPage) -> None:
    live = drag(step)
    in_a_session(lambda: step.layers.toggle("log"))
    assert not live.on


def test_a_run_that_it_cannot_draw_ends_a_drag(step: StepPage) -> None:
    live = drag(step)
    in_a_session(lambda: step.visit("preset=mackey-glass"))
    assert step.session.replay.scene.dimension > 2
    assert not live.on


def test_another_problem_is_sent_during_a_drag(step: StepPage) -> None:
    component = drag(step).component
    in_a_session(lambda: step.visit("preset=himmelblau"))
    tables = json.loads(component.problem)["tables"]
    assert len(tables["values"]) == len(step.session.replay.trace.problem.candidates)


def test_another_slider_takes_over_before_the_first_is_written(step: StepPage) -> None:
    """The browser takes back what it wrote when it is told of the drag: not what comes after."""
    first, component = step.controls.fields["lengthscale"], step.explore.live.component
    drag(step)
    seen = list[str]()
    first.control.param.watch(lambda _: seen.append("field"), "value")
    component.param.watch(lambda _: seen.append("drag"), "drag")

    def move_and_seize_another() -> None:
        first.slider.value += 0.5
        assert (first.control.value, seen) == ("0.65", [])
        step.explore.bar._handle_msg({"do": "drag", "slider": "Noise variance slider"})
        assert first.control.value == shown(step.session.settings.lengthscale) != "0.65"
        assert seen == ["drag", "field"]

    in_a_session(move_and_seize_another)
