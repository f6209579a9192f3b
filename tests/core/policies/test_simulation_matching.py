"""SM-UCB: its trajectories, weights and matching, each against a slow second way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import sqrtm

from tests.core.reference import dense, examples
from tests.core.strategies import Instance, seeds
from ucbpe_core import RBF, ConstantBeta, GaussianProcess, Posterior
from ucbpe_core.policies import SimulationMatching
from ucbpe_core.policies.simulation_matching import (
    backward_greedy,
    draw_trajectories,
    maximiser_probabilities,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def cost(X: Floats, weights: Floats, chosen: tuple[int, ...] | Integers) -> float:
    """Weighted sum of squared distances to the nearest chosen point, term by term."""
    total = 0.0
    for x, weight in zip(X, weights, strict=True):
        total += weight * min(((x - X[j]) ** 2).sum() for j in chosen)
    return total


def slow_backward_greedy(X: Floats, weights: Floats, size: int) -> list[int]:
    """Try every deletion in full, keep the cheapest; ties as documented."""
    kept = list(range(len(X)))
    while len(kept) > size:
        trials = [
            (cost(X, weights, tuple(i for i in kept if i != j)), weights[j], -j) for j in kept
        ]
        kept.remove(-min(trials)[2])
    return kept


@st.composite
def clouds(draw: st.DrawFn, most: int = 12) -> tuple[Floats, Floats, int]:
    """Points, weights and a size. On whole numbers ties are exact, and frequent."""
    rng = np.random.default_rng(draw(seeds))
    m, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    size = draw(st.integers(1, m))
    if draw(st.booleans()):
        return rng.integers(0, 5, (m, d)).astype(float), rng.integers(0, 4, m).astype(float), size
    weights = rng.random(m) * (rng.random(m) < draw(st.sampled_from((0.3, 1.0))))
    return rng.normal(size=(m, d)), weights, size


@examples(100)
@given(clouds())
def test_matching_is_backward_greedy(cloud: tuple[Floats, Floats, int]) -> None:
    """The very points that full recomputation leaves, and the weight nearest to each."""
    X, weights, size = cloud
    chosen, shares = backward_greedy(X, weights, size)
    assert sorted(chosen.tolist()) == slow_backward_greedy(X, weights, size)
    assert (np.diff(shares) <= 0).all()
    assert shares.sum() == pytest.approx(weights.sum())
    distance = ((X[:, None] - X[chosen]) ** 2).sum(axis=2)
    for k, share in enumerate(shares):
        alone = distance[:, k] < np.delete(distance, k, axis=1).min(axis=1, initial=np.inf)
        nearest = distance[:, k] == distance.min(axis=1)
        assert weights[alone].sum() - 1e-12 <= share <= weights[nearest].sum() + 1e-12


def test_matching_all_points() -> None:
    """As many as there are, or more: all of them, heaviest first, points of weight 0 last."""
    X, weights = np.arange(4.0)[:, None], np.array([0.0, 3.0, 0.0, 5.0])
    for size in (4, 9):
        chosen, shares = backward_greedy(X, weights, size)
        assert chosen.tolist() == [3, 1, 0, 2]
        assert shares.tolist() == [5, 3, 0, 0]


def slow_step(
    case: Instance, told: list[int], y: list[float], beta: float
) -> tuple[Floats, Floats, Floats]:
    """Mean, noisy deviation and upper bound on all candidates, by one fresh dense factor."""
    process = case.gp.condition(case.candidates[told], y)
    latent = process.predict(case.candidates)
    noisy = process.predict(case.candidates, noisy=True)
    return latent.mean, noisy.std, latent.mean + np.sqrt(beta) * latent.std


@pytest.mark.parametrize(("n", "S"), [(8, 64), (4, 1)])
@pytest.mark.parametrize("seed", range(6))
def test_the_whole_rule(seed: int, n: int, S: int) -> None:
    """Slow trajectories, slow weights and slow matching give the same batch.

    With one draw for each of four runs, some picks have weight 0: the most visited are kept.
    """
    rng = np.random.default_rng(seed)
    X, members = rng.random((80, 2)), rng.integers(0, 80, 5).tolist()
    case = Instance(GaussianProcess(RBF(0.3), 0.05), X, members, rng.standard_normal(5), rng)
    K, t = 4, 3
    decision = SimulationMatching(K, n, S, seed=seed).decide(case.posterior, t, ConstantBeta(4.0))

    stream = np.random.default_rng([seed, t])
    noise, normals = stream.standard_normal((n, K)), stream.standard_normal((n, K, S))
    mean, covariance = dense(case.gp, case.X, case.y, X)
    weights, visits = np.zeros(80), np.zeros(80)
    for e, z in zip(noise, normals, strict=True):
        told, y = list(members), case.y.tolist()
        for number in e:
            at, std, upper = slow_step(case, told, y, 4.0)
            told.append(int(upper.argmax()))
            y.append(at[told[-1]] + std[told[-1]] * number)
        path = told[len(members) :]
        visits += np.bincount(path, minlength=80)
        # SciPy's Schur method; a repeated visit leaves an eigenvalue 0, a little jitter helps it.
        root = np.real(sqrtm(covariance[np.ix_(path, path)] + 1e-14 * np.eye(K)))
        f = mean[path][:, None] + root @ z
        for draw in f.T:
            weights[path[int(draw.argmax())]] += 1 / (n * S)
    visited = np.flatnonzero(visits)
    visited = visited[np.argsort(-visits[visited], kind="stable")]
    assert len(visited) > K
    kept = visited[slow_backward_greedy(X[visited], weights[visited], K)]
    assert sorted(decision.indices.tolist()) == sorted(kept.tolist())
    nearest = ((X[visited][:, None] - X[decision.indices]) ** 2).sum(axis=2).argmin(axis=1)
    shares = np.bincount(nearest, weights[visited], minlength=K)
    np.testing.assert_allclose(decision.scores, shares, atol=1e-12)


def test_without_noise() -> None:
    """Repeats teach nothing and break nothing, even when every candidate is known."""
    X = np.linspace(0, 1, 6)
    known = Posterior.prior(GaussianProcess(RBF(0.2), 0.0), X).observe(range(6), np.sin(9 * X))
    visits = draw_trajectories(known, 4.0, np.random.default_rng(0).standard_normal((3, 6))).visits
    assert (visits == np.sin(9 * X).argmax()).all()
    decision = SimulationMatching(3, 5).decide(known, 1, ConstantBeta(4.0))
    assert decision.roles == ("match", "fill", "fill")
    assert decision.indices[0] == np.sin(9 * X).argmax()


@pytest.mark.parametrize("far", [20.0, 1e9])
def test_a_point_of_weight_0_decides_nothing_however_far(far: float) -> None:
    """Losses 3, 2 and 4: the second is deleted. Ties are a share of the largest distance."""
    X, weights = np.array([[0.0], [1.0], [3.0], [far]]), np.array([3.0, 2.0, 1.0, 0.0])
    assert sorted(backward_greedy(X, weights, 2)[0]) == [0, 2]


def test_what_ties_in_the_matching() -> None:
    """Values of f, distances and losses that rounding could order either way."""
    covariance, still = np.diag([1e-4, 1e-8])[None], np.zeros((1, 2, 5))
    for apart, first in ((0.5e-11, 1.0), (2e-11, 0.0)):
        found = maximiser_probabilities(np.array([[0.0, apart]]), covariance, still)
        assert found.tolist() == [[first, 1 - first]]
    between, weights = np.array([[0.0], [2.0], [1 + 5e-12]]), np.array([2.0, 1.5, 1.0])
    assert backward_greedy(between, weights, 2)[1].tolist() == [3.0, 1.5]
    pairs = np.array([[0.0], [1.0], [10.0], [11 + 1e-13]])
    assert sorted(backward_greedy(pairs, np.ones(4), 3)[0]) == [0, 1, 2]
