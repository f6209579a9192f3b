"""Recommended: each pick by dense solves, whatever the schedule and with nothing repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import BoxBandit, FiniteBeta, GaussianProcess, Matern, Posterior, problems, simulate
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import Eligible, Recommended
from ucbpe_core.support.validation import Floats

from .reference import SlowBatch, assert_maximises, examples, improvement
from .strategies import Instance, instances


def later(gp: GaussianProcess, X: Floats) -> str:
    """The role of the picks after the first, from the variances alone."""
    noisy = gp.noise_variance >= 1e-3 * gp.kernel.diagonal(X).max()
    return "upper" if noisy else "believer"


def score_of(role: str, slow: SlowBatch, before: list[int]) -> Floats:
    """What a pick of that role maximises, by dense solves."""
    if role == "upper":
        return slow.upper(before)
    known = slow.mean[[*slow.told, *before]]
    return improvement(
        slow.mean, slow.std(before), float(known.max()) if len(known) else slow.gp.mean
    )


def assert_picked(slow: SlowBatch, role: str, pick: int, before: list[int]) -> Floats:
    """The pick is the best of the candidates that await no result; all scores."""
    score = score_of(role, slow, before)
    free = ~np.isin(np.arange(len(score)), before)
    assert free[pick]
    assert_maximises(pick, np.where(free, score, score.min() - 1.0))
    return score


@examples(75)
@given(
    instances(dimension=3), st.integers(1, 30), st.sampled_from((0.001, 1.0)),
    st.booleans(),
)  # fmt: skip
def test_picks(case: Instance, t: int, scale: float, little: bool) -> None:
    """The first improves most on the best mean that is known; the others do, counting the picks
    before as known, or with noise have the highest bound. No schedule has a part in it."""
    gp = replace(case.gp, noise_variance=0.5 * case.gp.noise_variance) if little else case.gp
    posterior = Posterior.prior(gp, case.candidates).observe(case.members, case.y)
    K = min(6, len(case.candidates))
    decision = Recommended(K).decide(posterior, t, FiniteBeta(0.1, scale))
    slow = SlowBatch(gp, case.candidates, case.members, case.y, beta=4.0, beta_next=4.0)
    assert decision.roles == ("ei", *[later(gp, case.candidates)] * (K - 1))
    for k, (pick, role) in enumerate(zip(decision.indices.tolist(), decision.roles, strict=True)):
        before = decision.indices[:k].tolist()
        score = assert_picked(slow, role, pick, before)
        assert decision.scores[k] == pytest.approx(score[pick], abs=1e-8)
        assert decision.stds[k] == pytest.approx(slow.std(before)[pick], abs=1e-8)


@pytest.mark.parametrize(("share", "role"), [(0.99e-3, "believer"), (1.01e-3, "upper")])
def test_the_rule_changes_at_a_share_of_the_prior_variance(share: float, role: str) -> None:
    """Whatever the unit of y, and in a box as among candidates."""
    for unit in (1e-3, 1.0, 1e3):
        variance = unit**2 * 2.5
        gp = GaussianProcess(Matern(0.3, variance, nu=2.5), share * variance)
        posterior = Posterior.prior(gp, np.linspace(0, 1, 9)).observe([2, 5], [unit, 0.0])
        assert Recommended(3).decide(posterior, 1, FiniteBeta()).roles == ("ei", role, role)
        box = BoxBandit([(0.0, 1.0)], gp, Recommended(3), samples=64, starts=1, fit="never")
        box.tell(None, [unit, 0.0], points=[[0.25], [0.6]])
        assert box.ask().roles == ("ei", role, role)


def test_with_noise_a_batch_repeats_a_candidate_only_when_all_are_awaited() -> None:
    """The best row is known far better than any other, and would have the most to gain each time;
    one of five running is left to the batch, and then the best again."""
    gp = GaussianProcess(Matern(0.1, nu=2.5), 0.01)
    posterior = Posterior.prior(gp, np.linspace(0, 1, 5)).observe([1, 3], [7.6, 6.0])
    avoid = Eligible(repeats="avoid")
    first = Recommended(4).decide(posterior, 1, FiniteBeta(), eligible=avoid).indices.tolist()
    assert first[0] == 1
    assert len(set(first)) == 4
    beside = Recommended(3).beside(["ei"], 3)
    running = posterior.hallucinate([1, 0, 2, 4])
    last = beside.decide(running, 2, FiniteBeta(), eligible=avoid).indices.tolist()
    assert last == [3, 1, 1]


def test_without_noise_no_candidate_comes_twice_until_all_are_known() -> None:
    x, gp = np.linspace(0, 1, 9), GaussianProcess(Matern(0.3, nu=2.5), 0.0)
    posterior = Posterior.prior(gp, x).observe([4, 5], [1.0, 0.9])
    avoid = Eligible(repeats="avoid")
    decision = Recommended(5).decide(posterior, 1, FiniteBeta(), eligible=avoid)
    assert len(set(decision.indices.tolist()) | {4, 5}) == 7
    assert decision.roles == ("ei", *["believer"] * 4)
    posterior = posterior.observe(decision.indices, np.zeros(5))
    last = Recommended(5).decide(posterior, 2, FiniteBeta(), eligible=avoid)
    assert len(last.indices) == 2


@pytest.mark.parametrize("noise", [1e-6, 0.05])
def test_beside_running_picks_all_are_later_picks(noise: float) -> None:
    """With workers the first pick alone has no other beside it; each follows what runs, too."""
    problem = problems.multimodal()
    variance = float(problem.gp.kernel.diagonal(problem.candidates).max())
    gp = replace(problem.gp, noise_variance=noise * variance)
    problem = replace(problem, gp=gp)
    trace = simulate(problem, Recommended(3), batches=4, initial=4, workers=Workers())
    roles = [role for made in trace.decisions for role in made.roles]
    assert roles == ["ei", *[later(gp, trace.problem.candidates)] * (len(roles) - 1)]
    X, y = trace.problem.candidates, trace.y
    trials, order = trace.history.trials, list(trace.timetable.order)
    for turn, made in zip(trace.timetable.turns, trace.decisions, strict=True):
        told = [trials[4 + i].index for i in order[: turn.told]]
        start = [trial.index for trial in trials[:4]]
        slow = SlowBatch(gp, X, [*start, *told], y[: 4 + turn.told], beta=4.0, beta_next=4.0)
        running = [trials[4 + i].index for i in turn.running]
        for k, (pick, role) in enumerate(zip(made.indices.tolist(), made.roles, strict=True)):
            assert_picked(slow, role, pick, [*running, *made.indices[:k].tolist()])
