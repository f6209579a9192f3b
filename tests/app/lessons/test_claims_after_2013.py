"""Whatever the lessons on the rules after 2013 say is true of their runs; as in `test_claims`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import one_oven
from tests.app.lessons.test_claims import at, leads, lesson, run, says, share
from ucbpe_app.run.cache import load
from ucbpe_core import simulate
from ucbpe_core.policies import VizierUCBPE
from ucbpe_core.policies.schedules import ConstantBeta
from ucbpe_core.problems import generated_gp_1d

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Policy, Trace

PAPER = {"policy": "GP-UCB-PE"}


def paper(slug: str) -> Trace:
    """GP-UCB-PE with the settings of that lesson."""
    changes = {"policy": "GP-UCB-PE"}
    return load(type(lesson(slug).spec())(**{**vars(lesson(slug).spec()), **changes})).trace


def regret(trace: Trace) -> str:
    """Of all picks."""
    return f"{trace.full_cumulative_regret[-1]:.1f}"


def places(trace: Trace, t: int) -> np.ndarray:
    """The picks of batch t, on one axis."""
    return trace.problem.candidates[trace.decisions[t - 1].indices, 0]


def mask_share(replay: Replay, t: int, k: int) -> int:
    """The region of pick k itself, in percent of X."""
    explored = replay.trace.decisions[t - 1].explored[k]
    assert explored is not None
    return round(100 * float(explored.mask.mean()))


def test_vizier() -> None:
    slug = "vizier"
    says(slug, "μ + 0.5 σ", "on 16 % of X", "R⁺ is 88 %", "11.3 against 22.8", "the peak")
    says(slug, "9.6 σ in batch 3", "within 0.013 of it in batch 7", "1.8 σ", "ten times", "9 of 10")
    replay, theirs = run(slug), run(slug, **PAPER)
    assert mask_share(replay, 3, 1) == 16
    assert share(theirs, 3) == 88
    assert [regret(one.trace) for one in (replay, theirs)] == ["11.3", "22.8"]
    assert f"{2 * np.sqrt(theirs.trace.decisions[2].beta_next):.1f}" == "9.6"
    near = np.round(theirs.trace.running_minimum, 3) <= 0.013
    assert list(near).index(True) == 7 - 1
    assert replay.trace.running_minimum[-1] > 0.2
    problem = replay.trace.problem
    assert problem.candidates[problem.optimum_index] == pytest.approx(0.82)
    regions = [one for decision in replay.trace.decisions for one in decision.explored if one]
    assert len(regions) > 8
    assert not any(one.mask[problem.optimum_index] for one in regions)
    # The region by its definition, from the posterior at batch start and the first pick.
    start = replay.trace.posterior.at(replay.trace.decisions[2].n)
    known = [*start.conditioned_indices, replay.trace.decisions[2].indices[0]]
    best = known[int(np.argmax(start.mean[known] + 1.8 * start.std[known]))]
    region = start.mean + 0.5 * start.std >= start.mean[best]
    np.testing.assert_array_equal(region, replay.trace.decisions[2].explored[1].mask)
    rule = VizierUCBPE()
    assert (rule.coefficient, rule.region_coefficient, rule.penalty) == (1.8, 0.5, 10)
    assert (rule.pe_probability, rule.ucb_probability) == (0.1, 0.25)


def test_phases() -> None:
    slug = "phases"
    says(slug, "for two batches they fill X", "all but 13 %", "ends after batch 11, at 6 %")
    says(slug, "127.1 over 14 batches. GP-UCB-PE has 96.7", "34 % of X is left")
    replay, theirs = run(slug), paper(slug)
    shares = [mask_share(replay, t, 0) for t in range(1, 15)]
    assert shares == [100] * 2 + [13] * 9 + [6] * 3
    policy = replay.trace.policy
    assert len(policy.phases) - 1 == 3  # type: ignore[attr-defined]
    assert np.ptp(places(replay.trace, 2)) > 0.9 * np.ptp(replay.trace.problem.candidates)
    assert [regret(one) for one in (replay.trace, theirs)] == ["127.1", "96.7"]
    region = theirs.decisions[1].region_plus
    assert region is not None
    assert round(100 * float(region.mean())) == 34
    # What R rules out after the first phase, whose points are all there are.
    np.testing.assert_array_equal(
        replay.trace.decisions[2].explored[0].mask,
        _reached(replay.trace, replay.trace.decisions[2].n, replay.trace.decisions[2].beta),
    )


def _reached(trace: Trace, n: int, beta: float) -> np.ndarray:
    """R of the band after n observations."""
    start = trace.posterior.at(n)
    width = np.sqrt(beta) * start.std
    return start.mean + width >= (start.mean - width).max()


def test_constant_beta() -> None:
    slug = "constant-beta"
    says(slug, "0.66 at almost every step, 67.2 in all", "β is 0.25 for all t", "near 0", "13.4.")
    says(slug, "6 of 20 functions, with 1 for 2, with 4 for none", "between 10.6 and 23.9")
    replay, random = run(slug), run(slug, policy="IRGP-UCB")
    trace, total = replay.trace, replay.trace.full_cumulative_regret
    assert np.mean([f"{one:.2f}" == "0.66" for one in np.diff(total)]) > 0.9
    assert f"{total[-1]:.1f}" == "67.2"
    later = np.concatenate([places(trace, t) for t in range(21, 101)])
    assert np.all(later < 0.02)
    frame, top = at(replay, "50.posterior"), trace.problem.optimum_index
    assert frame.sqrt_beta == 0.5
    upper = frame.mean + 0.5 * frame.std
    assert upper[top] < trace.problem.values[top]
    assert upper[top] < trace.problem.values[later_index(trace)] < upper.max()
    assert regret(random.trace) == "13.4"
    betas = [decision.beta for decision in random.trace.decisions]
    assert [f"{one:.1f}" for one in (min(betas), max(betas))] == ["10.6", "23.9"]
    assert [_stuck(beta) for beta in (0.25, 1.0, 4.0)] == [6, 2, 0]


def later_index(trace: Trace) -> int:
    """The candidate that is measured last."""
    return int(trace.decisions[-1].indices[0])


def _stuck(beta: float) -> int:
    """How many of 20 functions have a regret above 0.05 at each of the last 10 of 30 steps."""
    found = 0
    for seed in range(20):
        trace = simulate(
            generated_gp_1d(seed), policy(), beta=ConstantBeta(beta), batches=30, initial=3, seed=0
        )
        found += bool(trace.simple_regret[-10:].min() > 0.05)
    return found


def policy() -> Policy:
    return lesson("constant-beta").spec().build_policy()


def test_pims() -> None:
    slug = "pims"
    says(
        slug,
        "with probability 21 %",
        "√β = 0.79",
        "paper's is 4.24",
        "is 8.1; with Thompson sampling 10.1",
    )
    says(slug, "with GP-UCB-PE 29.7")
    trace, theirs = run(slug).trace, run(slug, **PAPER).trace
    first = trace.decisions[0]
    assert f"{100 * first.scores[1]:.0f}" == "21"
    assert f"{theirs.decisions[0].sqrt_beta:.2f}" == "4.24"
    start = trace.posterior.at(first.n)
    now = start.hallucinate([int(first.indices[0])])
    # With the √β whose probability this is, the pick has the greatest upper bound, which is g*.
    width = 0.79
    assert int(np.argmax(now.mean + width * now.std)) == first.indices[1]
    chance = np.mean(np.random.default_rng(0).standard_normal(200_000) > width)
    assert chance == pytest.approx(first.scores[1], abs=0.005)
    spec = lesson(slug).spec()
    thompson = load(type(spec)(**{**vars(spec), "policy": "Thompson sampling"})).trace
    assert [regret(one) for one in (trace, thompson, theirs)] == ["8.1", "10.1", "29.7"]


def test_lies() -> None:
    slug = "lies"
    says(slug, "within 0.02", "so far, −0.98", "to 2.70", "stays 0.012 short")
    says(slug, "11.0 for the believer, 19.7 for the liar, 29.7 for GP-UCB-PE")
    believer, liar = run(slug).trace, run(slug, policy="Constant liar").trace
    assert np.ptp(places(believer, 2)) <= 0.02
    assert f"{liar.posterior.y[: liar.decisions[1].n].min():.2f}" == "-0.98"
    assert places(liar, 2)[-1] == pytest.approx(2.70, abs=0.006)
    assert leads(slug, "constant liar")[1].text == "2.pick.4"
    theirs = paper(slug)
    assert [regret(one) for one in (believer, liar, theirs)] == ["11.0", "19.7", "29.7"]
    assert f"{believer.running_minimum[-1]:.3f}" == "0.012"
    says(slug, "its regret is 9.0, and its best point stays 0.0014 short")
    spec = lesson(slug).spec()
    drawn = load(type(spec)(**{**vars(spec), "policy": "Randomized kriging believer"})).trace
    assert (regret(drawn), f"{drawn.running_minimum[-1]:.4f}") == ("9.0", "0.0014")
    assert theirs.running_minimum[-1] < 1e-6


def test_batch_value() -> None:
    slug = "batch-value"
    says(slug, "0.30, 0.46, 0.56, 0.61, 0.65", "an improvement of 0.046", "spreads over 2.5")
    says(slug, "is 29.7, here it is 10.2")
    trace = run(slug).trace
    values = ["0.30", "0.46", "0.56", "0.61", "0.65"]
    assert [f"{one:.2f}" for one in trace.decisions[0].scores] == values
    for k, value in enumerate(values):
        assert leads(slug, value)[1].text == f"1.pick.{k}"
    assert "within 0.17" in lesson(slug).questions[0].text
    assert np.ptp(places(trace, 2)) == pytest.approx(0.17, abs=0.005)
    assert f"{trace.decisions[1].scores[-1]:.3f}" == "0.046"
    # The improvement of the whole batch by other samples: its best point over the best mean.
    start = trace.posterior.at(trace.decisions[0].n)
    batch = trace.decisions[0].indices.tolist()
    best = start.mean[list(start.conditioned_indices)].max()
    covariance = start.covariance(batch)[:, batch]
    rng = np.random.default_rng(1)
    f = rng.multivariate_normal(start.mean[batch], covariance, 200_000)
    gain = np.maximum(f.max(axis=1) - best, 0).mean()
    assert gain == pytest.approx(trace.decisions[0].scores[-1], rel=0.15)
    assert [regret(one) for one in (trace, paper(slug))] == ["10.2", "29.7"]
    spec = lesson(slug).spec()
    bound = load(type(spec)(**{**vars(spec), "policy": "qUCB"})).trace
    assert np.ptp(places(bound, 2)) == pytest.approx(2.5, abs=0.05)


def test_one_oven() -> None:
    slug = "one-oven"
    says(slug, "all five have x = −5", "By the sum of scores it is 0.1", "prefers the line")
    (first, total, free) = (run(slug), run(slug, shared="x1 by sum"), run(slug, shared="nothing"))
    assert set(first.trace.decisions[2].points[:, 0]) == {-5.0}
    assert set(total.trace.decisions[2].points[:, 0].round(12)) == {0.1}
    assert np.ptp(free.trace.decisions[2].points, axis=0).min() > 7
    assert leads(slug, "x⁰")[1].text == "3.pick.0"
    # The best bound is elsewhere, and the upper bound is the lesser part of the sum.
    for made in total.trace.decisions[:4]:
        start = total.trace.before(made.t)
        upper = start.mean + made.sqrt_beta * start.std
        assert upper[made.indices[0]] < upper.max()
        assert made.stds[1:].sum() > made.scores[0]


@pytest.mark.slow
def test_one_oven_over_20_runs() -> None:
    slug = "one-oven"
    says(slug, "23 below the maximum, with free batches 16: 6.9 lost (95 % interval −0.8 to 15)")
    says(slug, "8 batches none shows (−0.5; −1.5 to 0.5), after 12 it is 0.7 (0.1 to 1.3)")
    says(slug, "GP of std 1, 0.03 is lost after 4 (−0.07 to 0.16)")
    says(slug, "after 12 (−0.002; −0.006 to 0.001)", "2.4 after 12 (1.5 to 3.5)")
    hills, draws = one_oven.PROBLEMS
    found = {(row.T, row.way): row for row in one_oven.losses(hills, "GP-UCB-PE", 20)}
    assert (round(found[4, "first"].shared), round(found[4, "first"].free)) == (23, 16)
    assert _rounded(found[4, "first"]) == (6.9, -0.8, 15)
    assert _rounded(found[8, "first"]) == (-0.5, -1.5, 0.5)
    assert _rounded(found[12, "first"]) == (0.7, 0.1, 1.3)
    assert _rounded(found[12, "sum"]) == (2.4, 1.5, 3.5)
    found = {(row.T, row.way): row for row in one_oven.losses(draws, "GP-UCB-PE", 20)}
    assert _rounded(found[4, "first"], 2) == (0.03, -0.07, 0.16)
    assert _rounded(found[12, "first"], 3) == (-0.002, -0.006, 0.001)


def _rounded(row: one_oven.Lost, digits: int = 1) -> tuple[float, ...]:
    """Above 10, to whole numbers."""
    values = (row.lost, row.low, row.high)
    return tuple(round(value, digits if abs(value) < 10 else 0) for value in values)
