"""Recommended: each pick by dense solves, whatever the schedule and with nothing repeated."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import FiniteBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import Eligible, Recommended

from .reference import SlowBatch, assert_maximises, examples, improvement
from .strategies import Instance, instances


@examples(75)
@given(instances(dimension=3), st.integers(1, 30), st.sampled_from((0.001, 1.0)))
def test_picks(case: Instance, t: int, scale: float) -> None:
    """x0 maximises the improvement over the best known mean; the others mean + std."""
    K = min(6, len(case.candidates))
    decision = Recommended(K).decide(case.posterior, t, FiniteBeta(0.1, scale))
    slow = SlowBatch(case.gp, case.candidates, case.members, case.y, 1.0, 1.0)
    best = float(slow.mean[case.members].max()) if case.members else case.gp.mean
    first, *others = decision.indices.tolist()
    assert decision.roles == ("ei", *["ucb"] * len(others))
    assert (decision.beta, decision.beta_next) == (1.0, 1.0)
    assert_maximises(first, improvement(slow.mean, slow.std([]), best))
    for k, pick in enumerate(others, start=1):
        assert_maximises(pick, slow.mean + slow.std(decision.indices[:k].tolist()))


def test_without_noise_no_candidate_comes_twice_until_all_are_known() -> None:
    x, gp = np.linspace(0, 1, 9), GaussianProcess(Matern(0.3, nu=2.5), 0.0)
    posterior = Posterior.prior(gp, x).observe([4, 5], [1.0, 0.9])
    avoid = Eligible(repeats="avoid")
    decision = Recommended(5).decide(posterior, 1, FiniteBeta(), eligible=avoid)
    assert len(set(decision.indices.tolist()) | {4, 5}) == 7
    assert decision.roles == ("ei", "ucb", "ucb", "ucb", "ucb")
    posterior = posterior.observe(decision.indices, np.zeros(5))
    last = Recommended(5).decide(posterior, 2, FiniteBeta(), eligible=avoid)
    assert len(last.indices) == 2
