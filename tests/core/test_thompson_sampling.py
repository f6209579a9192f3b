"""Thompson sampling: the law of its draws exactly, that of its picks by counting."""

from __future__ import annotations

import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from ucbpe_core import RBF, ConstantBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.kernels import Polynomial
from ucbpe_core.policies import Decision, ThompsonSampling, thompson_sampling
from ucbpe_core.policies.thompson_sampling import (
    _pivoted_cholesky,
    joint_draws,
    possible_maximisers,
)

from .reference import Floats, dense, dense_std, examples
from .strategies import Instance, instances

Integers = NDArray[np.intp]
TOLERANCE, MISSED = 1e-8, 1e-9  # as documented


class UnitNormals:
    """Deals out the columns of an identity matrix in place of random numbers.

    A draw is linear in its normals. Draw i is then the mean plus what normal i adds, and the sum
    over i of the outer products is the covariance of a draw, without sampling error.
    """

    def __init__(self, size: int) -> None:
        self.identity, self.dealt = np.eye(size), 0
        self.calls: list[int] = []

    def standard_normal(self, shape: tuple[int, int]) -> Floats:
        self.calls.append(shape[1])
        self.dealt += shape[1]
        return self.identity[:, self.dealt - shape[1] : self.dealt]


def covariance_of_draws(belief: Posterior, members: Integers) -> tuple[Floats, list[int]]:
    """Of one draw at `members`; also the sizes of the blocks, that of the remainder last."""
    normals = UnitNormals(len(members))
    moved = joint_draws(belief, members, len(members), normals) - belief.mean[members]
    assert normals.dealt == len(members)  # every candidate brings one normal
    return moved.T @ moved, normals.calls


@pytest.mark.slow
@pytest.mark.parametrize(("block", "pool"), [(128, 256), (3, 7), (1, 2)])
@examples(120)
@given(instances(dimension=3), st.data())
def test_draws_have_the_posterior_covariance(
    block: int, pool: int, case: Instance, data: st.DataObject
) -> None:
    """At any candidates, repeated ones too, in one block or many, against a dense solve."""
    M = len(case.candidates)
    members = np.array(sorted(data.draw(st.sets(st.integers(0, M - 1), min_size=1))))
    Z = case.candidates[members]
    _, expected = dense(case.gp, case.X, case.y, Z)
    scale = case.gp.kernel.diagonal(Z).max()
    with mock.patch.multiple(thompson_sampling, _BLOCK=block, _POOL=pool):
        covariance, calls = covariance_of_draws(case.posterior, members)
    assert max(calls[:-1], default=0) <= block
    np.testing.assert_allclose(covariance, expected, rtol=0, atol=2 * TOLERANCE * scale)
    # What is left is drawn apart, so that variances have no error but rounding.
    np.testing.assert_allclose(
        np.diag(covariance), case.posterior.std[members] ** 2, rtol=0, atol=1e-10 * scale
    )


def test_a_smooth_kernel_needs_few_rows() -> None:
    """RBF on 400 candidates: well below half of them are pivots, and the error is as stated."""
    x = np.stack(np.meshgrid(*[np.linspace(0, 1, 20)] * 2), axis=-1).reshape(-1, 2)
    gp = GaussianProcess(RBF(0.3, variance=4.0), 0.01)
    belief = Posterior.prior(gp, x).observe([0, 57, 310], [1.0, -1.0, 2.0])
    with mock.patch.multiple(thompson_sampling, _BLOCK=16, _POOL=32):
        covariance, calls = covariance_of_draws(belief, np.arange(400))
    *blocks, remainder = calls
    assert sum(blocks) < 160
    assert remainder == 400 - sum(blocks)
    _, expected = dense(gp, x[[0, 57, 310]], np.zeros(3), x)
    assert np.abs(covariance - expected).max() <= 2 * TOLERANCE * 4.0
    assert np.abs(covariance - expected).max() > 0


def test_the_mean_of_draws() -> None:
    """Without randomness a draw is the posterior mean."""
    belief = Posterior.prior(GaussianProcess(Matern(0.2), 0.1, mean=2.0), np.linspace(0, 1, 30))
    belief = belief.observe([3, 20], [1.0, 4.0])
    still = mock.Mock(standard_normal=np.zeros)
    f = joint_draws(belief, np.array([2, 3, 29]), 2, still)
    np.testing.assert_array_equal(f, np.tile(belief.mean[[2, 3, 29]], (2, 1)))


