"""The words: right place, right numbers, one line lit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import (
    coordinates,
    describe_event,
    number,
    percentage,
    pick_label,
    place,
    place_in,
    role_name,
)
from ucbpe_app.run.sentences.reasons import reason
from ucbpe_app.run.sentences.texts import percent
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.step.lesson import describe_setting
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, Policy, Trace, problems, simulate
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    Decision,
    LocalPenalization,
    RandomSearch,
    Recommended,
    SimulationMatching,
    ThompsonSampling,
    information_bound,
)


def test_the_status_names_batch_pick_point_and_region(replay: Replay) -> None:
    i = next(i for i, e in enumerate(replay.events) if (e.t, e.kind, e.k) == (2, Kind.PICK, 2))
    decision = replay.trace.decisions[1]
    x = place_in(replay.trace.problem, int(decision.indices[2]))
    share = percentage(decision.region_plus)
    std = number(decision.stds[2])
    assert replay.frame(i).status == (
        f"Batch 2 of 4, PE pick 2 of 3: x = {x}, std {std} in R+ ({share} of X)"
    )


def test_the_ucb_sentence_adds_up(replay: Replay) -> None:
    decision = replay.trace.decisions[0]
    mean = replay.frame(0).mean[decision.indices[0]]
    sentence = replay.frame(1).sentence
    assert number(mean) in sentence
    assert number(decision.sqrt_beta) in sentence
    assert number(mean + decision.sqrt_beta * decision.stds[0]) in sentence


def test_a_repeated_pick_is_flagged_and_no_other() -> None:
    table = problems.from_table([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5], noise_variance=1.0)
    trace = simulate(table, GPUCBPE(batch_size=3), batches=2, initial=1, seed=0)
    replay = Replay(trace)
    indices = trace.posterior.conditioned_indices
    for i, event in enumerate(replay.events):
        if event.kind is Kind.PICK:
            n = trace.decisions[event.t - 1].n + event.k
            assert ("picked before" in replay.frame(i).sentence) == (indices[n] in indices[:n])


def test_the_picks_that_a_pick_is_given_are_those_before_it(replay: Replay) -> None:
    given = ["", "given that x⁰ will", "given that x⁰ and x¹ will", "given that x⁰ … x² will"]
    for i, event in enumerate(replay.events):
        if event.kind is Kind.PICK and event.k:
            assert given[event.k] in replay.frame(i).sentence


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_measuring_again_teaches_only_where_there_is_noise(noise: float) -> None:
    table, gp = problems.from_table([[0.0], [1.0]], [0.0, 1.0]), GaussianProcess(RBF(), noise)
    replay = Replay(simulate(table, GPUCBPE(batch_size=3), gp, batches=1, initial=1, seed=0))
    said = [replay.frame(i).sentence for i in range(len(replay.events))]
    again = [one for one in said if "picked before" in one]
    assert again
    assert any("measuring again tells the most" in one for one in again) == (noise > 0)


def test_a_pick_with_many_inputs_is_told_by_its_row() -> None:
    rng = np.random.default_rng(0)
    table = problems.from_table(rng.random((40, 6)), rng.random(40))
    replay = Replay(simulate(table, GPUCBPE(batch_size=3), batches=2, initial=3, seed=0))
    for i, event in enumerate(replay.events):
        if event.kind is Kind.PICK:
            frame = replay.frame(i)
            told = f"candidate {frame.picks[-1].index}"
            assert f": x = {told}, std " in frame.status
            (lit,) = [line for line in frame.lines if line.active]
            assert lit.value == f"{pick_label(event.k)} = {told}"


def last_batch(policy: Policy) -> tuple[Trace, Decision]:
    trace = simulate(problems.multimodal(), policy, batches=2, initial=3, seed=1)
    return trace, trace.decisions[-1]


def test_an_upper_bound_of_two_stds_is_told_as_one() -> None:
    trace, decision = last_batch(Recommended(3))
    assert decision.roles == ("ei", "upper", "upper")
    j, std = decision.indices[2], decision.stds[2]
    mean = trace.posterior.at(decision.n).mean[j]
    told = reason(trace, decision, 2)
    assert " bound with 2 σ " in told
    assert f": {number(mean)} + 2 × {number(std)} = {number(mean + 2 * std)}." in told


def test_initialisation_tells_the_information_that_it_waits_for() -> None:
    trace, decision = last_batch(GPBUCB(4))
    bound = information_bound(trace.posterior.at(decision.n), 4)
    assert decision.roles == ("init",) * 4
    assert bound > GPBUCB(4).C
    for k in range(4):
        told = reason(trace, decision, k)
        assert f"3 more results could give up to {number(bound)} nats" in told
        assert f"σ = {number(decision.stds[k])}" in told


def test_expected_improvement_tells_the_gain_over_the_incumbent() -> None:
    trace, decision = last_batch(EIPE(2))
    j, belief = decision.indices[0], trace.posterior.at(decision.n)
    best = belief.mean[list(belief.conditioned_indices)].max()
    draws = belief.mean[j] + belief.std[j] * np.random.default_rng(0).standard_normal(400_000)
    gain = np.maximum(draws - best, 0).mean()
    assert abs(decision.scores[0] - gain) < 0.01 * gain
    told = reason(trace, decision, 0)
    assert f"by {number(decision.scores[0])} on average" in told
    assert "the best mean at a measured point" in told
    empty = simulate(problems.multimodal(), EIPE(1), batches=1, initial=0)
    assert "μ⁺, the prior mean, by" in reason(empty, empty.decisions[0], 0)


def test_thompson_sampling_tells_the_draw() -> None:
    trace, decision = last_batch(ThompsonSampling(3))
    for k in range(3):
        told = reason(trace, decision, k)
        assert f"draw {k + 1} of 3 from the posterior" in told
        assert f"reaches {number(decision.scores[k])}." in told


def test_local_penalization_tells_the_distance_to_the_nearest_pick() -> None:
    trace, decision = last_batch(LocalPenalization(4))
    x = trace.problem.candidates[decision.indices, 0]
    for k in range(1, 4):
        distance = min(abs(x[k] - x[j]) for j in range(k))
        told = reason(trace, decision, k)
        assert f"the nearest is {number(distance)} away" in told
        assert f"the highest value, {number(decision.scores[k])}," in told


def test_matching_tells_shares_that_add_up_and_filling_its_sum() -> None:
    trace, decision = last_batch(SimulationMatching(6, trajectories=1))
    matched = decision.roles.count("match")
    assert 0 < matched < 6
    assert abs(decision.scores[:matched].sum() - 1) < 1e-12
    assert f"with probability {percent(decision.scores[0])} the best" in reason(trace, decision, 0)
    told = reason(trace, decision, matched)
    mean = trace.posterior.at(decision.n).mean[decision.indices[matched]]
    assert f"visit only {matched} points" in told
    assert f"{number(mean)} + {number(decision.sqrt_beta)} × " in told
    assert f"= {number(decision.scores[matched])}." in told


def test_a_random_pick_claims_no_reason() -> None:
    trace, decision = last_batch(RandomSearch(3))
    assert np.isnan(decision.scores).all()
    told = reason(trace, decision, 0)
    assert f"{len(trace.problem.candidates)} candidates, regardless of" in told


def test_where_all_is_known_the_region_and_its_picks_say_so() -> None:
    x = np.linspace(0, 1, 30)
    gp = GaussianProcess(RBF(0.3), noise_variance=0.0)
    trace = simulate(problems.from_table(x, x**2, gp=gp), GPUCBPE(4), batches=4, initial=2, seed=0)
    said = []
    for decision in trace.decisions:
        sentence = describe_event(trace, Event(decision.t, Kind.REGION)).sentence
        said.append("f is known everywhere in R⁺" in sentence)
        assert said[-1] == decision.exhausted
        for k, known in enumerate(decision.known):
            assert ("its result tells nothing new" in reason(trace, decision, k)) == known
    assert said[0] is False
    assert said[-1] is True
    noisy = simulate(problems.multimodal(), GPUCBPE(4), batches=2, initial=2, seed=0)
    sentence = describe_event(noisy, Event(2, Kind.REGION)).sentence
    assert "known everywhere" not in sentence


def test_a_role_that_nobody_knows_is_told_by_its_rule() -> None:
    class Newcomer(RandomSearch):
        name = "Newcomer"
        rules = {"guess": "whatever"}  # noqa: RUF012 - as a user might write it

    trace, decision = last_batch(RandomSearch(2))
    plan = replace(trace.history.plan, policy=Newcomer(2))
    trace = replace(trace, history=replace(trace.history, plans=(plan,)))
    object.__setattr__(decision, "roles", ("guess", "guess"))
    assert role_name("guess") == "guess pick"
    std = number(decision.stds[1])
    assert reason(trace, decision, 1) == f"x¹ was chosen by the rule: whatever (σ = {std})."
    object.__setattr__(decision, "scores", np.array([0.5, 0.25]))
    assert reason(trace, decision, 1).endswith(f": whatever (value 0.25, σ = {std}).")


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [
        (2.220446049250313e-16, -1.0, 1.0, "0"),
        (-2.220446049250313e-16, -1.0, 1.0, "0"),
        (1e-12, -1e3, 1e3, "0"),
        (2.2e-16, -4e-16, 4e-16, "2.2e−16"),  # an axis of such numbers
        (0.0501, -5.0, 5.0, "0.0501"),
        (0.31, 0.0, 1.0, "0.31"),
        (2451544.25, 2451544.0, 2451545.0, "2451544.25"),  # days of the Julian calendar
        (2451544.75, 2451544.0, 2451545.0, "2451544.75"),
        (1700086400.0, 1.7e9, 1.7001e9, "1700086400"),  # seconds of a day
        (-1000.5, -1001.0, -1000.0, "−1000.5"),
        (123456.0, 0.0, 2e5, "123456"),
        (7.0, 7.0, 7.0, "7"),
    ],
)
def test_a_coordinate_is_told_as_its_axis_can(
    value: float, low: float, high: float, told: str
) -> None:
    axis = np.array([[low], [value], [high]])
    assert place(axis, 1, np.ptp(axis, axis=0)) == told


def test_numbers_and_labels() -> None:
    assert (number(-0.12345), number(15.23), number(1234.4)) == ("−0.123", "15.2", "1234")
    assert pick_label(12) == "x¹²"
    corners = np.array([[0.5, -1.0, 2.0], [1.0, 1.0, 3.0]])
    assert coordinates(np.array([0.5]), np.array([1.0])) == "0.5"
    reach = np.ptp(corners, axis=0)
    told = [place(corners[:, :d], 0, reach[:d]) for d in (1, 2, 3)]
    assert told == ["0.5", "(0.5, −1)", "candidate 0"]
    masks = np.arange(1000)
    assert [percentage(masks < n) for n in (380, 25, 0, 1000)] == ["38 %", "2.5 %", "0 %", "100 %"]


def test_a_presented_page_says_kernel_and_band() -> None:
    spec = RunSpec(kernel="RBF", lengthscale=0.65)
    assert describe_setting(spec, 2.0) == "RBF, lengthscale 0.65 · band ± 2 std"
    assert describe_setting(RunSpec(kernel="Linear"), 4.5467) == "Linear · band ± 4.55 std"
