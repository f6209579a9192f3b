"""What is drawn: the law of draws exactly, of their maxima, and values of sets beside BoTorch's."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from tests.core.reference import Floats, dense, examples, improvement, moments, posterior_covariance
from tests.core.strategies import Instance, instances
from ucbpe_core import (
    RBF,
    ConstantBeta,
    GaussianProcess,
    Matern,
    Posterior,
    problems,
    simulate,
)
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.policies import (
    PIMS,
    QEI,
    QUCB,
    BatchContext,
    KrigingBeliever,
    RandomizedKrigingBeliever,
    ThompsonSampling,
    thompson_sampling,
)
from ucbpe_core.policies.thompson_sampling import joint_draws, possible_maximisers

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


@pytest.mark.parametrize(("apart", "picked"), [(0.5e-11, 0), (2e-11, 1)])
def test_what_ties_among_draws(apart: float, picked: int) -> None:
    """1e-9 of the prior std, here 0.01, as a draw comes from the root of a covariance."""
    prior = Posterior.prior(GaussianProcess(RBF(0.1, 1e-4), 1e-6), [0.0, 1.0])
    draws = np.array([[0.0, apart]])
    with mock.patch.object(thompson_sampling, "joint_draws", return_value=draws):
        decision = ThompsonSampling(1).decide(prior, 1, ConstantBeta())
    assert decision.indices.tolist() == [picked]


def context_of(start: Posterior, t: int) -> BatchContext:
    return BatchContext(start, t, 4.0, 4.0, **vars(relevant_region(start, 4.0, 4.0)))


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


RNG = np.random.default_rng(6)
X = RNG.random((40, 2))
SEEN = [3, 17, 30]
Y = np.array([0.4, -0.2, 1.1])
GP = GaussianProcess(Matern((0.4, 0.7), 1.3, nu=2.5), 0.05)
START = Posterior.prior(GP, X).observe(SEEN, Y)
Z = RNG.standard_normal((64, 4))
Z -= Z.mean(axis=0)


class Noting(RandomizedKrigingBeliever):
    """Notes what it believes of its picks."""

    def value(self, *args: Any) -> float:
        BELIEVED.append(super().value(*args))
        return BELIEVED[-1]


BELIEVED: list[float] = []


def test_what_a_randomized_believer_draws_has_the_law_of_the_measurements() -> None:
    """Of two running picks and the first of the batch, which they decide: mean and covariance of
    what is drawn at the running ones, over 3,000 seeds, to 4 standard errors of a dense solve; the
    third, less its mean given those, over its deviation, is a standard normal and independent."""
    running = [8, 22]
    start, drawn, whitened = START.hallucinate(running), [], []
    for seed in range(3000):
        BELIEVED.clear()
        (j, _) = (pick.index for pick in Noting(2, seed=seed).picks(context_of(start, 1)))
        drawn.append(BELIEVED[:2])
        at = X[[*SEEN, *running]]
        mean, Sigma = dense(GP, at, np.concatenate([Y, BELIEVED[:2]]), X[[j]])
        whitened.append((BELIEVED[2] - mean[0]) / np.sqrt(Sigma[0, 0] + GP.noise_variance))
    mean, Sigma = dense(GP, X[SEEN], Y, X[running])
    C = Sigma + GP.noise_variance * np.eye(2)
    found = np.array(drawn)
    assert (np.abs(found.mean(axis=0) - mean) < 4 * np.sqrt(np.diag(C) / 3000)).all()
    spread = np.sqrt((C**2 + np.outer(np.diag(C), np.diag(C))) / 3000)
    assert (np.abs(np.cov(found.T) - C) < 4 * spread).all()
    assert kstest(whitened, "norm").pvalue > 1e-4
    for values in found.T:
        assert abs(np.corrcoef(values, whitened)[0, 1]) < 4 / np.sqrt(3000)


def test_a_randomized_believer_that_has_nothing_to_draw_is_a_kriging_believer() -> None:
    """Without noise a running pick at a measured point has std 0; elsewhere seeds differ."""
    exact = Posterior.prior(replace(GP, noise_variance=0.0), X).observe(SEEN, Y)
    for running in (SEEN, [], [8]):
        context = context_of(exact.hallucinate(running), 1)
        (plain,) = KrigingBeliever(1).picks(context)
        drawn = [RandomizedKrigingBeliever(1, seed=s).picks(context)[0] for s in range(8)]
        if running == [8]:
            assert len({pick.index for pick in drawn}) > 1
        else:
            assert {pick.index for pick in drawn} == {plain.index}
            scores = [pick.score for pick in drawn]
            np.testing.assert_allclose(scores, plain.score, rtol=1e-3)


def test_one_point_is_the_usual_bound_and_improvement() -> None:
    """With 40,000 samples, to 5 standard errors."""
    context, z = context_of(START, 1), np.random.default_rng(0).standard_normal((40_000, 1))
    mean, std = moments(GP, X[SEEN], Y, X)
    upper = QUCB(1).values(context, [], z)
    np.testing.assert_allclose(upper, mean + 2 * std, atol=5 * 1.6 * std.max() / 200)
    ei = improvement(mean, std, mean[SEEN].max())
    np.testing.assert_allclose(QEI(1).values(context, [], z), ei, atol=5 * std.max() / 200)


def test_equal_picks_are_a_set_of_one() -> None:
    context = context_of(START, 1)
    once = QEI(3).values(context, [5], Z[:, :2])
    twice = QEI(3).values(context, [5, 5], Z[:, [0, 2, 1]])
    np.testing.assert_allclose(twice, once, atol=1e-4)


def model_of_botorch(X: Floats, y: Floats) -> Any:
    """BoTorch's model with the prior `GP`, given values y (n,) at X (n, d)."""
    torch, gpytorch = pytest.importorskip("torch"), pytest.importorskip("gpytorch")
    models = pytest.importorskip("botorch.models")
    base = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=2)
    model = models.SingleTaskGP(
        torch.tensor(X), torch.tensor(y)[:, None], outcome_transform=None,
        covar_module=gpytorch.kernels.ScaleKernel(base),
    ).double()  # fmt: skip
    base.lengthscale, model.covar_module.outputscale = torch.tensor([[0.4, 0.7]]).double(), 1.3
    model.likelihood.noise, model.mean_module.constant = 0.05, 0.0
    return model.eval()


