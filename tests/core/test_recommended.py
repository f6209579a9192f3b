"""Recommended: each pick by dense solves, whatever the schedule and with nothing repeated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import FiniteBeta, GaussianProcess, Matern, Posterior, problems, simulate
from ucbpe_core.policies import Eligible, Recommended
from ucbpe_core.workers import Workers

from .reference import SlowBatch, assert_maximises, examples, improvement
from .strategies import Instance, instances


@examples(75)
@given(instances(dimension=3), st.integers(1, 30), st.sampled_from((0.001, 1.0)))
def test_picks(case: Instance, t: int, scale: float) -> None:
    """Each maximises the improvement over the best mean that is known or was believed before."""
    K = min(6, len(case.candidates))
    decision = Recommended(K).decide(case.posterior, t, FiniteBeta(0.1, scale))
    slow = SlowBatch(case.gp, case.candidates, case.members, case.y, 1.0, 1.0)
    assert decision.roles == ("ei", *["believer"] * (K - 1))
    for k, pick in enumerate(decision.indices.tolist()):
        before = decision.indices[:k].tolist()
        known = slow.mean[[*case.members, *before]]
        best = float(known.max()) if len(known) else case.gp.mean
        score = improvement(slow.mean, slow.std(before), best)
        assert pick not in before
        assert_maximises(pick, np.where(np.isin(np.arange(len(score)), before), -1.0, score))
        assert decision.scores[k] == pytest.approx(score[pick], abs=1e-8)
        assert decision.stds[k] == pytest.approx(slow.std(before)[pick], abs=1e-8)


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


def test_beside_running_picks_it_believes_them() -> None:
    """With workers the first pick alone has no other beside it; each improves on what runs, too."""
    trace = simulate(problems.multimodal(), Recommended(3), batches=4, initial=4, workers=Workers())
    roles = [role for made in trace.decisions for role in made.roles]
    assert roles == ["ei", *["believer"] * (len(roles) - 1)]
    X, gp, y = trace.problem.candidates, trace.gp, trace.y
    trials, order = trace.history.trials, list(trace.timetable.order)
    for turn, made in zip(trace.timetable.turns, trace.decisions, strict=True):
        told = [trials[4 + i].index for i in order[: turn.told]]
        start = [trial.index for trial in trials[:4]]
        slow = SlowBatch(gp, X, [*start, *told], y[: 4 + turn.told], 1.0, 1.0)
        running = [trials[4 + i].index for i in turn.running]
        for k, pick in enumerate(made.indices.tolist()):
            before = [*running, *made.indices[:k].tolist()]
            best = float(slow.mean[[*slow.told, *before]].max())
            score = improvement(slow.mean, slow.std(before), best)
            assert_maximises(pick, np.where(np.isin(np.arange(len(X)), before), -1.0, score))
