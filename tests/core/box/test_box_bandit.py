"""The rule over a box against a dense grid of it; ask and tell with points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.reference import Floats
from ucbpe_core import (
    GPUCBPE,
    RBF,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Posterior,
)
from ucbpe_core.policies import GPUCB
from ucbpe_core.schedules import CompactBeta

KERNELS: list[Kernel] = [Matern(0.3, nu=2.5), RBF(0.25), Matern(0.5, nu=1.5)]
BETA = 6.0


def f(X: Floats) -> Floats:
    return np.sin(7 * X[:, 0]) + np.cos(5 * X).sum(axis=1)


def measured(box: BoxBandit, n: int, seed: int) -> BoxBandit:
    """After n random points."""
    low, high = box.box.T
    X = low + (high - low) * np.random.default_rng(seed).random((n, len(low)))
    box.tell(None, f(X), points=X)
    return box


def grid(box: Floats) -> Floats:
    side = 4001 if len(box) == 1 else 161
    axes = [np.linspace(low, high, side) for low, high in box]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(box))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("bounds", [[(-1.0, 2.0)], [(0.0, 1.0), (-1.0, 0.5)]], ids=["1-D", "2-D"])
def test_no_point_of_a_dense_grid_is_better(
    bounds: list[tuple[float, float]], kernel: Kernel, seed: int
) -> None:
    """Neither for y_dot and x0, nor for any later pick inside R+, where all of them lie."""
    gp = GaussianProcess(kernel, 1e-3)
    bandit = measured(BoxBandit(bounds, gp, GPUCBPE(5), ConstantBeta(BETA)), 12, seed)
    decision = bandit.ask()
    X = grid(bandit.box)
    start = Posterior.prior(gp, X).observe_points(bandit.process.X, f(bandit.process.X))
    root = np.sqrt(BETA)
    assert decision.y_dot >= (start.mean - root * start.std).max() - 1e-9
    assert decision.scores[0] >= (start.mean + root * start.std).max() - 1e-9
    inside = start.mean + 2 * root * start.std >= decision.y_dot
    at_picks = start.predict(decision.points)
    assert (at_picks.mean + 2 * root * at_picks.std >= decision.y_dot - 1e-12).all()
    belief = start
    for k in range(1, 5):
        belief = belief.hallucinate_points(decision.points[k - 1 : k])
        assert decision.stds[k] >= belief.std[inside].max() - 1e-6
        std = belief.conditioned().predict(decision.points[k : k + 1]).std
        np.testing.assert_allclose(decision.scores[k], std, rtol=1e-9)


def test_it_finds_the_maximum() -> None:
    box = BoxBandit([(0, 1), (0, 1)], GaussianProcess(Matern(0.4, nu=2.5), 1e-4), GPUCBPE(4))
    measured(box, 4, 0)
    for _ in range(8):
        decision = box.ask()
        box.tell(decision.indices, f(decision.points))
    best = f(grid(box.box)).max()
    assert f(box.best().point[None])[0] == pytest.approx(best, abs=0.02)


GP = GaussianProcess(RBF(0.2), 0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "GPUCBPE"}, "a Policy"),
        ({"samples": 1000}, "a power of two"),
        ({"starts": 0}, "starts of at least 1"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BoxBandit(**{"bounds": [(0, 1)], "gp": GP, "policy": GPUCB(), **options})


def test_schedules() -> None:
    """Theorem 2's, for the unit cube, unless another is given."""
    assert BoxBandit([(0, 1), (2, 5)], GP, GPUCB()).beta == CompactBeta(r=1.0)
    box = BoxBandit([(0, 1)], GP, GPUCB(), FiniteBeta(), samples=512)
    assert box.ask().beta == FiniteBeta()(1, 512, 1)


def test_the_search_has_seed_0_unless_given() -> None:
    points = []
    for options in ({}, {"seed": 0}, {"seed": 1}):
        box = BoxBandit([(0, 1), (0, 1)], GaussianProcess(Matern(0.3)), GPUCBPE(3), **options)  # type: ignore[arg-type]
        points.append(box.ask().points)
    np.testing.assert_array_equal(points[0], points[1])
    assert not np.array_equal(points[0], points[2])


def test_the_first_pick_of_the_paper_is_searched_for() -> None:
    """Its upper bound is above those of ten thousand points, of which the samples are a few."""
    process = GaussianProcess(Matern(0.2, nu=2.5), 1e-4)
    box = BoxBandit([(0, 1), (0, 1)], process, GPUCBPE(2), ConstantBeta(4.0), samples=64)
    X = np.random.default_rng(1).random((12, 2))
    box.tell(None, f(X), points=X)
    decision = box.ask()
    U = np.random.default_rng(2).random((10_000, 2))
    prediction = process.condition(X, f(X)).predict(np.concatenate([decision.points[:1], U]))
    upper = prediction.mean + 2 * prediction.std
    assert upper[0] >= upper[1:].max() - 1e-9