@pytest.mark.filterwarnings("ignore:qExpectedImprovement has known")
@pytest.mark.parametrize("q", [1, 3])
def test_botorch_on_the_same_samples(q: int) -> None:
    """qExpectedImprovement and qUpperConfidenceBound of 20 sets, to 1e-6."""
    torch = pytest.importorskip("torch", reason="torch, of the extra bench, is not installed")
    acquisition = pytest.importorskip("botorch.acquisition")
    samplers = pytest.importorskip("botorch.sampling.normal")
    model, context = model_of_botorch(X[SEEN], Y), context_of(START, 1)
    rng, best = np.random.default_rng(2), float(START.mean[SEEN].max())
    for _ in range(20):
        *chosen, j = rng.choice(40, q, replace=False).tolist()
        sampler = samplers.IIDNormalSampler(torch.Size([64]))
        base = torch.tensor(Z[:, :q]).reshape(64, 1, q)
        sampler.register_buffer("base_samples", base)
        sets = torch.tensor(X[[*chosen, j]])[None]
        ei = acquisition.qExpectedImprovement(model, best, sampler)(sets)
        ucb = acquisition.qUpperConfidenceBound(model, context.beta, sampler)(sets)
        mine = (
            QEI(q).values(context, chosen, Z[:, :q])[j],
            QUCB(q).values(context, chosen, Z[:, :q])[j],
        )
        assert mine == pytest.approx((ei.item(), ucb.item()), abs=1e-6)


@pytest.mark.parametrize("kind", [QUCB, QEI])
def test_where_little_is_unknown(kind: type[QUCB]) -> None:
    """Covariances there are rounding of the prior's, and their matrix has no factor by itself."""
    trace = simulate(problems.multimodal(), kind(10), batches=4, initial=20)
    assert trace.running_minimum[-1] < 1e-3
    assert trace.decisions[-1].stds.max() < 0.05
