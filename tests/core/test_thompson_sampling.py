"""Thompson sampling: the law of its draws exactly, that of its picks by counting."""

from __future__ import annotations

import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from ucbpe_core import RBF, ConstantBeta, GaussianProcess, Posterior
from ucbpe_core.policies import Decision, ThompsonSampling, thompson_sampling
from ucbpe_core.policies.thompson_sampling import (
    _pivoted_cholesky,
    joint_draws,
    possible_maximisers,
)

from .reference import Floats, dense, examples
from .strategies import Instance, instances

TOLERANCE, MISSED = 1e-8, 1e-9  # as documented


class UnitNormals:
    """Deals out the columns of an identity matrix in place of random numbers.

    A draw is linear in its normals. Draw i is then the mean plus what normal i adds, and the sum
    over i of the outer products is the covariance of a draw, without sampling error.
    """

    def __init__(self, size: int) -> None:
        self.identity, self.dealt = np.eye(size), 0

    def standard_normal(self, shape: tuple[int, int]) -> Floats:
        self.dealt += shape[1]
        return self.identity[:, self.dealt - shape[1] : self.dealt]


@pytest.mark.parametrize(("block", "pool"), [(3, 7), (1, 2)])
@examples(30)
@given(instances(dimension=3), st.data())
def test_draws_have_the_posterior_covariance(
    block: int, pool: int, case: Instance, data: st.DataObject
) -> None:
    """At any candidates, repeated ones too, in one block or many, against a dense solve."""
    M = len(case.candidates)
    members = np.array(sorted(data.draw(st.sets(st.integers(0, M - 1), min_size=1))))
    Z = case.candidates[members]
    _, expected = dense(case.gp, case.X, case.y, Z)
    scale, normals = case.gp.kernel.diagonal(Z).max(), UnitNormals(len(members))
    with mock.patch.multiple(thompson_sampling, _BLOCK=block, _POOL=pool):
        moved = joint_draws(case.posterior, members, len(members), normals)
    assert normals.dealt == len(members)  # every candidate brings one normal
    moved -= case.posterior.mean[members]
    covariance = moved.T @ moved
    np.testing.assert_allclose(covariance, expected, rtol=0, atol=2 * TOLERANCE * scale)
    # What is left is drawn apart, so that variances have no error but rounding.
    np.testing.assert_allclose(
        np.diag(covariance), case.posterior.std[members] ** 2, rtol=0, atol=1e-10 * scale
    )


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


@examples(50)
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


def decide(belief: Posterior, *, t: int = 1, seed: int = 0, K: int = 6) -> Decision:
    return ThompsonSampling(K, seed=seed).decide(belief, t, ConstantBeta())


def test_pivots_end_where_no_variance_is_above_the_floor() -> None:
    """The lowest of variances that tie is taken, though it is itself below the floor."""
    order, L = _pivoted_cholesky(np.diag([1e-8 - 1e-10, 1e-8 + 1e-10, 1e-9]), 1e-8)
    assert order.tolist() == [0, 1]
    np.testing.assert_allclose(L @ L.T, np.diag([1e-8 - 1e-10, 1e-8 + 1e-10]), rtol=1e-12)
    assert len(_pivoted_cholesky(np.diag([1e-9, 1e-9]), 1e-8)[0]) == 0


@pytest.mark.parametrize(("apart", "picked"), [(0.5e-11, 0), (2e-11, 1)])
def test_what_ties_among_draws(apart: float, picked: int) -> None:
    """1e-9 of the prior std, here 0.01, as a draw comes from the root of a covariance."""
    prior = Posterior.prior(GaussianProcess(RBF(0.1, 1e-4), 1e-6), [0.0, 1.0])
    draws = np.array([[0.0, apart]])
    with mock.patch.object(thompson_sampling, "joint_draws", return_value=draws):
        assert decide(prior, K=1).indices.tolist() == [picked]


def test_pivots_are_sought_in_proportion_to_the_variance() -> None:
    """None where nothing is left to draw, the others evenly; of few candidates, among all."""
    pool = thompson_sampling._pool(np.repeat([0.0, 1.0], 512))
    assert len(pool) >= thompson_sampling._POOL
    assert pool[0] >= 512
    assert np.diff(pool).max() <= 3
    few = np.append(np.zeros(thompson_sampling._POOL - 1), 1.0)
    np.testing.assert_array_equal(thompson_sampling._pool(few), np.arange(len(few)))
