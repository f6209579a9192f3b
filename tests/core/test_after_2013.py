"""PIMS, kriging believer and constant liar, by their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from tests.core.reference import dense_std, examples, improvement, moments, posterior_covariance
from tests.core.strategies import Instance, instances
from ucbpe_core import FiniteBeta, GaussianProcess, InputError, Matern, Posterior
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.policies import PIMS, BatchContext, ConstantLiar, KrigingBeliever


@pytest.mark.parametrize("lie", ["believer", "min", "mean", "max"])
@examples(25)
@given(instances(dimension=2, size=20, observations=6))
def test_batches_of_invented_values(lie: str, case: Instance) -> None:
    """Each pick by a dense solve with the picks before among the data."""
    policy = KrigingBeliever(3) if lie == "believer" else ConstantLiar(3, lie)
    decision = policy.decide(case.posterior, 1, FiniteBeta())
    members, y, X = list(case.members), list(case.y), case.candidates
    told = {"min": min, "max": max, "mean": np.mean}.get(lie)
    for k, j in enumerate(decision.indices.tolist()):
        mean, std = moments(case.gp, X[members], np.array(y), X)
        best = mean[members].max() if members else case.gp.mean
        score = improvement(mean, std, best)
        if score.max() > 1e-5:
            assert score[j] >= score.max() - 1e-7
        assert decision.scores[k] == pytest.approx(score[j], abs=1e-6)
        without = dense_std(case.gp, X[members], X)
        assert decision.stds[k] == pytest.approx(without[j], abs=1e-6)
        value = mean[j] if told is None else float(told(case.y)) if len(case.y) else case.gp.mean
        members.append(j)
        y.append(float(value))


def test_another_lie_is_refused() -> None:
    with pytest.raises(InputError, match="a lie among min, mean, max"):
        ConstantLiar(2, "median")


def context_of(start: Posterior, t: int) -> BatchContext:
    return BatchContext(start, t, 4.0, 4.0, **vars(relevant_region(start, 4.0, 4.0)))


@examples(40)
@given(instances(dimension=2, size=25, observations=6), st.integers(0, 9))
def test_pims_maximises_the_probability_of_exceeding_its_draw(case: Instance, seed: int) -> None:
    policy = PIMS(3, seed=seed)
    decision = policy.decide(case.posterior, 2, FiniteBeta())
    heights = policy.heights(context_of(case.posterior, 2))
    picks = decision.indices.tolist()
    mean, _ = moments(case.gp, case.candidates[case.members], case.y, case.candidates)
    for k, (j, height) in enumerate(zip(picks, heights, strict=True)):
        members = [*case.members, *picks[:k]]
        std = dense_std(case.gp, case.candidates[members], case.candidates)
        chance = norm.cdf((mean - height) / np.maximum(std, 1e-9))
        if chance.max() > 1e-3:
            assert chance[j] >= chance.max() - 1e-6
        assert decision.scores[k] == pytest.approx(chance[j], abs=1e-5)


def test_the_height_of_pims_has_the_law_of_the_maximum() -> None:
    """Mean and variance of the maximum of 20,000 draws by a dense factor: 4 standard errors."""
    X = np.linspace(0, 1, 12)[:, None]
    gp = GaussianProcess(Matern(0.2), 0.01)
    start = Posterior.prior(gp, X).observe([2, 9], [0.5, -0.3])
    heights = PIMS(4000, seed=1).heights(context_of(start, 1))
    Sigma = posterior_covariance(gp, X, [2, 9])
    mean, _ = moments(gp, X[[2, 9]], np.array([0.5, -0.3]), X)
    factor = np.linalg.cholesky(Sigma + 1e-10 * np.eye(12))
    other = (mean + np.random.default_rng(0).standard_normal((20_000, 12)) @ factor.T).max(axis=1)
    error = np.sqrt(heights.var() / 4000 + other.var() / 20_000)
    assert abs(heights.mean() - other.mean()) < 4 * error
    assert heights.std() == pytest.approx(other.std(), rel=0.06)
