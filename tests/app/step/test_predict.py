"""Predict, then reveal: what counts, how it is judged, and what is said, here and on the page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ucbpe_app.lessons import find
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import number
from ucbpe_app.step.page import StepPage
from ucbpe_app.step.predict import Game, Score, prompt, standing, verdict
from ucbpe_core import problems, simulate
from ucbpe_core.policies import LocalPenalization, RandomSearch


@pytest.fixture
def game(replay: Replay) -> Game:
    game = Game()
    game.move(replay, 0)
    return game


def index_of(replay: Replay, event: Event) -> int:
    return replay.events.index(event)


def guess(game: Game, candidate: int) -> None:
    game.set_guess(candidate)
    assert game.guess == candidate


def test_only_a_pick_can_be_guessed(replay: Replay, game: Game) -> None:
    for i, event in enumerate(replay.events[:-1]):
        game.move(replay, i)
        following = replay.events[i + 1]
        assert game.target() == (following if following.kind is Kind.PICK else None)
        game.set_guess(5)
        assert game.guess == (5 if following.kind is Kind.PICK else None)
        assert (game.reveal() is None) == (following.kind is not Kind.PICK), event
    game.move(replay, len(replay.events) - 1)
    assert game.target() is None


def test_the_rule_itself_is_exact_and_all_of_the_way(replay: Replay, game: Game) -> None:
    for i, event in enumerate(replay.events[1:], 1):
        if event.kind is not Kind.PICK:
            continue
        game.move(replay, i - 1)
        decision = replay.trace.decisions[event.t - 1]
        guess(game, int(decision.indices[event.k]))
        outcome = game.reveal()
        assert outcome is not None
        assert outcome.counted
        assert (outcome.exact, outcome.share) == (True, 1)
        assert outcome.criterion.largest == pytest.approx(decision.scores[event.k])
        assert verdict(replay, outcome).startswith("Exact: ")
    picks = 4 * 4
    assert game.score == Score(picks, picks, picks, picks)
    assert standing(game.score) == "16 of 16 exact, 100 % of the way to the maximum on average."


def test_a_guess_is_judged_by_what_the_rule_went_by(replay: Replay, game: Game) -> None:
    """The first pick by its upper bound at the fit, the second by the std that the first leaves."""
    for wanted in (Event(2, Kind.PICK, 0), Event(2, Kind.PICK, 1)):
        i = index_of(replay, wanted)
        frame = replay.frame(i)
        game.move(replay, i - 1)
        guess(game, 100)
        outcome = game.reveal()
        assert outcome is not None
        values = frame.upper if wanted.k == 0 else frame.std_now
        among = values if wanted.k == 0 else values[frame.region_plus]
        assert frame.region_plus is None or frame.region_plus[100]
        expected = (values[100] - among.min()) / (among.max() - among.min())
        assert outcome.share == pytest.approx(expected)
        assert not outcome.exact
        said = verdict(replay, outcome)
        assert f"{number(values[100])}" in said
        assert f"The pick: {number(among.max())}, the maximum" in said
        assert ("in R⁺" in said) == (wanted.k == 1)


@pytest.mark.parametrize(("policy", "k"), [(RandomSearch(3), 0), (LocalPenalization(3), 1)])
def test_without_values_only_the_same_candidate_counts(policy: object, k: int) -> None:
    trace = simulate(problems.multimodal(), policy, batches=1, initial=3, seed=1)
    replay, game = Replay(trace), Game()
    pick = int(trace.decisions[0].indices[k])
    i = replay.events.index(Event(1, Kind.PICK, k))
    for candidate, exact in ((pick, True), ((pick + 1) % 481, False)):
        game.move(replay, 0)
        game.reset()
        game.move(replay, i - 1)
        guess(game, candidate)
        outcome = game.reveal()
        assert outcome is not None
        assert (outcome.exact, outcome.share) == (exact, None)
        assert "no value to compare" in verdict(replay, outcome)
        assert standing(game.score) == f"{int(exact)} of 1 exact."


def test_a_pick_that_was_on_screen_does_not_count(replay: Replay, game: Game) -> None:
    game.move(replay, 4)
    game.move(replay, 0)
    guess(game, 5)
    outcome = game.reveal()
    assert outcome is not None
    assert not outcome.counted
    assert game.score == Score()
    game.move(replay, 0)
    game.reset()  # begins anew: what was seen before is forgotten
    guess(game, 5)
    assert game.reveal().counted
    assert game.score.guesses == 1


def test_going_elsewhere_takes_a_guess_back_and_staying_does_not(
    replay: Replay, game: Game
) -> None:
    guess(game, 5)
    game.move(replay, 0)
    assert game.guess == 5
    game.move(replay, 1)
    assert game.guess is None
    game.move(replay, 0)
    guess(game, 5)
    assert game.reveal() is game.outcome
    game.move(replay, 1)  # the page follows to where the game is already
    assert game.outcome is not None
    game.move(replay, 2)
    assert game.outcome is None


def test_what_to_do_is_said_without_giving_the_pick_away(replay: Replay, game: Game) -> None:
    for i in range(len(replay.events) - 1):
        game.move(replay, i)
        target = game.target()
        said = prompt(replay, target, None)
        if target is None:
            assert said == "The next event is not a pick: continue with Next."
            continue
        decision = replay.trace.decisions[target.t - 1]
        x = replay.trace.problem.candidates[decision.indices[target.k], 0]
        assert replay.trace.policy.rules[decision.roles[target.k]] in said
        assert number(x) not in said
        assert prompt(replay, target, 0) == f"Your guess for x{'⁰¹²³'[target.k]}: 2.7."


def test_a_place_is_told_without_rounding() -> None:
    """A grid that passes 0 by 2e-16, as `numpy.linspace` makes them."""
    X = np.linspace(-0.6, 1, 9)[:, None]
    zero = int(np.abs(X).argmin())
    assert 0 < abs(X[zero, 0]) < 1e-15
    gp = problems.multimodal().gp
    replay = Replay(
        simulate(problems.from_table(X, X[:, 0], gp=gp), RandomSearch(3), batches=1, initial=1)
    )
    assert prompt(replay, replay.events[1], zero) == "Your guess for x⁰: 0."


@pytest.fixture
def step() -> StepPage:
    step = StepPage("preset=start")
    step.layers.plain = False  # of a later lesson
    step.session.go(7)
    assert step.session.frame.event == Event(2, Kind.POSTERIOR)
    step.layers.chosen = step.layers.chosen | {"predict"}
    return step


def hold(step: StepPage, index: int) -> None:
    readout = step.view.readout
    readout.receive({"do": "choose", "index": index, "request": readout._answered + 1})


def press(step: StepPage, button: str) -> None:
    step.predict.bar.receive({"do": button})


def rank(step: StepPage) -> str:
    rows = json.loads(step.view.readout.shown)["rows"]
    return next(value for name, value, _ in rows if name.startswith("rank"))


def test_the_truth_is_hidden_meanwhile_and_the_choice_of_it_kept(step: StepPage) -> None:
    view = step.view
    assert not view.picture.request.layers.truth
    assert not any("true" in name for name, _, _ in json.loads(view.readout.shown)["rows"])
    assert "truth" in step.layers.chosen
    step.layers.chosen = step.layers.chosen - {"predict"}
    assert view.picture.request.layers.truth
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
    assert step.view.readout.pinned_candidate == 200  # its mark is still beside the pick
    assert step.predict.game.score.guesses == 1
    assert bar.score.startswith("0 of 1 exact, ")
    session.go(session.index + 1)
    assert bar.verdict == ""
    assert step.view.readout.pinned_candidate is None
    assert bar.prompt.startswith("Where is x¹, the next PE pick?")


def test_without_a_guess_there_is_nothing_to_reveal(step: StepPage) -> None:
    index = step.session.index
    press(step, "reveal")
    assert step.session.index == index
    hold(step, 200)
    step.view.readout.release()
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
