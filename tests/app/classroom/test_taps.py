"""What taps come to: places that a class agrees on, points, words, and the class as a rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_app.classroom import taps
from ucbpe_app.classroom.room import Round
from ucbpe_app.classroom.taps import Agreed, ClassRun
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import RandomSearch

LINE = np.arange(40.0)[:, None] / 4  # a quarter apart


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Three batches of three over one input, at a lengthscale of 0.65."""
    return Replay(simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=3, seed=1))


def picks(replay: Replay) -> list[int]:
    return [i for i, event in enumerate(replay.events) if event.kind is Kind.PICK]


def index_at(replay: Replay, x: float) -> int:
    return int(np.abs(replay.scene.candidates[:, 0] - x).argmin())


@given(st.lists(st.integers(0, 39), max_size=40), st.integers(1, 5))
def test_places_agreed_on_have_two_taps_and_are_a_lengthscale_apart(
    tapped: list[int], K: int
) -> None:
    found = taps.agreed(tapped, LINE, 1.0, K)
    near = {one: sum(abs(one - other) <= 2 for other in tapped) for one in tapped}
    assert all(one.taps == near[one.candidate] >= 2 for one in found)
    assert len(found) <= K
    for one in found:
        others = [other for other in found if other is not one]
        assert all(abs(one.candidate - other.candidate) >= 4 for other in others)
    # The fullest first, and of as many the lowest index; nothing that could be added is left out.
    order = [(-one.taps, one.candidate) for one in found]
    assert order == sorted(order)
    free = {
        one for one, count in near.items()
        if count >= 2 and all(abs(one - other.candidate) >= 4 for other in found)
    }  # fmt: skip
    assert not free or len(found) == K
    best = max(near.values(), default=0)
    if best >= 2:
        assert found[0] == Agreed(min(one for one in near if near[one] == best), best)


def test_a_lengthscale_of_each_input_is_a_unit_of_its_own() -> None:
    grid = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    # 1 apart is a tenth of the first lengthscale, and ten of the second.
    assert taps.agreed([0, 1, 2], grid, np.array([10.0, 0.1]), 3) == (Agreed(0, 2),)


def test_nobody_agrees_on_nothing() -> None:
    assert taps.agreed([], LINE, 1.0, 3) == ()
    assert taps.agreed([0, 20], LINE, 1.0, 3) == ()


def test_points_are_shares_of_what_the_pick_maximised(replay: Replay) -> None:
    first, second = picks(replay)[:2]
    frame = replay.frame(first)
    upper = frame.mean + frame.sqrt_beta * frame.std
    expected = np.rint(100 * (upper - upper.min()) / np.ptp(upper))
    assert taps.points(replay, first) == tuple(expected.astype(int))
    region, std = replay.frame(second).region_plus, replay.frame(second).std_now
    assert region is not None
    given_points = np.array(taps.points(replay, second))
    assert not given_points[~region].any()  # where the rule does not look
    inside = std[region]
    expected = np.rint(100 * (inside - inside.min()) / np.ptp(inside))
    assert given_points[region].tolist() == expected.astype(int).tolist()
    assert given_points[replay.trace.decisions[0].indices[1]] == 100


def test_a_rule_that_compares_nothing_has_points_for_its_pick_alone() -> None:
    drawn = Replay(simulate(problems.multimodal(), RandomSearch(2), batches=1, initial=3))
    points, pick = taps.points(drawn, 1), int(drawn.trace.decisions[0].indices[0])
    assert points[pick] == sum(points) == 100
    told = taps.closeness(drawn, 1, [pick, pick])
    assert told == ("Half of you are", "within 0 of x⁰", "2 of 2 are within half a lengthscale.")


def test_agreement_is_told_of_one_vote_and_of_two(replay: Replay) -> None:
    first = [index_at(replay, x) for x in (4.1, 4.2, 6.0)]
    second = [index_at(replay, x) for x in (4.4, 4.5, 4.6)]
    told = taps.agreement(replay, [first])
    assert told == ("Before talking", "2 of 3 agree", "on a place near x = 4.1.")
    told = taps.agreement(replay, [first, second])
    assert told[:2] == ("After talking", "3 of 3 agree")
    before = "Before, the most that agreed were 2, near x = 4.1."
    assert told[2] == f"on a place near x = 4.4. {before}"
    apart = [index_at(replay, x) for x in (3.0, 5.0, 7.0)]
    told = taps.agreement(replay, [apart, second])
    assert told[2].endswith("Before, no two agreed.")
    assert taps.agreement(replay, [apart])[1] == "3 taps, no two agree"


