"""The file that docs/extend.md writes is right: each part beside another source of its numbers."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from tests.documents import blocks
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    InputError,
    fit_hyperparameters,
    problems,
    register,
)
from ucbpe_core.gp import kernels
from ucbpe_core.gp.kernels.scales import slope_bound
from ucbpe_core.policies.schedules import RunState


@pytest.fixture
def mine(registries: None, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file of the page."""
    module = ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    exec("\n".join(blocks("extend.md")), module.__dict__)
    return module


def test_the_kernel(mine: ModuleType) -> None:
    """Its formula, and what is derived of it: names, and a fit in any units."""
    rng = np.random.default_rng(0)
    X, Z = rng.random((7, 2)), rng.random((5, 2))
    own = mine.WavePacket((0.4, 0.9), 2.0, omega=1.7)
    waves = [np.cos(1.7 * (X[:, [i]] - Z[:, i]) / own.lengthscale[i]) for i in (0, 1)]
    reference = RBF((0.4, 0.9), 2.0).evaluate(X, Z) * waves[0] * waves[1]
    np.testing.assert_allclose(own.evaluate(X, Z), reference, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(own.diagonal(X), np.full(7, 2.0))
    assert own.parameter_names == ("lengthscale[0]", "lengthscale[1]", "variance", "omega")
    sum_of_two = mine.WavePacket().on(0) + RBF()
    assert sum_of_two.parameter_names[2:4] == ("left.inner.omega", "right.lengthscale")
    assert kernels.KERNELS["Wave packet"] is mine.WavePacket

    X = rng.random((40, 2))
    y = GaussianProcess(mine.WavePacket(0.4, omega=2.0), 0.01).sample(X, 1)
    start = GaussianProcess(mine.WavePacket())
    found = fit_hyperparameters(start, X, y, starts=3).gp.kernel
    other = fit_hyperparameters(start, 1e3 * X, 1e-2 * y, starts=3).gp.kernel
    np.testing.assert_allclose(
        other.parameters, found.parameters * np.array([1e3, 1e-4, 1.0]), rtol=1e-4
    )
    scaled = GaussianProcess.from_data(X, y, own).kernel
    np.testing.assert_allclose(scaled.lengthscale, np.ptp(X, axis=0) / 3)
    assert scaled.variance == pytest.approx(np.var(y, ddof=1))


def test_a_box_of_the_kernel(mine: ModuleType) -> None:
    """The first pick is the best of 2,000 points; how fast such a prior may change is unknown."""
    assert slope_bound(mine.WavePacket() + kernels.Constant(1e3), np.ones(2)) == 1.0
    rng, gp = np.random.default_rng(1), GaussianProcess(mine.WavePacket(0.3, omega=2.0))
    X, y = rng.random((10, 2)), rng.standard_normal(10)
    box = BoxBandit([(0, 1), (0, 1)], gp, GPUCBPE(2), fit="never")
    box.tell(None, y, points=X)
    decision = box.ask()
    predictions = (gp.condition(X, y).predict(Z) for Z in (decision.points, rng.random((2000, 2))))
    chosen, others = (found.mean + np.sqrt(decision.beta) * found.std for found in predictions)
    assert chosen[0] >= others.max() - 1e-9


def test_the_policy(mine: ModuleType) -> None:
    """Uniform about as often as it says; else the best mean that is left. Asked twice, the same."""
    gp, X = GaussianProcess(RBF(0.2), 0.01), np.linspace(0, 1, 40)
    roles = list[str]()
    for seed in range(50):
        first, second = (Bandit(X, gp, mine.EpsilonGreedy(8, epsilon=0.3, seed=seed)) for _ in "12")
        for bandit in (first, second):
            bandit.tell([5, 30], [1.0, -1.0])
        decision = first.ask()
        np.testing.assert_array_equal(second.ask().indices, decision.indices)
        roles += decision.roles
        left = first.posterior.at(2).mean.copy()
        for j, role in zip(decision.indices, decision.roles, strict=True):
            assert left[j] > -np.inf
            assert role == "uniform" or left[j] == left.max()
            left[j] = -np.inf
    assert 0.23 < roles.count("uniform") / len(roles) < 0.37  # 400 draws: 3 standard deviations
    with pytest.raises(InputError, match="batch_size of at most 40"):
        Bandit(X, gp, mine.EpsilonGreedy(41)).ask()


def test_the_problem(mine: ModuleType) -> None:
    """Its minimum is 0.397887, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475)."""
    fine = mine.branin(resolution=601)
    assert fine.optimum == pytest.approx(0.397887, abs=2e-3)
    best = np.array([[-np.pi, 12.275], [np.pi, 2.275], [9.42478, 2.475]])
    assert np.linalg.norm(best - fine.candidates[fine.optimum_index], axis=1).min() < 0.05
    assert problems.PROBLEMS["Branin"](measurement_noise=4.0).noise_variance == 4.0


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
    assert all("x" not in known for known in (kernels.KERNELS, problems.PROBLEMS))
