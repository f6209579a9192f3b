"""Whatever the lessons on the rules after 2013 say is true of their runs; as in `test_claims`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks import one_oven
from tests.app.lessons.test_claims import (
    at,
    chosen,
    keeps_optimum,
    leads,
    lesson,
    run,
    says,
    share,
)
from ucbpe_app.run.notation import event_of
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
    return chosen(slug, **PAPER).trace


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
    says(
        slug, "μ + 0.5 σ reaches", "on 16 % of X", "has 88 %", "largest μ + 1.8 σ",
        "The maximum is at 0.82", "takes 0.5 σ where R⁺ takes 2√β σ, 9.6 σ in batch 3",
        "Over all 8 batches Vizier's picks have less regret, 11.3 against 22.8", "ten times",
        "within 0.013 of the maximum in batch 7", "region takes 0.5 σ", "9 of 10", "bound, 0.84,",
        "0.051 at x¹, and 0.035 at x⁴", "At x = 1, outside the region, it stays 0.41", "batch 7:",
        "within 0.013 of the top",
    )  # fmt: skip
    replay, theirs = run(slug), run(slug, **PAPER)
    assert len(replay.trace.decisions) == 8
    assert mask_share(replay, 3, 1) == 16
    assert share(theirs, 3) == 88
    assert [regret(one.trace) for one in (replay, theirs)] == ["11.3", "22.8"]
    assert f"{2 * np.sqrt(theirs.trace.decisions[2].beta_next):.1f}" == "9.6"
    near = np.round(theirs.trace.running_minimum, 3) <= 0.013
    assert list(near).index(True) == 7 - 1
    assert all(keeps_optimum(theirs, t)[1] for t in range(1, 8))
    problem = replay.trace.problem
    assert problem.candidates[problem.optimum_index] == pytest.approx(0.82)
    regions = [one for decision in replay.trace.decisions for one in decision.explored if one]
    assert len(regions) > 8
    assert not any(one.mask[problem.optimum_index] for one in regions)
    # The region by its definition, from the posterior at batch start and the first pick.
    made = replay.trace.decisions[2]
    start = replay.trace.posterior.at(made.n)
    known = [*start.conditioned_indices, made.indices[0]]
    best = known[int(np.argmax(start.mean[known] + 1.8 * start.std[known]))]
    region = start.mean + 0.5 * start.std >= start.mean[best]
    np.testing.assert_array_equal(region, made.explored[1].mask)
    upper = start.mean + 1.8 * start.std
    assert int(np.argmax(upper)) == made.indices[0]
    assert f"{upper.max():.2f}" == "0.84"
    for k, std in ((1, "0.051"), (4, "0.035")):
        now = at(replay, f"3.pick.{k}").std_now
        assert [f"{now[made.indices[k]]:.3f}", f"{now[-1]:.2f}"] == [std, "0.41"]
    assert problem.candidates[-1] == 1
    assert not region[-1]
    rule = VizierUCBPE()
    assert (rule.coefficient, rule.region_coefficient, rule.penalty) == (1.8, 0.5, 10)
    assert (rule.pe_probability, rule.ucb_probability) == (0.1, 0.25)


def test_phases() -> None:
    slug = "phases"
    says(
        slug, "for four batches they fill X", "all but 13 % of X", "98.4 over 14 batches",
        "GP-UCB-PE has 58.9", "results of batch 1 in batch 2, when R⁺ is 49 %", "for 1,000 points",
        "picks of batch 5: they are from 4.85 to 5.45", "maximum is at 5.15", "batches 1 to 4",
        "in batch 5 R⁺ is 12 % of X, and its regret is 58.9",
    )  # fmt: skip
    replay, theirs = run(slug), chosen(slug, **PAPER)
    trace = replay.trace
    shares = [mask_share(replay, t, 0) for t in range(1, 15)]
    assert shares == [100] * 4 + [13] * 10
    assert leads(slug, "13 % of X") == ({}, event_of("5.pick.0"))
    assert len(trace.policy.phases) - 1 == 3  # type: ignore[attr-defined]
    assert sum(trace.policy.phases) * 10 >= 1000  # type: ignore[attr-defined]
    assert np.ptp(places(trace, 4)) > 0.9 * np.ptp(trace.problem.candidates)
    assert [regret(one.trace) for one in (replay, theirs)] == ["98.4", "58.9"]
    assert [share(theirs, t) for t in (2, 5)] == [49, 12]
    later = places(trace, 5)
    assert (later.min(), later.max()) == pytest.approx((4.85, 5.45))
    assert trace.problem.candidates[trace.problem.optimum_index] == pytest.approx(5.15)
    # "Whatever is measured": the same forty with other noise.
    other = chosen(slug, seed=2).trace
    for t in range(1, 5):
        np.testing.assert_array_equal(places(other, t), places(trace, t))
    assert sum(len(one.indices) for one in trace.decisions[:4]) == 40
    # What R rules out after the first phase, whose points are all there are.
    np.testing.assert_array_equal(
        trace.decisions[4].explored[0].mask,
        _reached(trace, trace.decisions[4].n, trace.decisions[4].beta),
    )


def _reached(trace: Trace, n: int, beta: float) -> np.ndarray:
    """R of the band after n observations."""
    start = trace.posterior.at(n)
    width = np.sqrt(beta) * start.std
    return start.mean + width >= (start.mean - width).max()


def test_constant_beta() -> None:
    slug = "constant-beta"
    says(
        slug, "half a σ to each side, because β is 0.25 for all t", "With β = 4 the search",
        "With β = 0.25 all picks from step 4 to 100 are within 0.02 of 0",
        "regret is 67.2 after 100 steps",
        "With 0.25 this happens for 6 of 20 functions, with 1 for 2, with 4 for none",
        "until this pick, the sixth, is to the right of 0.5", "between 10.6 and 23.9",
        "With β = 2 the sixth pick is still at 0.15, with β = 2.25 it is at 0.67",
        "its regret is 13.4", "with β = 4 the maximum", "in step 7. Look",
        "band of β = 0.25 at 0: σ there is 0.050, and f is known well, at 0.52",
        "At the top, at 0.74, the band ends at 0.21, and f is 1.18",
        "Set the band to ± 2 std, β = 4: the maximum is measured in step 7.",
    )  # fmt: skip
    replay, random = run(slug), chosen(slug, policy="IRGP-UCB").trace
    trace, total = replay.trace, replay.trace.full_cumulative_regret
    assert f"{total[-1]:.1f}" == "67.2"
    assert len(trace.decisions) == 100
    assert all(places(trace, t)[0] < 0.02 for t in range(4, 101))
    frame, top = at(replay, "6.observe"), trace.problem.optimum_index
    assert frame.sqrt_beta == 0.5
    upper, values = frame.mean + 0.5 * frame.std, trace.problem.values
    assert [f"{one:.2f}" for one in (upper[top], values[top], values[0])] == [
        "0.21",
        "1.18",
        "0.52",
    ]
    assert f"{frame.std[0]:.3f}" == "0.050"
    X = trace.problem.candidates[:, 0]
    assert f"{X[top]:.2f}" == "0.74"
    assert upper[top] < values[0] < upper.max()
    assert top not in frame.observed
    assert f"{random.full_cumulative_regret[-1]:.1f}" == "13.4"
    betas = [decision.beta for decision in random.decisions]
    assert [f"{one:.1f}" for one in (min(betas), max(betas))] == ["10.6", "23.9"]
    assert [_stuck(beta) for beta in (0.25, 1.0, 4.0)] == [6, 2, 0]
    sixth = [places(chosen(slug, beta=beta).trace, 6)[0] for beta in (2.0, 2.25)]
    assert [f"{x:.2f}" for x in sixth] == ["0.15", "0.67"]
    found = run(slug, beta=4.0).trace.simple_regret == 0
    assert list(found).index(True) == 7 - 1


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
        slug, "x¹ with probability 21 %", "√β = 0.79", "√β is 4.24", "regret of all picks is 8.1",
        "with Thompson sampling 10.1, with GP-UCB-PE 29.7", "in batch 1 from 3.39 to 6.01",
        "was 87 %, at x³ only 2 %", "regret 10.1.",
    )  # fmt: skip
    trace, theirs = run(slug).trace, run(slug, **PAPER).trace
    first = trace.decisions[0]
    assert [f"{100 * first.scores[k]:.0f}" for k in (0, 1, 3)] == ["87", "21", "2"]
    assert f"{theirs.decisions[0].sqrt_beta:.2f}" == "4.24"
    start = trace.posterior.at(first.n)
    now = start.hallucinate([int(first.indices[0])])
    # With the √β whose probability this is, the pick has the greatest upper bound, which is g*.
    width = 0.79
    assert int(np.argmax(now.mean + width * now.std)) == first.indices[1]
    chance = np.mean(np.random.default_rng(0).standard_normal(200_000) > width)
    assert chance == pytest.approx(first.scores[1], abs=0.005)
    thompson = chosen(slug, policy="Thompson sampling").trace
    assert [regret(one) for one in (trace, thompson, theirs)] == ["8.1", "10.1", "29.7"]
    there = places(thompson, 1)
    assert [f"{one:.2f}" for one in (there.min(), there.max())] == ["3.39", "6.01"]


def test_lies() -> None:
    slug = "lies"
    says(
        slug, "all are within 0.02", "so far, −0.98", "to 2.70", "stays 0.012 short",
        "11.0 for the believer, 19.7 for the liar, 29.7 for GP-UCB-PE",
        "its regret is 9.0, and it stays 0.0014 short", "from 0.39 to 0.10", "x⁰ = 5.20",
        "at 5.20:", "it is 0.044, and after their results it is 0.044",
    )  # fmt: skip
    replay, liar = run(slug), run(slug, policy="Constant liar").trace
    believer = replay.trace
    assert np.ptp(places(believer, 2)) <= 0.02
    assert f"{liar.posterior.y[: liar.decisions[1].n].min():.2f}" == "-0.98"
    assert places(liar, 2)[-1] == pytest.approx(2.70, abs=0.006)
    assert leads(slug, "constant liar")[1].text == "2.pick.4"
    theirs = paper(slug)
    assert [regret(one) for one in (believer, liar, theirs)] == ["11.0", "19.7", "29.7"]
    assert f"{believer.running_minimum[-1]:.3f}" == "0.012"
    drawn = chosen(slug, policy="Randomized kriging believer").trace
    assert (regret(drawn), f"{drawn.running_minimum[-1]:.4f}") == ("9.0", "0.0014")
    assert theirs.running_minimum[-1] < 1e-6
    # σ at the first pick of batch 2: alone, once it counts, once all do, and with all results.
    picks = believer.decisions[1].indices
    assert places(believer, 2)[0] == pytest.approx(5.20)
    stds = [
        at(replay, "2.pick.0").std_now, at(replay, "2.pick.1").std_now,
        believer.before(2).hallucinate(picks.tolist()).std, at(replay, "2.observe").std,
    ]  # fmt: skip
    assert [f"{one[picks[0]]:.2f}" for one in stds[:2]] == ["0.39", "0.10"]
    assert [f"{one[picks[0]]:.3f}" for one in stds[2:]] == ["0.044", "0.044"]


def test_batch_value() -> None:
    slug, values = "batch-value", ["0.30", "0.46", "0.56", "0.61", "0.65"]
    says(
        slug, ", ".join(values), "In batch 2 all five are within 0.17",
        "Around 5.2 an improvement of 0.046", "below 4.9 and above 5.5 at most 0.001",
        "is 29.7, here it is 10.2", "pick of batch 2: its σ is 0.064", "and 0.086 without",
        "before batch 2: at 4.62 it was 0.38", "mean there was 0.27, and the best 1.84",
        "its batch 2 spreads over 2.5",
    )  # fmt: skip
    replay = run(slug)
    trace = replay.trace
    assert [f"{one:.2f}" for one in trace.decisions[0].scores] == values
    for k, value in enumerate(values):
        assert leads(slug, value)[1].text == f"1.pick.{k}"
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
    # Elsewhere than around 5.2, by the formula of one point.
    frame, x = at(replay, "2.posterior"), trace.problem.candidates[:, 0]
    best = frame.mean[frame.observed].max()
    z = (frame.mean - best) / frame.std
    expected = frame.std * (norm.pdf(z) + z * norm.cdf(z))
    assert f"{expected[(x < 4.9) | (x > 5.5)].max():.3f}" == "0.001"
    widest = int(np.argmax(frame.std))
    found = [f"{one:.2f}" for one in (x[widest], frame.std[widest], frame.mean[widest], best)]
    assert found == ["4.62", "0.38", "0.27", "1.84"]
    second = at(replay, "2.pick.1")
    index = trace.decisions[1].indices[1]
    assert [f"{one[index]:.3f}" for one in (second.std_now, second.std)] == ["0.064", "0.086"]
    assert [regret(one) for one in (trace, paper(slug))] == ["10.2", "29.7"]
    assert np.ptp(places(chosen(slug, policy="qUCB").trace, 2)) == pytest.approx(2.5, abs=0.05)


def test_one_oven() -> None:
    slug = "one-oven"
    says(
        slug, *OVER_20_RUNS, "f varies by 419 there, of 891 on X", "on it falls from 200 to 71",
        "from 83 to 66 with this batch, and in free batches from 81 to 59",
        "to x1 by sum: the line is then at x = 0.1",
    )  # fmt: skip
    first, free = run(slug), run(slug, shared="nothing")
    total = chosen(slug, shared="x1 by sum")
    assert set(first.trace.decisions[2].points[:, 0]) == {-5.0}
    assert set(total.trace.decisions[2].points[:, 0].round(12)) == {0.1}
    assert np.ptp(free.trace.decisions[2].points, axis=0).min() > 7
    problem = first.trace.problem
    line = problem.candidates[:, 0] == -5
    assert [f"{np.ptp(one):.0f}" for one in (problem.values[line], problem.values)] == [
        "419",
        "891",
    ]
    around = [
        [at(one, event).std for event in ("3.posterior", "3.observe")] for one in (first, free)
    ]
    assert [f"{std[line].max():.0f}" for std in around[0]] == ["200", "71"]
    means = [[f"{std.mean():.0f}" for std in own] for own in around]
    assert means == [["83", "66"], ["81", "59"]]
    # The best bound is elsewhere, and the upper bound is the lesser part of the sum.
    for made in total.trace.decisions[:4]:
        start = total.trace.before(made.t)
        upper = start.mean + made.sqrt_beta * start.std
        assert upper[made.indices[0]] < upper.max()
        assert made.stds[1:].sum() > made.scores[0]


OVER_20_RUNS = (
    "Over 20 runs the best point after 4 batches is 23 below the maximum",
    "with free batches 16: 6.9 lost (95 % interval −0.8 to 15)",
    "After 8 batches no loss shows (−0.5; −1.5 to 0.5), after 12 it is 0.7 (0.1 to 1.3)",
    "2.4 after 12 (1.5 to 3.5)",
)


@pytest.mark.slow
def test_one_oven_over_20_runs() -> None:
    hills, _ = one_oven.PROBLEMS
    found = {(row.T, row.way): row for row in one_oven.losses(hills, "GP-UCB-PE", 20)}
    assert (round(found[4, "first"].shared), round(found[4, "first"].free)) == (23, 16)
    assert _rounded(found[4, "first"]) == (6.9, -0.8, 15)
    assert _rounded(found[8, "first"]) == (-0.5, -1.5, 0.5)
    assert _rounded(found[12, "first"]) == (0.7, 0.1, 1.3)
    assert _rounded(found[12, "sum"]) == (2.4, 1.5, 3.5)


def _rounded(row: one_oven.Lost) -> tuple[float, ...]:
    """Above 10, to whole numbers."""
    values = (row.lost, row.low, row.high)
    return tuple(round(value, 1 if abs(value) < 10 else 0) for value in values)
