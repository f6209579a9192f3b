"""Results one by one over a box, in any order, against a dense solve on a fine grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, RBF, BoxBandit, ConstantBeta, GaussianProcess
from ucbpe_core.policies import EIPE, GPBUCB

if TYPE_CHECKING:
    from ucbpe_core.policies import Policy
    from ucbpe_core.support.validation import Floats

KERNEL, NOISE, BETA = RBF(1.2), 0.01, 4.0
GRID = np.linspace(0, 10, 4001)[:, None]
X0, Y0 = np.array([[1.0], [6.0]]), np.array([0.4, -0.3])


def started(policy: Policy) -> BoxBandit:
    gp = GaussianProcess(KERNEL, NOISE)
    box = BoxBandit([(0, 10)], gp, policy, ConstantBeta(BETA), samples=256, fit="never")
    box.tell(None, Y0, points=X0)
    return box


def dense(X: Floats, y: Floats, pending: Floats) -> tuple[Floats, Floats]:
    """Mean given the values, and std with pending points counted as measured, on the grid."""

    def solved(A: Floats) -> tuple[Floats, Floats]:
        across = KERNEL.evaluate(A, GRID)
        return across, np.linalg.solve(KERNEL.gram(A) + NOISE * np.eye(len(A)), across)

    mean = y @ solved(X)[1]
    across, weights = solved(np.vstack([X, pending]))
    return mean, np.sqrt(1 - (across * weights).sum(axis=0))


def test_a_free_worker_gets_the_pick_that_the_running_ones_leave() -> None:
    box = started(GPUCBPE(3))
    X, y, running, roles = X0, Y0, {}, []
    made = box.fill(3)
    running.update(zip(made.indices.tolist(), made.points, strict=True))
    assert made.roles == ("ucb", "pe", "pe")
    rng = np.random.default_rng(0)
    for arrives in (1, 2, 0, 4, 3, 5, 6):  # not in the order in which they were made
        value = float(rng.normal(scale=0.5))
        X, y = np.vstack([X, running[arrives]]), np.append(y, value)
        box.tell([arrives], [value])
        del running[arrives]
        mean, std = dense(X, y, np.array(list(running.values())))
        made = box.fill()
        (x,) = made.points
        at = int(abs(GRID[:, 0] - x[0]).argmin())
        score = mean + 2 * std
        if made.roles == ("pe",):
            inside = mean + 4 * std >= (mean - 2 * std).max()
            assert inside[at]
            score = np.where(inside, std, -np.inf)
        assert score[at] == pytest.approx(score.max(), abs=1e-4)
        roles.append(made.roles[0])
        running[int(made.indices[0])] = x
        assert set(box.pending) == set(running)
    # UCB again only once the running UCB pick has its result.
    assert roles == ["pe", "pe", "ucb", "pe", "pe", "ucb", "pe"]


@pytest.mark.parametrize("policy", [GPUCBPE(3), EIPE(3), GPBUCB(3, C=0.5)])
def test_the_order_of_results_changes_no_pick(policy: Policy) -> None:
    found = []
    for order in ((0, 1, 2), (2, 0, 1)):
        box = started(policy)
        box.fill(3)
        for number in order:
            box.tell([number], [(0.3, -0.2, 0.1)[number]])
        found.append(box.fill().points)
    np.testing.assert_allclose(*found, atol=1e-5)