def test_ten_thousand_candidates_without_their_matrix() -> None:
    """A smooth kernel: the memory of the draws is a small part of M x M numbers."""
    x = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), axis=-1).reshape(-1, 2)
    belief = Posterior.prior(GaussianProcess(RBF(0.25), 0.01), x).observe([5, 900], [0.0, 0.2])
    tracemalloc.start()
    try:
        decision = ThompsonSampling(10).decide(belief, 1, ConstantBeta())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(decision.indices) == 10
    assert peak < 0.15 * 8 * len(x) ** 2


@examples(200)
@given(instances(dimension=3))
def test_possible_maximisers(case: Instance) -> None:
    """Whose band of c deviations reaches the greatest lower bound, 2 M Phi(-c) = 1e-9."""
    members, M = possible_maximisers(case.posterior), len(case.candidates)
    c = norm.isf(MISSED / (2 * M))
    mean, covariance = dense(case.gp, case.X, case.y, case.candidates)
    std = np.sqrt(np.maximum(np.diag(covariance), 0))
    margin = mean + c * std - (mean - c * std).max()
    clear = np.abs(margin) > 1e-6
    np.testing.assert_array_equal(np.isin(np.arange(M), members)[clear], margin[clear] >= 0)


def test_those_left_out_are_never_the_maximiser() -> None:
    """Data leave few candidates; dense draws over all of them peak at these only."""
    x, rng = np.linspace(0, 1, 40), np.random.default_rng(0)
    gp = GaussianProcess(RBF(0.2), 1e-4)
    belief = Posterior.prior(gp, x).observe(range(0, 40, 3), np.sin(5 * x[::3]))
    members = possible_maximisers(belief)
    assert 1 < len(members) < 20
    root = np.linalg.cholesky(
        dense(gp, x[::3, None], np.zeros(14), x[:, None])[1] + 1e-9 * np.eye(40)
    )
    best = (belief.mean + rng.standard_normal((100_000, 40)) @ root.T).argmax(axis=1)
    assert set(best.tolist()) <= set(members.tolist())


def uneven_belief() -> tuple[Posterior, Floats]:
    """Twelve candidates, unevenly good and strongly correlated, and the law of f there."""
    x = np.array([0.0, 0.1, 0.15, 0.2, 0.5, 0.55, 0.6, 0.65, 0.9, 1.3, 1.35, 2.0])
    gp = GaussianProcess(RBF(0.3), 0.05)
    belief = Posterior.prior(gp, x).observe([1, 5, 5, 9], [0.4, 0.9, 0.3, 0.2])
    _, covariance = dense(gp, x[[1, 5, 5, 9], None], np.zeros(4), x[:, None])
    return belief, covariance


def misfit(counts: Floats, probability: Floats) -> float:
    """Pearson's statistic, rare outcomes pooled, over its quantile at 1 - 1e-4: above 1 is bad."""
    rare = probability * counts.sum() < 10
    seen = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(probability[~rare], probability[rare].sum()) * counts.sum()
    seen, expected = seen[expected > 0], expected[expected > 0]
    return float((((seen - expected) ** 2) / expected).sum() / chi2.isf(1e-4, len(seen) - 1))


@pytest.mark.slow
def test_picks_are_as_frequent_as_maximisers() -> None:
    """3,000 picks against 10^6 dense draws; independent values would not pass."""
    belief, covariance = uneven_belief()
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(12))
    f = belief.mean + rng.standard_normal((1_000_000, 12)) @ root.T
    probability = np.bincount(f.argmax(axis=1), minlength=12) / 1_000_000
    batches = [ThompsonSampling(10, seed=s).decide(belief, 1, ConstantBeta()) for s in range(300)]
    picks = np.array([batch.indices for batch in batches])
    assert misfit(np.bincount(picks.ravel(), minlength=12), probability) < 1
    # Picks of one batch are independent: two agree as often as two of different batches would.
    agree = (picks[:, 0::2] == picks[:, 1::2]).mean()
    expected = (probability**2).sum()
    assert agree == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 1500))
    apart = belief.mean + rng.standard_normal((3000, 12)) * belief.std
    assert misfit(np.bincount(apart.argmax(axis=1), minlength=12), probability) > 2


