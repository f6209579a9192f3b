"""Scores in logarithms: the improvement by quadrature, penalised bounds, and what underflows."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from tests.core.reference import dense, examples
from tests.core.strategies import Instance, instances
from ucbpe_core import RBF, ConstantBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import EIPE, LocalPenalization
from ucbpe_core.policies.expected_improvement import best_mean, log_expected_improvement
from ucbpe_core.policies.local_penalization import lipschitz_constant, log_softplus


def log_by_quadrature(gain: float, std: float) -> float:
    """log of the integral of t N(t; gain, std^2) over t > 0; std phi(z) times that of
    t exp(z t - t^2 / 2), in units that put its mass near 1."""
    z = gain / std
    unit = max(1.0, -z)
    end = 45.0 if z < -3 else 45 + 2 * max(z, 0.0)
    mass = quad(
        lambda t: t * math.exp(z * t / unit - 0.5 * (t / unit) ** 2), 0, end, epsabs=0, epsrel=1e-11
    )[0]
    return math.log(std) - 0.5 * z**2 - 0.5 * math.log(2 * math.pi) + math.log(mass / unit**2)


@pytest.mark.parametrize("std", [1e-3, 1.0, 40.0])
@pytest.mark.parametrize(
    "z", [-1e6, -1.01e4, -9.9e3, -300, -38, -5, -1.001, -1, -0.999, -1e-9, 0, 0.3, 2, 8]
)
def test_improvement_is_the_integral(z: float, std: float) -> None:
    """In logarithms, to rounding of its largest term, from certain to hopeless."""
    got = log_expected_improvement(np.array([7.0 + z * std]), np.array([std]), 7.0)[0]
    exact = log_by_quadrature(float(7.0 + z * std - 7.0), std)
    assert got == pytest.approx(exact, rel=1e-13, abs=2e-8)


@examples(25)
@given(instances(dimension=3), st.integers(1, 4))
def test_points_outside_the_candidates_count(case: Instance, outside: int) -> None:
    """The incumbent is the best mean at any observed point, by a dense solve."""
    X = case.rng.normal(size=(outside, case.candidates.shape[1]))
    y = case.gp.mean + 3 * case.rng.normal(size=outside)
    belief = case.posterior.observe_points(X, y)
    observed = np.concatenate([case.X, X])
    mean, _ = dense(case.gp, observed, np.concatenate([case.y, y]), observed)
    assert best_mean(belief) == pytest.approx(mean.max(), abs=1e-7)


def test_hopeless_candidates_are_still_ranked() -> None:
    """Where every improvement underflows, the least hopeless wins and not the lowest index."""
    x, gp = np.array([0.0, 1e-3, 2e-3]), GaussianProcess(RBF(1.0), 1e-6)
    belief = Posterior.prior(gp, x).observe([0] * 40, [0.0] * 40)
    belief = belief.observe_points([[3e-3]] * 40, [1000.0] * 40)
    ranked = log_expected_improvement(belief.mean, belief.std, best_mean(belief))
    assert np.exp(ranked).max() == 0.0
    assert np.isfinite(ranked).all()
    assert (np.diff(ranked) > 0).all()
    decision = EIPE(1).decide(belief, 1, ConstantBeta())
    assert (decision.indices[0], decision.scores[0]) == (2, 0.0)


@pytest.mark.parametrize(("tolerance", "picked"), [(1.1e-4, 0), (0.9e-4, 1)])
def test_what_ties_at_the_improvement(tolerance: float, picked: int) -> None:
    """What the best would have with mean and std at their tolerances; the lowest index wins."""
    for mean, std, of_std in (
        ([0.5 - 1e-4, 0.5, -3.0], [1.0, 1.0, 1.0], 0.0),
        ([0.0, 0.0, -3.0], [1 - 1e-4, 1.0, 1.0], 1.0),
    ):
        known = SimpleNamespace(
            mean=np.array(mean), std=np.array(std), conditioned_indices=(), has_rows=True,
            gp=SimpleNamespace(mean=0.0), tolerance=(1 - of_std) * tolerance,
            std_tolerance=lambda _, of_std=of_std: of_std * tolerance,
        )  # fmt: skip
        everywhere = np.ones(3, dtype=bool)
        eligible = SimpleNamespace(repeats="allow")
        context = SimpleNamespace(posterior=known, region_plus=everywhere, eligible=eligible)
        (pick,) = EIPE(1).picks(context)  # type: ignore[arg-type]
        assert pick.index == picked


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
