"""Local penalization: its formula written out plainly, its constants, and its corner cases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from ucbpe_core import GPUCBPE, RBF, ConstantBeta, FiniteBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import GPUCB, LocalPenalization
from ucbpe_core.policies.local_penalization import (
    lipschitz_constant,
    log_softplus,
    mean_gradient,
    prior_std,
)

from .reference import Floats, SlowBatch, covariance, dense, examples, finite_beta
from .strategies import Instance, instances


def slow_constants(case: Instance) -> tuple[float, float]:
    """L by central differences of a dense mean, and the prior standard deviation, as documented."""
    X, step = case.candidates, 1e-5
    slopes = np.empty_like(X)
    for axis, move in enumerate(step * np.eye(X.shape[1])):
        above, below = (dense(case.gp, case.X, case.y, Z)[0] for Z in (X + move, X - move))
        slopes[:, axis] = (above - below) / (2 * step)
    unit = math.sqrt(np.mean([covariance(case.gp.kernel, x[None], x[None])[0, 0] for x in X]))
    diagonal = math.sqrt(((X.max(axis=0) - X.min(axis=0)) ** 2).sum())
    steepest = np.sqrt((slopes**2).sum(axis=1)).max()
    return max(steepest, unit / diagonal if diagonal else 0.0), unit


def slow_values(case: Instance, slow: SlowBatch, L: float, unit: float, picks: list[int]) -> Floats:
    """softplus(upper) times one penalty per pick, candidate by candidate."""
    mean, std, top = slow.mean, slow.std([]), slow.mean.max()
    values = []
    for i, x in enumerate(case.candidates):
        u = (mean[i] + math.sqrt(slow.beta) * std[i] - case.gp.mean) / unit
        value = math.log1p(math.exp(u))
        for j in picks:
            distance = math.sqrt(((x - case.candidates[j]) ** 2).sum())
            z = (L * distance - top + mean[j]) / math.sqrt(2 * std[j] ** 2)
            value *= 0.5 * math.erfc(-z)
        values.append(value)
    return np.array(values)


def distinct(case: Instance, rest: list[int]) -> NDArray[np.bool_]:
    """Candidates that lie upon none of these."""
    X = case.candidates
    return ~(X[:, None] == X[rest][None]).all(axis=2).any(axis=1)


@examples(300)
@given(instances(dimension=3, size=25), st.integers(1, 30), st.sampled_from((0.001, 0.05, 1.0)))
def test_formula(case: Instance, t: int, scale: float) -> None:
    """Each pick maximises the product, among points not picked yet; its score is the product."""
    M = len(case.candidates)
    K = min(5, M)
    decision = LocalPenalization(K).decide(case.posterior, t, FiniteBeta(0.1, scale))
    betas = (finite_beta(u, M, 0.1, scale) for u in (t, t + 1))
    slow = SlowBatch(case.gp, case.candidates, case.members, case.y, *betas)
    L, unit = slow_constants(case)
    picks = decision.indices.tolist()
    assert decision.roles == ("ucb", *["lp"] * (K - 1))
    assert slow.upper([])[picks[0]] == pytest.approx(slow.upper([]).max(), abs=1e-8)
    assert decision.scores[0] == pytest.approx(slow.upper([])[picks[0]], abs=1e-8)
    for k in range(1, K):
        values = slow_values(case, slow, L, unit, picks[:k])
        free = distinct(case, picks[:k])
        if not free.any():  # then another candidate at such a point
            free = ~np.isin(np.arange(M), picks[:k])
        best = values[free].max()
        assert decision.scores[k] == pytest.approx(values[picks[k]], rel=1e-4, abs=1e-9)
        assert values[picks[k]] >= best * (1 - 1e-4) - 1e-9
        assert free[picks[k]]
    expected = [slow.std(picks[:k])[j] for k, j in enumerate(picks)]
    np.testing.assert_allclose(decision.stds, expected, rtol=1e-8, atol=1e-8)


@examples(200)
@given(instances(dimension=3, size=30))
def test_lipschitz_constant(case: Instance) -> None:
    """Against central differences of a dense mean."""
    L, unit = slow_constants(case)
    assert lipschitz_constant(case.posterior) == pytest.approx(L, rel=1e-4, abs=1e-5 * unit)
    assert prior_std(case.posterior) == pytest.approx(unit, rel=1e-12)
    assert mean_gradient(case.posterior).shape == case.candidates.shape


def test_lipschitz_constant_of_a_known_slope() -> None:
    """Plenty of data of a line: its slope, in the direction in which it rises."""
    x = np.stack(np.meshgrid(*[np.linspace(0, 1, 8)] * 2), axis=-1).reshape(-1, 2)
    belief = Posterior.prior(GaussianProcess(RBF(2.0, 100.0), 1e-6), x)
    belief = belief.observe(range(64), 3 * x[:, 0] - 4 * x[:, 1])
    np.testing.assert_allclose(mean_gradient(belief), np.tile([3.0, -4.0], (64, 1)), atol=0.01)
    # 5 is below the floor of one prior standard deviation over the diagonal: 10 / sqrt(2).
    assert lipschitz_constant(belief) == pytest.approx(10 / math.sqrt(2))
    less = Posterior.prior(GaussianProcess(RBF(2.0, 4.0), 1e-6), x)
    less = less.observe(range(64), 3 * x[:, 0] - 4 * x[:, 1])
    assert lipschitz_constant(less) == pytest.approx(5.0, abs=0.01)


@examples(100)
@given(instances(dimension=3), st.integers(1, 30))
def test_one_pick_is_gp_ucb(case: Instance, t: int) -> None:
    """K = 1: every number equal, bit for bit; and x0 of any batch is the same."""
    ours = LocalPenalization(1).decide(case.posterior, t, FiniteBeta())
    theirs = GPUCB().decide(case.posterior, t, FiniteBeta())
    for name in ("indices", "stds", "scores", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert (ours.roles, ours.y_dot) == (theirs.roles, theirs.y_dot)
    K = min(4, len(case.candidates))
    batch = LocalPenalization(K).decide(case.posterior, t, FiniteBeta())
    pe = GPUCBPE(K).decide(case.posterior, t, FiniteBeta())
    assert (batch.indices[0], batch.scores[0]) == (pe.indices[0], pe.scores[0])


@examples(100)
@given(instances(dimension=2, size=30), st.sampled_from((0.001, 1.0)))
def test_points_are_not_repeated_while_there_are_others(case: Instance, scale: float) -> None:
    """Also not by a copy of a candidate: as many places as picks, or all there are."""
    K = min(12, len(case.candidates))
    decision = LocalPenalization(K).decide(case.posterior, 1, FiniteBeta(scale=scale))
    places = len(np.unique(case.candidates[decision.indices], axis=0))
    assert places == min(K, len(np.unique(case.candidates, axis=0)))


def test_a_flat_mean_still_spreads_the_picks() -> None:
    """Without data the ball around x0 comes from the prior: x1 is farthest, x2 between."""
    x = np.linspace(0, 10, 21)
    belief = Posterior.prior(GaussianProcess(RBF(1.0, 4.0), 0.01, mean=-3.0), x)
    assert not mean_gradient(belief).any()
    assert lipschitz_constant(belief) == pytest.approx(0.2)
    decision = LocalPenalization(3).decide(belief, 1, ConstantBeta())
    np.testing.assert_array_equal(decision.indices, [0, 20, 10])


def test_one_place() -> None:
    """A single place has no gradient's scale: nothing to tell apart, the lowest index."""
    belief = Posterior.prior(GaussianProcess(RBF(), 0.1), [2.0, 2.0, 2.0])
    assert lipschitz_constant(belief) == 0.0
    decision = LocalPenalization(3).decide(belief, 1, ConstantBeta())
    np.testing.assert_array_equal(decision.indices, [0, 1, 2])
    assert np.isfinite(decision.scores).all()


