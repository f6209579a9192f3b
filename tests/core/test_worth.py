"""What a batch is worth: against the gain that follows from dense posteriors, one for each result.

The gain of a result is computed as a person would see it: condition on the values with a dense
solve, take the best of the picks and of what was best before. Its mean is by Gauss-Hermite
quadrature over the results, or over draws of f.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.reference import Floats, dense
from ucbpe_core import RBF, Bandit, BoxBandit, ConstantBeta, Experiment, GaussianProcess, Matern
from ucbpe_core.errors import InputError
from ucbpe_core.policies import EIPE, GPUCBPE, Recommended
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.search.worth import worth_of

X = np.array([[0.0], [0.4], [1.0], [1.7]])
Y = np.array([0.3, 0.9, 0.1, 0.6])
NONE = np.empty((0, 1))


def process(noise: float = 0.05) -> GaussianProcess:
    return GaussianProcess(Matern(nu=2.5, lengthscale=0.5), noise_variance=noise, mean=0.2)


def gains(gp: GaussianProcess, x0: Floats, P: Floats, values: Floats) -> Floats:
    """max(0, max_k m_k - m_0) after each of the results (n, p) at P, by one dense solve each."""
    points, at = np.concatenate([X, P]), np.concatenate([x0, P])
    means = np.array([dense(gp, points, np.concatenate([Y, y]), at)[0] for y in values])
    return np.maximum(means[:, 1:].max(axis=1) - means[:, 0], 0.0)


def quadrature(gp: GaussianProcess, x0: Floats, P: Floats, nodes: int) -> float:
    """The mean gain, by a grid of results around their mean: its kinks leave some 1/nodes^2."""
    mean, Sigma = dense(gp, X, Y, P)
    root = np.linalg.cholesky(Sigma + gp.noise_variance * np.eye(len(P)))
    z = (np.arange(nodes) + 0.5) / nodes * 16 - 8
    Z = np.stack([one.ravel() for one in np.meshgrid(*[z] * len(P))], axis=1)
    weights = np.exp(-0.5 * (Z**2).sum(axis=1))
    return float(gains(gp, x0, P, mean + Z @ root.T) @ weights / weights.sum())


@pytest.mark.parametrize("noise", [1e-8, 0.05, 2.0])
@pytest.mark.parametrize("x", [0.4, 0.6, 5.0])
def test_one_pick_is_exact(noise: float, x: float) -> None:
    gp, x0, P = process(noise), np.array([[0.4]]), np.array([[x]])
    worth = worth_of(gp.condition(X, Y), x0, NONE, P)
    assert worth.error == 0.0
    assert worth.price == worth.improvement
    expected = quadrature(gp, x0, P, 4000)
    assert worth.improvement == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_several_picks_are_within_the_stated_error() -> None:
    """Two by quadrature; five over 4,000 draws of results, to 4 standard errors of these."""
    gp, x0 = process(), np.array([[0.4]])
    P = np.array([[0.6], [2.4]])
    worth = worth_of(gp.condition(X, Y), x0, NONE, P)
    assert 0 < worth.error < 1e-3 * worth.improvement
    assert abs(worth.improvement - quadrature(gp, x0, P, 120)) < 4 * worth.error + 1e-4
    P = np.array([[0.6], [2.4], [2.5], [-0.8], [0.6]])  # one of them twice
    worth = worth_of(gp.condition(X, Y), x0, NONE, P)
    mean, Sigma = dense(gp, X, Y, P)
    root = np.linalg.cholesky(Sigma + gp.noise_variance * np.eye(5))
    values = mean + np.random.default_rng(1).standard_normal((4000, 5)) @ root.T
    found = gains(gp, x0, P, values)
    assert abs(found.mean() - worth.improvement) < 4 * found.std() / 4000**0.5


def test_a_result_tells_less_with_noise_and_picks_that_run_leave_less_to_gain() -> None:
    x0, P, more = np.array([[0.4]]), np.array([[0.6], [2.4]]), np.array([[-0.8], [3.0]])
    by_noise = [
        worth_of(process(noise).condition(X, Y), x0, NONE, P).improvement
        for noise in (0.0, 0.01, 1.0, 100.0)
    ]
    assert sorted(by_noise, reverse=True) == by_noise
    told = process().condition(X, Y)
    both = worth_of(told, x0, NONE, np.concatenate([P, more]))
    first, then = worth_of(told, x0, NONE, P), worth_of(told, x0, P, more)
    assert then.picks == 2
    error = np.hypot(both.error, first.error)
    assert abs(first.improvement + then.improvement - both.improvement) <= 4 * error
    assert then.improvement < worth_of(told, x0, NONE, more).improvement
    # A second result at a point that is known without noise tells nothing.
    known = process(0.0).condition(X, Y)
    assert worth_of(known, x0, NONE, X[:1]).improvement < 1e-6
    assert worth_of(known, x0, P, P).improvement < 1e-6


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_search_values_the_batch_that_it_asks_next(direction: Any) -> None:
    sign, candidates = (1.0 if direction == "maximize" else -1.0), np.linspace(-1, 3, 41)
    bandit = Bandit(candidates, process(), GPUCBPE(3), ConstantBeta(4.0), direction=direction)
    bandit.tell(None, sign * Y, points=X)
    before = bandit.history
    worth, best = bandit.worth(), bandit.best()
    assert bandit.history is before, "it changes nothing"
    decision = bandit.ask()
    assert worth.picks == 3
    expected = worth_of(bandit.process, best.point[None], NONE, decision.points, sign)
    assert worth == expected
    assert bandit.worth() == worth, "of the open batch, as before it"
    bandit.tell(decision.indices[:1], [sign * 0.4])
    rest = bandit.pending_points
    worth, best = bandit.worth(), bandit.best()
    picks = bandit.ask().points
    assert worth == worth_of(bandit.process, best.point[None], rest, picks, sign)


def test_over_a_box_and_before_any_result() -> None:
    box = BoxBandit([(-1, 3)], process(), Recommended(2), samples=256, starts=4)
    box.tell(None, Y, points=X)
    worth, x0 = box.worth(), box.best().point
    # Where the mean is best is searched for again, with other starts.
    expected = worth_of(box.process, x0[None], NONE, box.ask().points)
    assert worth.improvement == pytest.approx(expected.improvement, rel=0.01)
    plan = Plan(GaussianProcess(RBF(1.0)), EIPE(2), ConstantBeta(4.0))
    experiment = Experiment(Table(("x",), np.linspace(-1, 3, 9)), plan)
    with pytest.raises(InputError, match="a result"):
        experiment.worth()
    assert not experiment.history.batches
