"""Predict, then reveal, on the Step page without a browser."""

from __future__ import annotations

import json

import pytest

from ucbpe_app.lessons import find
from ucbpe_app.pages.step.guess import Score
from ucbpe_app.pages.step.page import StepPage
from ucbpe_app.run.events import Event, Kind


@pytest.fixture
def step() -> StepPage:
    step = StepPage("preset=start")
    step.layers.plain = False  # of a later lesson
    step.session.go(7)
    assert step.session.frame.event == Event(2, Kind.POSTERIOR)
    step.layers.chosen = step.layers.chosen | {"predict"}
    return step


def hold(step: StepPage, index: int) -> None:
    readout = step.stage.readout
    readout._handle_msg({"do": "choose", "index": index, "request": readout._answered + 1})


def press(step: StepPage, button: str) -> None:
    step.predict.bar._handle_msg({"do": button})


def rank(step: StepPage) -> str:
    rows = json.loads(step.stage.readout.shown)["rows"]
    return next(value for name, value, _ in rows if name.startswith("rank"))


def test_the_truth_is_hidden_meanwhile_and_the_choice_of_it_kept(step: StepPage) -> None:
    stage = step.stage
    assert not stage.picture.request.layers.truth
    assert not any("true" in name for name, _, _ in json.loads(stage.readout.shown)["rows"])
    assert "truth" in step.layers.chosen
    step.layers.chosen = step.layers.chosen - {"predict"}
    assert stage.picture.request.layers.truth
    assert not step.predict.bar.visible


def test_a_guess_is_revealed_with_the_pick(step: StepPage) -> None:
    bar, session = step.predict.bar, step.session
    assert bar.visible
    assert bar.prompt.startswith("Where is x⁰, the next UCB pick? Its rule: argmax over X of μ")
    assert not bar.ready
    hold(step, 200)
    assert rank(step) == "shown after the reveal"
    assert bar.ready
    assert bar.prompt == "Your guess for x⁰: 4.7."
    press(step, "reveal")
    assert session.frame.event == Event(2, Kind.PICK, 0)
    assert bar.verdict.startswith("Your point: upper bound ")
    assert not bar.ready
    assert "by upper bound" in rank(step)
    assert step.stage.readout.held == 200  # its mark is still beside the pick
    assert step.predict.game.score.guesses == 1
    assert bar.score.startswith("0 of 1 exact, ")
    session.go(session.index + 1)
    assert bar.verdict == ""
    assert step.stage.readout.held is None
    assert bar.prompt.startswith("Where is x¹, the next PE pick?")


def test_without_a_guess_there_is_nothing_to_reveal(step: StepPage) -> None:
    index = step.session.index
    press(step, "reveal")
    assert step.session.index == index
    hold(step, 200)
    step.stage.readout.release()
    assert not step.predict.bar.ready


def test_a_score_can_be_begun_anew_and_another_run_goes_on_with_it(step: StepPage) -> None:
    hold(step, 200)
    press(step, "reveal")
    step.session.open(find("figure-1"))
    step.session._install(step.session.replay)
    assert step.predict.game.score.guesses == 1
    press(step, "reset")
    assert step.predict.game.score == Score()
    assert step.predict.bar.score.startswith("No score yet.")