def test_known_points_are_penalised_without_their_deviation() -> None:
    """std near 0 everywhere: a ball is then in or out. Outside of every ball the best mean wins."""
    x, y = np.arange(6.0), np.array([0.0, 2.0, 3.0, 2.5, 0.0, 1.0])
    belief = Posterior.prior(GaussianProcess(Matern(0.7, nu=2.5), 0.0), x).observe(range(6), y)
    assert belief.std.max() < 1.1e-5
    decision = LocalPenalization(6).decide(belief, 1, ConstantBeta())
    assert sorted(decision.indices) == list(range(6))
    assert np.isfinite(decision.scores).all()
    # The maximum itself excludes no point but itself; next to it stands the second best.
    np.testing.assert_array_equal(decision.indices[:2], [2, 3])


def test_where_every_value_underflows_logarithms_rank() -> None:
    """All upper bounds 2,000 prior stds below the prior mean: softplus is 0 as a number."""
    x, y = np.arange(6.0), -2000 + np.array([0.0, 2.0, 3.0, 2.5, 0.0, 1.0])
    belief = Posterior.prior(GaussianProcess(Matern(0.3), 1e-4), x).observe(range(6), y)
    decision = LocalPenalization(4).decide(belief, 1, ConstantBeta())
    np.testing.assert_array_equal(decision.scores[1:], 0.0)
    L, picks = lipschitz_constant(belief), decision.indices.tolist()
    ranked = belief.mean + 2 * belief.std
    assert picks[0] == np.argmax(ranked)
    for k in range(1, 4):
        j = picks[k - 1]
        ranked += norm.logcdf(
            L * np.abs(x - x[j]) - belief.mean.max() + belief.mean[j], 0, belief.std[j]
        )
        ranked[j] = -np.inf
        assert picks[k] == np.argmax(ranked)


@pytest.mark.parametrize(("gain", "origin"), [(1e-3, 0.0), (50.0, -7.0)])
def test_the_unit_of_y_does_not_matter(gain: float, origin: float) -> None:
    """The same values in another unit and from another origin give the same batch."""
    x, rng = np.linspace(0, 1, 60), np.random.default_rng(2)
    gp = GaussianProcess(RBF(0.15), 0.01)
    kernel = replace(gp.kernel, variance=gain**2)
    other = GaussianProcess(kernel, 0.01 * gain**2, mean=origin)
    for _ in range(20):
        members, y = rng.integers(60, size=6), rng.normal(size=6)
        one, two = (
            LocalPenalization(8).decide(
                Posterior.prior(process, x).observe(members, values), 2, ConstantBeta()
            )
            for process, values in ((gp, y), (other, gain * y + origin))
        )
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_allclose(one.scores[1:], two.scores[1:], rtol=1e-6)


def test_log_softplus() -> None:
    """Its definition where that is a number, its limits elsewhere."""
    u = np.array([-1e4, -41.0, -39.0, -1.0, 0.0, 3.0, 800.0])
    expected = [-1e4, -41.0, -39.0, *[math.log(math.log1p(math.exp(v))) for v in (-1, 0, 3)]]
    np.testing.assert_allclose(log_softplus(u), [*expected, math.log(800)], rtol=1e-14)
