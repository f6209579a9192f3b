"""The rule over a box against a dense grid of it; ask and tell with points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.core.reference import Floats
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Posterior,
)
from ucbpe_core.policies import GPUCB, Decision
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


@pytest.mark.parametrize("samples", [64, 2048])
def test_gradients_find_what_samples_miss(samples: int) -> None:
    """With 64 samples of a plane the upper bound is found as exactly as with 2048."""
    gp = GaussianProcess(Matern(0.4, nu=2.5), 1e-3)
    box = BoxBandit([(0, 1), (0, 1)], gp, GPUCB(), ConstantBeta(BETA), samples=samples)
    decision = measured(box, 10, 0).ask()
    X = grid(box.box)
    belief = Posterior.prior(gp, X).observe_points(box.process.X, f(box.process.X))
    best = (belief.mean + np.sqrt(BETA) * belief.std).max()
    assert best <= decision.scores[0] <= best + 1e-3


def test_it_finds_the_maximum() -> None:
    box = BoxBandit([(0, 1), (0, 1)], GaussianProcess(Matern(0.4, nu=2.5), 1e-4), GPUCBPE(4))
    measured(box, 4, 0)
    for _ in range(8):
        decision = box.ask()
        box.tell(decision.indices, f(decision.points))
    best = f(grid(box.box)).max()
    assert f(box.best().point[None])[0] == pytest.approx(best, abs=0.02)


def played(seed: int) -> list[Decision]:
    box = BoxBandit([(0, 1)], GaussianProcess(RBF(0.2), 0.01), GPUCBPE(3), seed=seed)
    made = []
    for _ in range(3):
        made.append(box.ask())
        box.tell(made[-1].indices, f(made[-1].points))
    return made


def test_the_seed_makes_it_reproducible() -> None:
    for one, other in zip(played(3), played(3), strict=True):
        np.testing.assert_array_equal(one.points, other.points)
        assert one.y_dot == other.y_dot
    assert not np.array_equal(played(3)[0].points, played(4)[0].points)  # a flat belief: any point


GP = GaussianProcess(RBF(0.2), 0.01)
BAD: dict[str, tuple[Callable[[], object], str]] = {
    "bounds": (lambda: BoxBandit([(1, 0)], GP, GPUCB()), "low < high"),
    "gp": (lambda: BoxBandit([(0, 1)], RBF(), GPUCB()), "a GaussianProcess"),
    "policy": (lambda: BoxBandit([(0, 1)], GP, "GPUCBPE"), "a Policy"),
    "beta": (lambda: BoxBandit([(0, 1)], GP, GPUCB(), 4.0), "a BetaSchedule"),
    "samples": (lambda: BoxBandit([(0, 1)], GP, GPUCB(), samples=1000), "a power of two"),
    "starts": (lambda: BoxBandit([(0, 1)], GP, GPUCB(), starts=0), "starts of at least 1"),
    "seed": (lambda: BoxBandit([(0, 1)], GP, GPUCB(), seed=-1), "seed of at least 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    action, message = BAD[name]
    with pytest.raises(InputError, match=message):
        action()


def test_schedules() -> None:
    """Theorem 2's, for the unit cube, unless another is given."""
    assert BoxBandit([(0, 1), (2, 5)], GP, GPUCB()).beta == CompactBeta(r=1.0)
    box = BoxBandit([(0, 1)], GP, GPUCB(), FiniteBeta(), samples=512)
    assert box.ask().beta == FiniteBeta()(1, 512, 1)


def test_the_finite_case_on_the_picks_agrees() -> None:
    """Among the points that the box chose, and a grid, Bandit's first pick is the same."""
    box = measured(BoxBandit([(0, 1)], GP, GPUCBPE(3), ConstantBeta(BETA)), 6, 2)
    decision = box.ask()
    X = np.concatenate([grid(box.box), decision.points])
    bandit = Bandit(X, GP, GPUCBPE(3), ConstantBeta(BETA))
    bandit.tell(None, f(box.process.X), points=box.process.X)
    np.testing.assert_array_equal(X[bandit.ask().indices[0]], decision.points[0])


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
