"""Every decision of every policy against its definition, by dense solves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Booleans, Floats, examples
from tests.core.strategies import Instance, instances
from ucbpe_core import GPUCBPE, FiniteBeta, Policy, Posterior
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    IRGPUCB,
    PIMS,
    POLICIES,
    QEI,
    QUCB,
    BatchedPureExploration,
    ConstantLiar,
    GreedyUCB,
    KrigingBeliever,
    LocalPenalization,
    PlainUCB,
    PureExploration,
    RandomizedKrigingBeliever,
    RandomSearch,
    Recommended,
    ThompsonSampling,
    VizierUCBPE,
    information_bound,
)
from ucbpe_core.policies.base import sized

from .batch import Batch
from .definitions import DEFINITIONS, betas_of, information, lack, threshold

CASES: tuple[Policy, ...] = (
    GPUCBPE(6),
    GPUCB(),
    GreedyUCB(5),
    IRGPUCB(4, seed=2),
    GPBUCB(4, C=0.4, initialization=False),
    GPBUCB(4, C=3.0),
    PlainUCB(3),
    PureExploration(6),
    RandomSearch(5, seed=3),
    EIPE(6),
    Recommended(6),
    KrigingBeliever(3),
    RandomizedKrigingBeliever(3, seed=4),
    ConstantLiar(3, "min"),
    ConstantLiar(3, "mean"),
    ConstantLiar(3, "max"),
    LocalPenalization(5),
    PIMS(3, seed=5),
    ThompsonSampling(4, seed=6),
    QUCB(4, samples=32, seed=7),
    QEI(4, samples=32, seed=8),
    VizierUCBPE(4, seed=9),
    VizierUCBPE(4, pe_probability=0.5, ucb_probability=0.5, seed=10),
    VizierUCBPE(4, pe_probability=1.0, ucb_probability=1.0, seed=11),
    BatchedPureExploration(3, horizon=60),
)
MARGIN = 1e-9  # two scores closer than this may be ordered either way by rounding
# Scores that rounding moves more than a bound or a std: how far, absolute and relative.
LOOSE = {
    "Kriging believer": (1e-6, 0.0),
    "Randomized kriging believer": (1e-6, 0.0),
    "Constant liar": (1e-6, 0.0),
    "Local penalization": (1e-9, 1e-4),
    "PIMS": (1e-5, 0.0),
    "qUCB": (2e-5, 0.0),  # a share of 1e-12 is added to covariances
    "qEI": (2e-5, 0.0),
    "Vizier UCB-PE": (1e-6, 0.0),
}


def test_all_policies_are_here() -> None:
    assert {policy.name for policy in CASES} == DEFINITIONS.keys() == POLICIES.keys() - {"SM-UCB"}


@pytest.mark.parametrize("policy", CASES, ids=repr)
@examples(40)
@given(
    instances(dimension=3, size=30, observations=12),
    st.integers(1, 30),
    st.sampled_from((0.01, 0.1)),
    st.sampled_from((0.001, 0.01, 0.05, 0.2, 1.0)),
    st.integers(0, 2),
    st.booleans(),
)
def test_each_pick(
    policy: Policy, case: Instance, t: int, delta: float, scale: float, running: int, little: bool
) -> None:
    """Its role, what it maximises and its std; the band, R and R+. Also with picks that are still
    pending, where nothing is measured, with little noise and where R+ is a small part of X."""
    gp, M = case.gp, len(case.candidates)
    gp = replace(gp, noise_variance=0.5 * gp.noise_variance) if little else gp
    pending = [] if policy.whole else case.rng.integers(0, M, running).tolist()
    posterior = Posterior.prior(gp, case.candidates).observe(case.members, case.y)
    policy = sized(policy, min(policy.batch_size, M))
    start = posterior.hallucinate(pending)
    decision = policy.decide(start, t, FiniteBeta(delta, scale))
    betas = betas_of(policy, t, M, delta, scale)
    at = case.candidates, case.members, case.y
    batch = Batch(gp, *at, *betas, pending, policy, t, decision)

    assert decision.indices.shape == decision.stds.shape == (policy.batch_size,)
    assert (decision.t, decision.n) == (t, len(case.members) + len(pending))
    assert [decision.beta, decision.beta_next] == pytest.approx(betas, rel=1e-12)
    assert decision.sqrt_beta == pytest.approx(np.sqrt(betas[0]), rel=1e-12)
    assert decision.y_dot == pytest.approx(batch.y_dot, rel=1e-8, abs=1e-8)
    assert_mask(decision.region, batch.region_margin)
    assert_mask(decision.region_plus, batch.region_plus_margin)
    assert_explored(batch)
    bound = information_bound(start, policy.batch_size)
    assert bound == pytest.approx(information(batch), rel=1e-6, abs=1e-9)
    near, share = LOOSE.get(policy.name, (1e-8, 0.0))
    picks = decision.indices.tolist()
    for k, pick in enumerate(picks):
        role, score = DEFINITIONS[policy.name](batch, picks[:k])
        assert decision.roles[k] == role
        assert decision.stds[k] == pytest.approx(batch.std(picks[:k])[pick], rel=1e-8, abs=1e-8)
        slack = near if policy.name in LOOSE else MARGIN
        assert score[pick] >= score.max() - share * abs(score.max()) - slack
        if role != "random":
            assert decision.scores[k] == pytest.approx(score[pick], rel=max(share, 1e-12), abs=near)


def assert_mask(mask: Booleans, margin: Floats) -> None:
    """The mask is {margin >= 0}, but for margins that rounding can turn."""
    clear = np.abs(margin) > MARGIN
    assert np.array_equal(mask[clear], margin[clear] >= 0)


def assert_explored(batch: Batch) -> None:
    """The regions of the two policies that have one of their own."""
    decision = batch.decision
    assert decision is not None
    if batch.policy.name == "Batched pure exploration":
        (region,) = set(decision.explored)
        clear = np.ones(len(batch.candidates), dtype=bool)
        *eliminations, (_, left) = lack(batch)
        for margin, _ in eliminations:
            clear &= np.abs(margin) > 1e-7
        assert region is not None
        np.testing.assert_array_equal(region.mask[clear], left[clear])
    elif batch.policy.name == "Vizier UCB-PE":
        for k, (role, region) in enumerate(zip(decision.roles, decision.explored, strict=True)):
            picks = decision.indices[:k].tolist()
            level, reach = threshold(batch, picks)
            assert (region is None) == (role == "ucb" or level == -np.inf)
            if region is not None:
                clear = np.abs(reach - level) > 1e-6
                assert region.level == pytest.approx(level, abs=1e-6)
                np.testing.assert_array_equal(region.mask[clear], reach[clear] > level)
    else:
        assert decision.explored == ()
