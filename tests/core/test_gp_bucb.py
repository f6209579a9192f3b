"""GP-BUCB: its widened band, its stop rule, and where its initialisation ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    RBF,
    BetaSchedule,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Posterior,
)
from ucbpe_core.policies import GPBUCB, GreedyUCB, PureExploration, information_bound

from .reference import (
    SlowBatch,
    assert_mask,
    assert_maximises,
    dense_std,
    examples,
    finite_beta,
)
from .strategies import Instance, instances

SCALES = (0.001, 0.05, 1.0)


def batches(case: Instance) -> int:
    """A batch size that the instance can serve."""
    return min(6, len(case.candidates))


@examples(50)
@given(instances(dimension=3), st.integers(1, 30), st.sampled_from(SCALES))
def test_no_widening_and_no_initialisation_is_greedy_ucb(
    case: Instance, t: int, scale: float
) -> None:
    """C = 0: every number of the decision equal, bit for bit."""
    K, schedule = batches(case), FiniteBeta(scale=scale)
    ours = GPBUCB(K, C=0, initialization=False).decide(case.posterior, t, schedule)
    theirs = GreedyUCB(K).decide(case.posterior, t, schedule)
    for name in ("indices", "stds", "scores", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("roles", "beta", "beta_next", "y_dot", "n", "t"):
        assert getattr(ours, name) == getattr(theirs, name)


@examples(50)
@given(
    instances(dimension=3), st.integers(1, 30), st.sampled_from(SCALES), st.floats(0, 2), st.data()
)
def test_widened_band_and_hallucinated_stds(
    case: Instance, t: int, scale: float, C: float, data: st.DataObject
) -> None:
    """Bands with beta = exp(2 C) alpha; stds are those of a dense solve with the pending points."""
    K, M = batches(case), len(case.candidates)
    pending = data.draw(st.lists(st.integers(0, M - 1), max_size=3))
    belief = case.posterior.hallucinate(pending)
    decision = GPBUCB(K, C=C, initialization=False).decide(belief, t, FiniteBeta(0.1, scale))
    betas = [math.exp(2 * C) * finite_beta(u, M, 0.1, scale) for u in (t, t + 1)]
    slow = SlowBatch(case.gp, case.candidates, case.members, case.y, *betas, pending)
    assert [decision.beta, decision.beta_next] == pytest.approx(betas, rel=1e-12)
    assert decision.y_dot == pytest.approx(slow.y_dot, rel=1e-8, abs=1e-8)
    assert_mask(decision.region, slow.region_margin)
    assert_mask(decision.region_plus, slow.region_plus_margin)
    assert set(decision.roles) == {"ucb"}
    picks = decision.indices.tolist()
    for k, pick in enumerate(picks):
        upper, std = slow.upper(picks[:k]), slow.std(picks[:k])
        assert_maximises(pick, upper)
        assert decision.scores[k] == pytest.approx(upper[pick], abs=1e-8)
        assert decision.stds[k] == pytest.approx(std[pick], abs=1e-8)


@examples(50)
@given(instances(dimension=3), st.floats(0.01, 20))
def test_stop_rule(case: Instance, C: float) -> None:
    """Initialisation goes on exactly while the bound, by a dense solve, exceeds C."""
    K = batches(case)
    variance = dense_std(case.gp, case.X, case.candidates).max() ** 2
    bound = (K - 1) * math.log(1 + variance / case.gp.noise_variance) / 2
    policy = GPBUCB(K, C=C)
    assert information_bound(case.posterior, K) == pytest.approx(bound, rel=1e-6, abs=1e-9)
    if abs(bound - C) > 1e-6:
        assert policy.initializing(case.posterior) is (bound > C)
    decision = policy.decide(case.posterior, 1, FiniteBeta())
    role, same = (
        ("init", PureExploration(K))
        if policy.initializing(case.posterior)
        else ("ucb", GPBUCB(K, C=C, initialization=False))
    )
    assert decision.roles == (role,) * K
    expected = same.decide(case.posterior, 1, FiniteBeta())
    for name in ("indices", "stds", "scores"):
        np.testing.assert_array_equal(getattr(decision, name), getattr(expected, name))


def test_without_noise() -> None:
    """The stop rule has no value there; the message names both ways out, and both work."""
    belief = Posterior.prior(GaussianProcess(RBF(), 0.0), np.arange(5.0)).observe([0], [1.0])
    with pytest.raises(InputError, match=r"noise_variance=1e-6.*initialization=False"):
        GPBUCB(3).decide(belief, 1, ConstantBeta())
    with pytest.raises(InputError, match="noise variance above 0"):
        information_bound(belief, 2)
    assert GPBUCB(3, initialization=False).decide(belief, 1, ConstantBeta()).roles[0] == "ucb"
    noisy = Posterior.prior(GaussianProcess(RBF(), 1e-6), np.arange(5.0))
    assert GPBUCB(3).decide(noisy, 1, ConstantBeta()).roles[0] == "init"


def test_a_schedule_that_cannot_be_widened() -> None:
    """One that is no dataclass, or keeps no scale of its own, is refused with the reason."""

    class Plain(BetaSchedule):
        scale = 1.0

        def unscaled(self, t: int, size: int, dimension: int) -> float:
            return 4.0

    @dataclass(frozen=True)
    class Fixed(Plain):
        beta: float = 4.0

    belief = Posterior.prior(GaussianProcess(RBF()), np.arange(5.0))
    for schedule in (Plain(), Fixed()):
        with pytest.raises(InputError, match="field scale"):
            GPBUCB(2).decide(belief, 1, schedule)


def test_c_has_a_greatest_value() -> None:
    """Beyond it exp(2 C) is no use: the bound of the message is accepted itself."""
    assert GPBUCB(3, C=150.0).C == 150.0
    with pytest.raises(InputError, match="C of at most 150"):
        GPBUCB(3, C=150.1)
