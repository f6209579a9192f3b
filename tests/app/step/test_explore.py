"""Exploring on the Step page without a browser: what its buttons do, and what is said."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.lessons.card import Shelf
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.screen import CONTROLS
from ucbpe_app.step.page import StepPage


@pytest.fixture
def step() -> StepPage:
    return StepPage("preset=start")


def press(step: StepPage, button: str) -> None:
    choice = step.explore.menu.choice
    if button in choice.options.values():
        in_a_session(lambda: setattr(choice, "value", list({*choice.value} ^ {button})))
    else:
        in_a_session(lambda: step.explore.bar.receive({"do": button}))


def test_undo_and_redo_say_what_they_change(step: StepPage) -> None:
    bar = step.explore.bar
    assert (bar.earlier, bar.later) == ("", "")
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert (bar.earlier, bar.later) == ("lengthscale 0.65 → 1.3", "")
    press(step, "undo")
    assert (bar.earlier, bar.later) == ("", "lengthscale 0.65 → 1.3")
    assert step.session.spec.lengthscale == 0.65
    press(step, "redo")
    assert step.session.spec.lengthscale == 1.3


def test_a_pinned_run_stays_behind_the_next(step: StepPage) -> None:
    explore, view, session = step.explore, step.view, step.session
    session.go(10)
    pinned = session.replay
    press(step, "pin")
    assert explore.menu.pinned
    assert view.picture.request.pinned_label == "pinned: this run"
    in_a_session(lambda: step.session.settings.accept(scale=5.0))
    past, label = view.picture.request.pinned, view.picture.request.pinned_label
    assert label == "pinned: β scale c 1"
    np.testing.assert_array_equal(past.mean, pinned.frame(10).mean)
    assert past.event == session.frame.event
    session.go(20)
    assert view.picture.request.pinned.event == session.replay.events[20]
    assert view.regret.shown[0].request.pinned_scene is pinned.scene
    query = step.links.query
    again = StepPage()
    in_a_session(lambda: again.visit(query))
    assert again.view.picture.request.pinned_label == label
    np.testing.assert_array_equal(again.view.picture.request.pinned.mean, pinned.frame(20).mean)
    assert again.links.query == query
    press(step, "pin")
    assert "pin" not in step.links.query
    assert not explore.menu.pinned
    assert view.picture.request.pinned is None
    assert view.regret.shown[0].request.pinned_scene is None


def axes(step: StepPage) -> list[tuple[float, float]]:
    """The ends of every axis of the pictures in use."""
    view = step.view
    pictures = [one for one in view.views if isinstance(one, PictureView)]
    figures = [*view.regret.figures, *(one for view in pictures for one in view.rendered.figures)]
    return [(one.start, one.end) for plot in figures for one in (plot.x_range, plot.y_range)]


@pytest.mark.parametrize("preset", ["start", "himmelblau"])
def test_axes_stay_in_a_drag_and_the_first_run_is_behind(preset: str) -> None:
    step = StepPage(f"preset={preset}")
    explore, view, session = step.explore, step.view, step.session
    session.go(10)
    first, held = session.replay, axes(step)
    lengthscale = session.spec.lengthscale
    in_a_session(lambda: setattr(explore.live, "dragged", "lengthscale"))
    for factor in (0.5, 0.2, 0.1):
        in_a_session(lambda: session.settings.accept(lengthscale=factor * lengthscale))  # noqa: B023
        assert axes(step) == held
        past, label = view.picture.request.pinned, view.picture.request.pinned_label
        assert past.mean is first.frame(10).mean
        assert label == f"before: lengthscale {lengthscale:g}"
    assert not explore.menu.pinned
    in_a_session(lambda: setattr(explore.live, "dragged", ""))
    assert view.picture.request.pinned is None
    free = StepPage(f"preset={preset}")
    in_a_session(lambda: free.session.settings.accept(lengthscale=0.1 * lengthscale))
    free.session.go(session.index)
    assert free.session.replay.trace.digest == session.replay.trace.digest
    assert axes(step) == axes(free) != held


def test_a_pinned_run_stays_behind_while_a_slider_is_dragged(step: StepPage) -> None:
    press(step, "pin")
    in_a_session(lambda: setattr(step.explore.live, "dragged", "lengthscale"))
    in_a_session(lambda: step.session.settings.accept(lengthscale=1.3))
    assert step.view.picture.request.pinned_label == "pinned: lengthscale 0.65"
    in_a_session(lambda: setattr(step.explore.live, "dragged", ""))
    assert step.view.picture.request.pinned_label == "pinned: lengthscale 0.65"


def test_a_pinned_run_of_another_problem_waits_unseen(step: StepPage) -> None:
    view = step.view
    press(step, "pin")
    first = step.session.replay
    in_a_session(lambda: step.session.open(find("himmelblau")))
    assert view.picture.kind is FIELD
    assert view.picture.request.pinned is None
    assert view.regret.shown[0].request.pinned_scene is None
    assert step.explore.menu.pinned
    in_a_session(lambda: step.session.open(find("start")))
    assert step.session.replay is first
    assert view.picture.request.pinned_label == "pinned: this run"


def test_what_is_not_offered_in_the_settings_is_not_offered_here(step: StepPage) -> None:
    explore = step.explore
    for hidden, settable in (({"scale"}, True), (CONTROLS, False), ((), True)):
        explore.hide(hidden)
        assert explore.bar.settable is explore.menu.settable is settable
    choice = explore.menu.choice
    for hidden, guessable in (({"predict"}, False), ({"Layers"}, False), ((), True)):
        explore.hide(hidden)
        assert ("predict" in choice.options.values()) is guessable


def test_a_candidate_that_is_held_stays_so_in_the_next_run_of_the_problem(step: StepPage) -> None:
    readout = step.view.readout
    readout.receive({"do": "choose", "index": 137, "request": 1})
    step.session.go(10)
    told = {name: value for name, value, _ in json.loads(readout.shown)["rows"]}
    in_a_session(lambda: step.session.settings.accept(scale=5.0))
    assert json.loads(readout.shown)["index"] == 137
    again = {name: value for name, value, _ in json.loads(readout.shown)["rows"]}
    assert again["x"] == told["x"]
    assert again["band, top"] != told["band, top"]
    assert step.view.picture.request.pointed is not None
    in_a_session(lambda: step.session.open(find("thin-peak")))
    assert readout.pinned_candidate is None
    assert step.view.picture.request.pointed is None


def alone(lesson: Lesson, *_: object) -> list[Shelf]:
    return [Shelf("A shelf", "", numbered=False, lessons=(lesson,))]


def test_predicting_is_switched_in_the_menu_and_told_there(
    step: StepPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All picks of a run without predictions of its lesson; of one with them, these."""
    choice, timeline = step.explore.menu.choice, step.view.timeline

    def asked() -> list[str]:
        return [mark["event"] for mark in timeline.asked.get("marks", ())]

    events = step.session.replay.events
    for lesson, wanted, switched in (
        (
            replace(find("start"), predict=(), tasks=()),
            [e for e in events if e.kind == "pick"],
            "predict=on",
        ),
        (replace(find("start"), predict=(Event(1, Kind.PICK, 1),), tasks=()), [], "predict=off"),
    ):
        monkeypatch.setattr("ucbpe_app.step.lesson.shelves", partial(alone, lesson))
        step.guide.lesson = lesson
        in_a_session(step._load)
        assert asked() == [event.text for event in lesson.predict]
        press(step, "predict")
        assert asked() == [event.text for event in wanted]
        assert switched in step.links.query
        assert choice.value == (["predict"] if wanted else [])
        in_a_session(lambda: step._ask("predict"))  # by a key
        assert asked() == [event.text for event in lesson.predict]
        assert "predict=" not in step.links.query


def test_held_data_have_one_regret(step: StepPage) -> None:
    press(step, "pin")
    press(step, "hold")
    in_a_session(lambda: step.session.settings.accept(scale=0.2))
    assert step.view.picture.request.pinned_label == "pinned: β scale c 1"
    assert step.view.regret.shown[0].request.pinned_scene is None


def act(step: StepPage, **data: object) -> None:
    in_a_session(lambda: step.explore.bar.receive(data))


def test_a_term_lights_its_mark_and_unknown_ones_none(step: StepPage) -> None:
    line = step.view.picture.rendered.plots["function"].renderers["mean"][-1].glyph
    width = line.line_width
    act(step, do="light", mark="mean")
    assert line.line_width > width
    act(step, do="light", mark="nonsense")
    assert line.line_width == width
