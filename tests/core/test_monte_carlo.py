"""Monte Carlo batches against a dense factor, the normal law, and BoTorch on the same samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.reference import Floats, improvement, moments, posterior_covariance
from tests.core.test_after_2013 import context_of
from ucbpe_core import FiniteBeta, GaussianProcess, Matern, Posterior, problems, simulate
from ucbpe_core.policies import QEI, QUCB

RNG = np.random.default_rng(6)
X = RNG.random((40, 2))
SEEN = [3, 17, 30]
Y = np.array([0.4, -0.2, 1.1])
GP = GaussianProcess(Matern((0.4, 0.7), 1.3, nu=2.5), 0.05)
START = Posterior.prior(GP, X).observe(SEEN, Y)
Z = RNG.standard_normal((64, 4))
Z -= Z.mean(axis=0)


def slow(kind: type[QEI | QUCB], chosen: list[int], j: int, beta: float) -> float:
    """The value of one set, from a dense posterior and its Cholesky factor."""
    at = [*chosen, j]
    mean = moments(GP, X[SEEN], Y, X)[0]
    Sigma = posterior_covariance(GP, X, SEEN)[np.ix_(at, at)]
    f = Z[:, : len(at)] @ np.linalg.cholesky(Sigma).T
    if kind is QUCB:
        return float((mean[at] + np.sqrt(beta * np.pi / 2) * np.abs(f)).max(axis=1).mean())
    return float(np.maximum((mean[at] + f).max(axis=1) - mean[SEEN].max(), 0).mean())


@pytest.mark.parametrize("kind", [QEI, QUCB])
def test_values_of_all_sets_that_grow_by_one(kind: type[QEI | QUCB]) -> None:
    context = context_of(START, 1)
    for chosen in ([], [5], [5, 22, 9]):
        values = kind(4).values(context, chosen, Z[:, : len(chosen) + 1])
        for j in (0, 1, 14, 33):
            assert values[j] == pytest.approx(slow(kind, chosen, j, context.beta), abs=1e-8)


@pytest.mark.parametrize("kind", [QEI, QUCB])
def test_a_batch_is_chosen_greedily_from_one_set_of_samples(kind: type[QEI | QUCB]) -> None:
    policy = kind(3, samples=32, seed=4)
    decision = policy.decide(START, 2, FiniteBeta())
    z = np.random.default_rng([4, 2]).standard_normal((32, 3))
    z -= z.mean(axis=0)
    context = context_of(START, 2).__class__(
        **{**vars(context_of(START, 2)), "beta": decision.beta}
    )
    for k, j in enumerate(decision.indices.tolist()):
        values = policy.values(context, decision.indices[:k].tolist(), z[:, : k + 1])
        assert values[j] >= values.max() - 1e-8
        assert decision.scores[k] == pytest.approx(values[j])


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
