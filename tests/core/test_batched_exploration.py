"""Batched pure exploration against its definition by dense solves, phase by phase."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.core.reference import assert_maximises, dense_std, moments
from ucbpe_core import Bandit, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.policies import BatchedPureExploration

X = np.random.default_rng(8).random((60, 2))
GP = GaussianProcess(Matern(0.4, nu=2.5), 0.02)
F = np.sin(7 * X[:, 0]) + X[:, 1]


def told(policy: BatchedPureExploration, batches: int, beta: float = 1.0) -> Bandit:
    bandit, rng = Bandit(X, GP, policy, ConstantBeta(beta)), np.random.default_rng(1)
    for _ in range(batches):
        picks = bandit.ask().indices
        bandit.tell(picks, F[picks] + 0.1 * rng.standard_normal(len(picks)))
    return bandit


@pytest.mark.parametrize(
    ("horizon", "lengths"), [(1000, [32, 179, 424, 365]), (1, [1]), (100, [10, 32, 57, 1])]
)
def test_lengths_of_phases(horizon: int, lengths: list[int]) -> None:
    """N_i = ceil(sqrt(T N_(i-1))) by real numbers, and T points in all."""
    assert BatchedPureExploration(1, horizon).phases == tuple(lengths)
    for before, after in pairwise([1, *lengths[:-1]]):
        assert after == np.ceil(np.sqrt(horizon * before))
    assert BatchedPureExploration(7, horizon).phases == tuple(-(-n // 7) for n in lengths)


def test_picks_and_masks_are_those_of_the_definition() -> None:
    """Three phases of 3, 5 and more batches, each with its own points only."""
    K, T, beta = 3, 60, 1.0
    policy = BatchedPureExploration(K, T)
    lengths = [8, 22, 30]
    assert policy.phases == tuple(-(-n // K) for n in lengths)
    bandit = told(policy, 16, beta)
    decisions = {made.t: made for made in _decisions(policy, bandit, 16, beta)}
    indices, y = list(bandit.posterior.conditioned_indices), bandit.posterior.y
    firsts = [1, 4, 12]
    mask = np.ones(60, dtype=bool)
    shrunk = 0
    for first, following in pairwise([*firsts, 17]):
        start = K * (first - 1)
        for t in range(first, following):
            made = decisions[t]
            (region,) = set(made.explored)
            assert region is not None
            np.testing.assert_array_equal(region.mask, mask)
            for k in range(K):
                members = indices[start : K * (t - 1) + k]
                std = dense_std(GP, X[members], X)
                assert_maximises(made.indices[k], std, mask)
                assert made.scores[k] == pytest.approx(std[made.indices[k]], abs=1e-8)
        end = K * (following - 1)
        mean, std = moments(GP, X[indices[start:end]], y[start:end], X)
        low = (mean - np.sqrt(beta) * std)[mask].max()
        before = mask.sum()
        mask = mask & (mean + np.sqrt(beta) * std >= low)
        shrunk += int(mask.sum() < before)
    assert shrunk >= 2


def _decisions(policy: BatchedPureExploration, bandit: Bandit, batches: int, beta: float) -> list:
    return [
        policy.decide(bandit.posterior.at(policy.batch_size * (t - 1)), t, ConstantBeta(beta))
        for t in range(1, batches + 1)
    ]


def test_a_phase_of_many_batches_picks_as_one_batch() -> None:
    """Before the values of a phase count, how its points are shared among batches does not."""
    one = told(BatchedPureExploration(8, 60), 1)
    four = told(BatchedPureExploration(2, 60), 4)
    assert one.posterior.conditioned_indices == four.posterior.conditioned_indices


def test_beta_is_that_of_the_phase() -> None:
    policy = BatchedPureExploration(3, 60)
    made = _decisions(policy, told(policy, 16), 4, 1.0)
    assert len(made) == 4
    prior = Bandit(X, GP, policy).posterior
    betas = [policy.betas(prior, t, FiniteBeta()) for t in (1, 3, 4, 11, 12)]
    of_phase = [FiniteBeta()(i, 60, 2) for i in (1, 2, 3)]
    assert betas[0] == (of_phase[0], of_phase[0])
    assert betas[1] == (of_phase[0], of_phase[1])
    assert betas[2:] == [(of_phase[1], of_phase[1]), (of_phase[1], of_phase[2]), (of_phase[2],) * 2]


def test_measurements_elsewhere_and_pending_picks_count() -> None:
    """As if they were candidates: a point outside the list, and one whose value is not known."""
    policy = BatchedPureExploration(3, 60)
    start = Bandit(X, GP, policy).posterior.observe_points([[0.5, 0.5]], [1.0])
    made = policy.decide(start.hallucinate([4, 9]), 1, ConstantBeta())
    points = np.vstack([[0.5, 0.5], X[[4, 9]]])
    std = dense_std(GP, points, X)
    assert_maximises(made.indices[0], std)
    assert made.scores[0] == pytest.approx(std.max(), abs=1e-8)
