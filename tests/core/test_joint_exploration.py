"""Joint exploration against all sets, and the determinantal process by counting its draws."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, dense, examples
from tests.core.strategies import Instance, instances
from ucbpe_core import GPUCBPE, ConstantBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import DPPSample, JointExploration
from ucbpe_core.policies.joint_exploration import drawn


def posterior_covariance(gp: GaussianProcess, X: Floats, members: list[int]) -> Floats:
    """Of f at X given measurements at some of them, by a dense solve."""
    return dense(gp, X[members], np.zeros(len(members)), X)[1]


def log_det(Sigma: Floats, noise: float, chosen: list[int]) -> float:
    of_set = Sigma[np.ix_(chosen, chosen)]
    return float(np.linalg.slogdet(np.eye(len(chosen)) + of_set / noise)[1])


@examples(40)
@given(instances(dimension=2, size=9, observations=4), st.sampled_from((0.01, 0.3, 4.0)))
def test_joint_exploration_is_between_greedy_and_the_best_set(case: Instance, beta: float) -> None:
    """All multisets of 3 of R+; no single exchange improves the one chosen."""
    noise, X = case.gp.noise_variance, case.candidates
    decision = JointExploration(4).decide(case.posterior, 1, ConstantBeta(beta))
    greedy = GPUCBPE(4).decide(case.posterior, 1, ConstantBeta(beta))
    x0, *chosen = decision.indices.tolist()
    assert x0 == greedy.indices[0]
    assert decision.region_plus[chosen].all()
    Sigma = posterior_covariance(case.gp, X, [*case.members, x0])
    inside = np.flatnonzero(decision.region_plus).tolist()
    value = log_det(Sigma, noise, chosen)
    best = max(log_det(Sigma, noise, list(S)) for S in combinations_with_replacement(inside, 3))
    assert log_det(Sigma, noise, greedy.indices[1:].tolist()) - 1e-6 <= value <= best + 1e-6
    for k in range(3):
        others = [*chosen[:k], *chosen[k + 1 :]]
        assert max(log_det(Sigma, noise, [*others, j]) for j in inside) <= value + 1e-6
    # Each score is the std given all other picks: with their determinant it makes up the whole.
    for k, score in enumerate(decision.scores[1:]):
        others = [*chosen[:k], *chosen[k + 1 :]]
        whole = log_det(Sigma, noise, others) + np.log1p(score**2 / noise)
        assert whole == pytest.approx(value, abs=1e-6)


def test_greedy_can_be_improved() -> None:
    """By a third of a nat for 4 of 7 points, to the best of all sets."""
    X = np.random.default_rng(12).random((7, 2)).round(1)
    gp = GaussianProcess(Matern(0.6, nu=2.5), 0.05)
    start = Posterior.prior(gp, X)
    joint = JointExploration(5).decide(start, 1, ConstantBeta())
    greedy = GPUCBPE(5).decide(start, 1, ConstantBeta())
    Sigma = posterior_covariance(gp, X, [int(joint.indices[0])])
    values = [log_det(Sigma, 0.05, one.indices[1:].tolist()) for one in (joint, greedy)]
    best = max(log_det(Sigma, 0.05, list(S)) for S in combinations_with_replacement(range(7), 4))
    assert values[0] == pytest.approx(best, abs=1e-9)
    assert values[0] > values[1] + 0.3


def test_the_greedy_maximiser_of_the_determinant_is_gp_ucb_pe() -> None:
    """DPP-MAX: each pick has the greatest determinant with those before, of 40 candidates."""
    rng = np.random.default_rng(3)
    X = rng.random((40, 2))
    gp = GaussianProcess(Matern(0.4, nu=1.5), 0.05)
    start = Posterior.prior(gp, X).observe([3, 8, 20], [0.5, 2.0, -1.0])
    decision = GPUCBPE(6).decide(start, 1, ConstantBeta(0.5))
    assert 6 < decision.region_plus.sum() < 40
    x0, *others = decision.indices.tolist()
    Sigma = posterior_covariance(gp, X, [3, 8, 20, x0])
    inside = np.flatnonzero(decision.region_plus)
    for k, j in enumerate(others):
        values = [log_det(Sigma, 0.05, [*others[:k], int(i)]) for i in inside]
        assert inside[int(np.argmax(values))] == j


@pytest.mark.parametrize("noise", [0.05, 0.0])
def test_sets_are_drawn_in_proportion_to_their_determinant(noise: float) -> None:
    """All 20 sets of 3 of 6 candidates, by chi-square: 19 degrees of freedom, p = 1e-4 at 52."""
    X = np.array([[0.0], [0.2], [0.5], [0.6], [1.0], [1.7]])
    gp = GaussianProcess(Matern(0.5, nu=2.5), noise)
    posterior = Posterior.prior(gp, X).observe([1], [0.3])
    inside, n = np.array([0, 2, 3, 4, 5]), 1500
    Sigma = posterior_covariance(gp, X, [1])
    sets = list(combinations(inside.tolist(), 3))
    weights = [np.linalg.det(Sigma[np.ix_(S, S)] + noise * np.eye(3)) for S in sets]
    chances = np.array(weights) / sum(weights)
    rng = np.random.default_rng(0)
    found = [tuple(sorted(drawn(posterior, [0, 2, 3], inside, 40, rng))) for _ in range(n)]
    counts = np.array([found.count(S) for S in sets])
    assert counts.sum() == n
    expected = n * chances
    likely = expected >= 5
    statistic = ((counts - expected)[likely] ** 2 / expected[likely]).sum()
    assert likely.sum() >= 5
    assert statistic < 52


def test_a_batch_of_more_points_than_the_region_has() -> None:
    start = Posterior.prior(GaussianProcess(Matern(0.5)), [[0.0], [1.0]]).observe([0], [0.2])
    decision = DPPSample(6, seed=1).decide(start, 1, ConstantBeta())
    assert len(decision.indices) == 6
    assert set(decision.indices.tolist()) == {0, 1}
