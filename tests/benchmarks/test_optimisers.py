"""What the optimisers of the benchmarks ask for is what they ask for by themselves."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from benchmarks._functions import Task
from benchmarks._optimisers import asked_of_optuna, minimized, optuna_tpe
from benchmarks.study import VARIANTS, maker
from ucbpe_core import GPUCBPE, minimize
from ucbpe_core.policies import Policy
from ucbpe_core.spaces import Integer, Real, Space

TASK = Task("valley", Space.of([(-2, 2), (0, 1)]), lambda X: (X**2 - X).sum(axis=1), -0.5)


@pytest.mark.parametrize("policy", [None, GPUCBPE()])
def test_minimize_asked_from_outside_is_minimize(policy: Policy | None) -> None:
    X = TASK.sobol(6, 0)
    ask = minimized(None if policy is None else lambda seed: policy)(TASK, 5, False)
    for _ in range(2):
        X = np.concatenate([X, ask(X, TASK.f(X), 3)])
    wanted = minimize(
        lambda x: float(TASK.f(x[None])[0]), TASK.space, x0=TASK.sobol(6, 0), initial=0, batches=2,
        batch_size=3, policy=policy, seed=5,
    )  # fmt: skip
    assert pytest.approx(wanted.X) == X


def test_tpe_is_told_what_it_asked_for() -> None:
    X = TASK.sobol(10, 0)
    ask = optuna_tpe(TASK, 0, False)
    for _ in range(4):
        X = np.concatenate([X, ask(X, TASK.f(X), 5)])
    low, high = TASK.space.box.T
    assert ((low <= X) & (high >= X)).all()
    assert TASK.f(X[10:]).mean() < TASK.f(X[:10]).mean()


def test_optuna_draws_from_logarithmic_inputs_as_they_are() -> None:
    space = Space.of({"rate": Real(1e-4, 1.0, log=True), "steps": Integer(1, 10_000, log=True)})
    task = Task("logs", space, lambda X: X[:, 0], 0.0)
    X = task.sobol(4, 0)
    drawn = asked_of_optuna(task, optuna.samplers.RandomSampler(seed=0))(X, task.f(X), 200)
    assert (drawn < [1e-2, 1e2]).mean(axis=0) == pytest.approx(0.5, abs=0.1)


def test_the_warp_that_minimize_has_chooses_as_minimize_does() -> None:
    """Its first batch but for rounding: the same seed of the search where no point was told."""
    X, variant = TASK.sobol(8, 1), VARIANTS["Yeo-Johnson with a prior, 10 first"]
    own = maker(variant)(TASK, 1, False)(X, TASK.f(X), 2)
    theirs = minimized()(TASK, 1, False)(X, TASK.f(X), 2)
    assert np.abs(own - theirs).max() < 0.05
