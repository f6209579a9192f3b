"""The file that docs/extend.md writes is right: each part beside another source of its numbers."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RationalQuadratic as ReferenceKernel

from tests.documents import blocks
from ucbpe_core import (
    RBF,
    Bandit,
    GaussianProcess,
    InputError,
    Kernel,
    RunState,
    kernels,
    policies,
    problems,
    register,
    schedules,
    simulate,
)
from ucbpe_core.kernels.gradient import weighted_gradient
from ucbpe_core.problems import Problem


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file of the page; what it registers is forgotten after the test."""
    for registry in (kernels.KERNELS, policies.POLICIES, problems.PROBLEMS, schedules.SCHEDULES):
        monkeypatch.setattr(registry, "_items", dict(registry._items))
    module = ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    exec("\n".join(blocks("extend.md")), module.__dict__)
    return module


def test_the_kernel(mine: ModuleType) -> None:
    rng = np.random.default_rng(0)
    X, Z, weights = rng.random((7, 2)), rng.random((5, 2)), rng.random((7, 5))
    for alpha in (0.3, 1.0, 20.0):
        own = mine.RationalQuadratic(0.4, 2.0, alpha=alpha)
        reference = 2.0 * ReferenceKernel(0.4, alpha)(X, Z)
        np.testing.assert_allclose(own.evaluate(X, Z), reference, rtol=0, atol=1e-14)
        by_differences = weighted_gradient.dispatch(Kernel)(own, X, Z, weights)
        by_formula = weighted_gradient(own, X, Z, weights)
        np.testing.assert_allclose(by_formula, by_differences, rtol=1e-7, atol=1e-8)
        W = rng.random((7, 7))
        ours, plain = (one.gram_and_contraction(own, X)[1](W + W.T) for one in (type(own), Kernel))
        np.testing.assert_allclose(ours, plain, rtol=1e-7)
    assert kernels.KERNELS["Rational quadratic"] is mine.RationalQuadratic


def test_the_policy(mine: ModuleType) -> None:
    """Uniform about as often as it says; else the best mean that is left. Asked twice, the same."""
    gp, X = GaussianProcess(RBF(0.2), 0.01), np.linspace(0, 1, 40)
    roles = list[str]()
    for seed in range(50):
        bandit = Bandit(X, gp, mine.EpsilonGreedy(8, epsilon=0.3, seed=seed))
        bandit.tell([5, 30], [1.0, -1.0])
        decision = bandit.ask()
        roles += decision.roles
        assert len(set(decision.indices)) == 8
        left = bandit.posterior.at(2).mean.copy()
        for k, j in enumerate(decision.indices):
            if decision.roles[k] == "greedy":
                assert left[j] == left.max()
            left[j] = -np.inf
        again = Bandit(X, gp, mine.EpsilonGreedy(8, epsilon=0.3, seed=seed))
        again.tell([5, 30], [1.0, -1.0])
        np.testing.assert_array_equal(again.ask().indices, decision.indices)
    assert 0.23 < roles.count("uniform") / len(roles) < 0.37  # 400 draws: 3 standard deviations
    assert set(Bandit(X, gp, mine.EpsilonGreedy(8, epsilon=1.0)).ask().roles) == {"uniform"}
    with pytest.raises(InputError, match="batch_size of at most 40"):
        Bandit(X, gp, mine.EpsilonGreedy(41)).ask()


def test_the_problem(mine: ModuleType) -> None:
    """Its minimum is 0.397887, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475)."""
    fine = mine.branin(resolution=601)
    assert isinstance(fine, Problem)
    assert fine.optimum == pytest.approx(0.397887, abs=2e-3)
    best = np.array([[-np.pi, 12.275], [np.pi, 2.275], [9.42478, 2.475]])
    distance = np.linalg.norm(best - fine.candidates[fine.optimum_index], axis=1)
    assert distance.min() < 0.05
    assert problems.PROBLEMS["Branin"](measurement_noise=4.0).noise_variance == 4.0
    trace = simulate(mine.branin(resolution=21), mine.EpsilonGreedy(5), batches=6, initial=5)
    assert trace.running_minimum[-1] < trace.running_minimum[0]


def test_the_schedule(mine: ModuleType) -> None:
    assert mine.Informed(2.0, 0.5)(t=3, size=10, dimension=1, gain=1.25) == 2.0 * (0.5 + 1.25)
    assert mine.Informed().unscaled(RunState(1, 10, 1)) == 1.0


def test_the_kind_is_told_by_the_base(mine: ModuleType) -> None:
    """Once more is without effect; a name in use, and what is none of the four, are refused."""
    assert register("Branin", mine.branin) is mine.branin
    with pytest.raises(InputError, match="a new name for a problem; got 'Branin'"):
        register("Branin", problems.himmelblau)
    for wrong in (int, 3):
        with pytest.raises(InputError, match="x to be a class derived from Kernel, Policy or Beta"):
            register("x", wrong)
    assert all("x" not in one for one in (kernels.KERNELS, problems.PROBLEMS))
