"""What a user imports, and the run that the documentation shows."""

from __future__ import annotations

import numpy as np
import pytest

import ucbpe_core
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    Matern,
    theory,
)
from ucbpe_core.kernels import Polynomial
from ucbpe_core.policies import GPUCB, GreedyUCB, PureExploration, RandomSearch
from ucbpe_core.schedules import CompactBeta


def test_names() -> None:
    """Everything announced exists, is documented and announced once."""
    names = ucbpe_core.__all__
    assert len(names) == len(set(names))
    for name in names:
        assert getattr(ucbpe_core, name).__doc__


def test_ask_and_tell() -> None:
    """The loop of an experimenter, start to end."""
    gp = GaussianProcess(Matern(nu=1.5, lengthscale=0.3, variance=1.0), noise_variance=0.01)
    candidates = np.linspace(0, 1, 30)[:, None]
    f = np.sin(6 * candidates[:, 0])
    bandit = Bandit(candidates, gp, GPUCBPE(batch_size=5), beta=FiniteBeta(delta=0.1))
    bandit.tell([3, 20], f[[3, 20]])
    for _ in range(6):
        decision = bandit.ask()
        assert len(decision.indices) == len(decision.roles) == len(decision.stds) == 5
        assert decision.region.shape == decision.region_plus.shape == (30,)
        assert decision.beta_next > decision.beta
        bandit.tell(decision.indices, f[decision.indices])
    assert f[bandit.best().index] == pytest.approx(f.max(), abs=0.02)


@pytest.mark.parametrize("kernel", [RBF(0.2), Matern(0.2), Polynomial(2), RBF() + Matern()])
@pytest.mark.parametrize("policy", [GPUCB(), GreedyUCB(3), PureExploration(3), RandomSearch(3)])
def test_any_kernel_with_any_policy(kernel: object, policy: object) -> None:
    """They combine freely, under any schedule."""
    gp = GaussianProcess(kernel, 0.1)
    for beta in (FiniteBeta(scale=0.2), CompactBeta(), ConstantBeta(9.0)):
        bandit = Bandit(np.linspace(0, 1, 15), gp, policy, beta)
        decision = bandit.ask()
        bandit.tell(decision.indices, np.zeros(len(decision.indices)))
        assert bandit.t == 2
    assert theory.information_gain(gp, np.linspace(0, 1, 4)) > 0