def decide(belief: Posterior, *, t: int = 1, seed: int = 0, K: int = 6) -> Decision:
    return ThompsonSampling(K, seed=seed).decide(belief, t, ConstantBeta())


@examples(150)
@given(instances(dimension=3), st.integers(1, 30))
def test_decisions(case: Instance, t: int) -> None:
    """Picks maximise the draws of stream (seed, t), ties by index; stds count the picks before."""
    K = min(6, len(case.candidates))
    belief, decision = case.posterior, decide(case.posterior, t=t, seed=3, K=K)
    members = possible_maximisers(belief)
    f = joint_draws(belief, members, K, np.random.default_rng([3, t]))
    # Equal candidates have equal draws but for rounding.
    best = (f >= f.max(axis=1, keepdims=True) - belief.tolerance).argmax(axis=1)
    np.testing.assert_array_equal(decision.indices, members[best])
    np.testing.assert_array_equal(decision.scores, f[np.arange(K), best])
    assert set(decision.roles) == {"ts"}
    picks = decision.indices.tolist()
    expected = [
        dense_std(case.gp, case.candidates[[*case.members, *picks[:k]]], case.candidates)[j]
        for k, j in enumerate(picks)
    ]
    np.testing.assert_allclose(decision.stds, expected, rtol=1e-8, atol=1e-8)


def test_nothing_left_to_draw() -> None:
    """All measured without noise: every draw is the data, and picks their maximum."""
    belief = Posterior.prior(GaussianProcess(RBF(0.5), 0.0), np.arange(4.0))
    belief = belief.observe(range(4), [0.0, 2.0, 1.0, -1.0])
    decision = decide(belief, K=3)
    np.testing.assert_array_equal(decision.indices, [1, 1, 1])
    np.testing.assert_allclose(decision.scores, 2.0, atol=5e-5)


def test_a_kernel_of_low_rank() -> None:
    """A quadratic over 300 points has three degrees of freedom, and draws are quadratics."""
    x = np.linspace(-1, 1, 300)
    belief = Posterior.prior(GaussianProcess(Polynomial(2), 0.1), x)
    normals = UnitNormals(300)
    f = joint_draws(belief, np.arange(300), 300, normals)
    assert normals.calls[0] == 3
    for draw in f[:3]:
        fit = np.polynomial.Polynomial.fit(x, draw, 2)
        np.testing.assert_allclose(fit(x), draw, atol=1e-3)


def test_pivots_end_where_no_variance_is_above_the_floor() -> None:
    """The lowest of variances that tie is taken, though it is itself below the floor."""
    order, L = _pivoted_cholesky(np.diag([1e-8 - 1e-10, 1e-8 + 1e-10, 1e-9]), 1e-8)
    assert order.tolist() == [0, 1]
    np.testing.assert_allclose(L @ L.T, np.diag([1e-8 - 1e-10, 1e-8 + 1e-10]), rtol=1e-12)
    assert len(_pivoted_cholesky(np.diag([1e-9, 1e-9]), 1e-8)[0]) == 0


class _UnitVectors:
    """A generator whose k-th draw, of all together, is the k-th unit vector."""

    def __init__(self, n: int) -> None:
        self.vectors, self.drawn = np.eye(n), 0

    def standard_normal(self, shape: tuple[int, int]) -> Floats:
        self.drawn += shape[1]
        return self.vectors[:, self.drawn - shape[1] : self.drawn]


def test_draws_in_blocks_have_the_whole_variance() -> None:
    """Of unit vectors, the squares of the draws' moves add up to the posterior variance."""
    x = np.linspace(0, 1, 40)
    prior = Posterior.prior(GaussianProcess(RBF(0.3), 0.01), x)
    posterior = prior.observe([0, 20], [1.0, -1.0])
    with mock.patch.multiple(thompson_sampling, _BLOCK=3, _POOL=7):
        draws = joint_draws(posterior, np.arange(40), 40, _UnitVectors(40))  # type: ignore[arg-type]
    moved = draws - posterior.mean
    np.testing.assert_allclose((moved**2).sum(axis=0), posterior.std**2, rtol=0, atol=1e-10)