def test_closeness_is_that_of_half_of_the_taps(replay: Replay) -> None:
    i = picks(replay)[0]
    at = float(replay.scene.candidates[replay.trace.decisions[0].indices[0], 0])
    away = [0.1, -0.3, 0.5, 1.2, -1.5]
    tapped = [index_at(replay, at + one) for one in away]
    lead, head, text = taps.closeness(replay, i, tapped)
    assert (lead, head) == ("Half of you are", "within 0.5 of x⁰")
    middle = np.median([taps.points(replay, i)[one] for one in tapped])
    assert (
        text
        == f"The middle one is {middle:.0f} % of the way up; 2 of 5 are within half a lengthscale."
    )
    assert taps.closeness(replay, i, [])[1] == "Nobody answered"


def test_what_is_told_before_the_reveal_does_not_depend_on_the_rule(replay: Replay) -> None:
    """Another rule after the same measurements."""
    trace = simulate(problems.multimodal(), RandomSearch(3), batches=3, initial=3, seed=1)
    tapped = [[index_at(replay, x) for x in (4.1, 4.2, 6.0)]]
    assert taps.agreement(Replay(trace), tapped) == taps.agreement(replay, tapped)


def rounds_of(replay: Replay, *tapped: list[float]) -> list[Round]:
    firsts = [event for event in replay.events if event.kind is Kind.PICK and event.k == 0]
    count = len(replay.scene.candidates)
    return [
        Round(
            event.text, "place", count, replay.trace.digest, "moment", stage="revealed",
            votes=({0: 0}, {i: index_at(replay, x) for i, x in enumerate(places)}),
        )
        for event, places in zip(firsts, tapped, strict=False)
    ]  # fmt: skip


def test_the_class_measures_what_it_agreed_on_in_its_last_vote(replay: Replay) -> None:
    played = rounds_of(replay, [4.0, 4.1, 7.0], [5.1, 5.1, 6.4, 6.5, 3.0, 3.1, 3.1])
    run, scene = taps.class_run(replay, played), replay.scene
    assert [len(found) for found in run.places] == [1, 3]
    assert run.start == replay.trace.initial_regret
    values = [scene.truth[[one.candidate for one in found]].max() for found in run.places]
    first, second = (scene.truth.max() - value for value in values)
    assert run.regret == (min(run.start, first), min(run.start, first, second))
    assert run.rule == tuple(replay.trace.best_so_far[:2])
    assert (
        taps.counts(run, 3)
        == "The class agreed on 1 to 3 places in each round; the rule measured 3."
    )
    others = [
        replace(played[0], run="another"), replace(played[0], stage="closed"),
        replace(played[0], kind="choice"),
    ]  # fmt: skip
    assert taps.class_run(replay, others).places == ()


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_class_that_measures_the_optimum_has_no_regret(direction: str) -> None:
    problem = replace(problems.multimodal(), direction=direction)
    played = Replay(simulate(problem, GPUCBPE(2), batches=2, initial=2))
    best = float(played.scene.candidates[played.scene.optimum_index, 0])
    run = taps.class_run(played, rounds_of(played, [best, best], [best]))
    assert run.regret == (0.0, 0.0)
    assert all(after <= before for before, after in pairwise(run.rule))


def test_a_class_without_agreement_has_measured_nothing() -> None:
    played = Replay(simulate(problems.multimodal(), GPUCBPE(2), batches=1, initial=0))
    run = taps.class_run(played, rounds_of(played, [3.0, 6.0]))
    assert run == ClassRun(((),), None, (None,), run.rule)
    assert taps.standing(played, run)[1].startswith("nothing and ")


@pytest.mark.parametrize(
    ("own", "rule", "head"),
    [(0.0075, 0.0001, "75 times as far"), (0.1, 0.2, "2 times as near"),
     (0.1, 0.1, "0.1 and 0.1"), (0.1, 0.0, "0.1 and 0"), (0.0, 0.1, "0 and 0.1")],
)  # fmt: skip
def test_the_standing_compares_class_and_rule(
    replay: Replay, own: float, rule: float, head: str
) -> None:
    told = taps.standing(replay, ClassRun(((), ()), 1.0, (1.0, own), (1.0, rule)))
    assert told[:2] == ("After two rounds", head)
    assert "One game proves nothing." in told[2]
    assert f"{taps.plain(own)} and {taps.plain(rule)}" in " ".join(told)


def test_regrets_have_no_exponent() -> None:
    assert [taps.plain(value) for value in (0.00008751, 0.31, 12.0, 0.0)] == [
        "0.000088", "0.31", "12", "0",
    ]  # fmt: skip
