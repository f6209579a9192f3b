"""Local penalization: its formula written out plainly, its constants, and its corner cases."""

from __future__ import annotations

import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from ucbpe_core import RBF, ConstantBeta, FiniteBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import LocalPenalization, local_penalization
from ucbpe_core.policies.local_penalization import lipschitz_constant, log_softplus

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


@examples(75)
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


def test_log_softplus() -> None:
    """Its definition where that is a number, its limits elsewhere."""
    u = np.array([-1e4, -41.0, -39.0, -1.0, 0.0, 3.0, 800.0])
    expected = [-1e4, -41.0, -39.0, *[math.log(math.log1p(math.exp(v))) for v in (-1, 0, 3)]]
    np.testing.assert_allclose(log_softplus(u), [*expected, math.log(800)], rtol=1e-14)


def test_what_ties_at_the_penalised_bound() -> None:
    """The tolerance of the bound in prior stds, and 1e-9 of the largest logarithm."""
    known = SimpleNamespace(std=np.ones(4))
    mask = np.array([True, True, True, False])
    for apart, tolerance, picked in ((5e-7, 0.0, 0), (2e-6, 0.0, 1), (2e-6, 1.5e-6, 0)):
        logs = np.array([-1e3 - apart, -1e3, -1e6, 0.0])
        pick = local_penalization._pick(logs, known, tolerance, mask)  # type: ignore[arg-type]
        assert pick.index == picked
    gp = GaussianProcess(RBF(0.3, 100.0), 0.01)
    posterior = Posterior.prior(gp, np.linspace(0, 1, 9)).observe([4], [3.0])
    with mock.patch.object(local_penalization, "_pick", wraps=local_penalization._pick) as pick:
        LocalPenalization(3).decide(posterior, 1, ConstantBeta(4.0))
    expected = (posterior.tolerance + 2 * posterior.std_tolerance()) / 10
    assert [call.args[2] for call in pick.mock_calls] == [pytest.approx(expected)] * 2
