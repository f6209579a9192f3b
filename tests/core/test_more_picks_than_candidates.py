"""K > M: three samples and five instruments."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import (
    Bandit,
    ConstantBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    problems,
    simulate,
)
from ucbpe_core.experiment import Experiment, Plan, Table
from ucbpe_core.policies import GPUCB, POLICIES, LocalPenalization

from . import recorded
from .runs import assert_equal_runs, document_of, read

GP = GaussianProcess(Matern(0.4, nu=2.5), 0.1)
X = np.array([[0.0], [0.3], [1.0]])
REPEATING = [kind for kind in POLICIES.values() if kind.repeats and kind is not GPUCB]


@pytest.mark.parametrize("kind", REPEATING)
def test_repeats_are_picks_like_others(kind: type[Policy]) -> None:
    """Each counts the picks before it, at the same candidate too; results come in parts."""
    policy = kind(batch_size=7)  # type: ignore[call-arg]
    bandit = Bandit(X, GP, policy, ConstantBeta(4.0))
    decision = bandit.ask()
    members = decision.indices
    assert members.shape == (7,)
    for k, j in enumerate(members.tolist()):
        told = members[:k].tolist()
        C = GP.kernel.gram(X[told]) + GP.noise_variance * np.eye(k)
        c = GP.kernel.evaluate(X[told], X[[j]])[:, 0]
        std = np.sqrt(1 - c @ np.linalg.solve(C, c)) if k else 1.0
        assert decision.stds[k] == pytest.approx(std, abs=1e-9)
    bandit.tell(members[:4], [0.1, 0.2, 0.3, 0.4])
    assert len(bandit.pending) == 3
    assert bandit.ask().n == 7
    bandit.withdraw()
    assert bandit.pending == ()


@pytest.mark.parametrize("kind", REPEATING)
def test_such_runs_and_experiments_are_saved(kind: type[Policy]) -> None:
    policy, table = kind(batch_size=5), problems.from_table(X, [0.2, 0.9, 0.4], noise_variance=0.1)  # type: ignore[call-arg]
    trace = simulate(table, policy, GP, batches=3, initial=2, seed=4)
    assert_equal_runs(trace, read(document_of(trace)))
    experiment = Experiment(Table(("x",), X), Plan(GP, policy, ConstantBeta(4.0)))
    experiment.ask()
    again = recorded.read(recorded.document_of(experiment))
    assert recorded.text_of(again) == recorded.text_of(experiment)


def test_what_never_repeats_says_so() -> None:
    bandit = Bandit(X, GP, LocalPenalization(4))
    with pytest.raises(
        InputError, match=r"at most 3.* Local penalization repeats none; got 4; lower batch_size"
    ):
        bandit.ask()
    assert (bandit.t, bandit.pending) == (1, ())
    assert len(set(Bandit(X, GP, LocalPenalization(3)).ask().indices.tolist())) == 3
