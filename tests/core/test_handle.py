"""The posterior and the open decision of a search follow its history."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ucbpe_core import GPUCBPE, Bandit, ConstantBeta, Experiment, GaussianProcess, Matern
from ucbpe_core.experiment import Plan, Table

X = np.linspace(0, 1, 41)[:, None]
GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.01, mean=0.25)
INDICES = [3, 12, 25, 31]
Y = np.sin(7 * X[INDICES, 0])


def test_a_change_of_direction_leads_to_the_posterior_of_that_direction() -> None:
    """With the data told before and after it."""
    plan = Plan(GP, GPUCBPE(3), ConstantBeta(4.0))
    turned = Experiment(Table(("x",), X), plan)
    other = Experiment(Table(("x",), X), replace(plan, direction="minimize"))
    turned.tell(INDICES, Y)
    turned.replan(other.plan)
    other.tell(INDICES, Y)
    for _ in range(2):
        mine, theirs = turned.ask(), other.ask()
        for name in ("indices", "stds", "scores", "y_dot", "region", "region_plus"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
        for search in (turned, other):
            search.tell(mine.indices, np.cos(X[mine.indices, 0]))
    np.testing.assert_array_equal(turned.posterior.mean, other.posterior.mean)


def test_an_observation_outside_the_batch_leaves_the_open_decision() -> None:
    search = Bandit(X, GP, GPUCBPE(3), ConstantBeta(4.0))
    search.tell(INDICES, Y)
    for t in (1, 2):
        decision = search.ask()
        assert decision.t == t
        left = np.setdiff1d(np.arange(41), decision.indices)[:1]
        search.tell(left, [0.5])
        assert search.ask() is decision
        search.tell(decision.indices, np.zeros(3))
