"""The rule over a box: seed, schedule, which picks results answer, and results one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.core.reference import Floats
from tests.core.runs import document_of
from ucbpe_core import (
    GPUCBPE,
    RBF,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
)
from ucbpe_core.policies import EIPE, GPBUCB, GPUCB
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.spaces.space import nearest_picks


def f(X: Floats) -> Floats:
    return np.sin(7 * X[:, 0]) + np.cos(5 * X).sum(axis=1)


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
        BoxBandit(**{"bounds": [(0, 1)], "gp": GP, "policy": GPUCB(), **options}, fit="never")


def test_schedules() -> None:
    """Theorem 2's, for the unit cube, unless another is given."""
    assert BoxBandit([(0, 1), (2, 5)], GP, GPUCB(), fit="never").beta == CompactBeta(r=1.0)
    box = BoxBandit([(0, 1)], GP, GPUCB(), FiniteBeta(), samples=512, fit="never")
    assert box.ask().beta == FiniteBeta()(1, 512, 1)


def test_the_search_has_seed_0_unless_given() -> None:
    points = []
    for options in ({}, {"seed": 0}, {"seed": 1}):
        box = BoxBandit(
            [(0, 1), (0, 1)], GaussianProcess(Matern(0.3)), GPUCBPE(3), **options, fit="never"
        )  # type: ignore[arg-type]
        points.append(box.ask().points)
    np.testing.assert_array_equal(points[0], points[1])
    assert not np.array_equal(points[0], points[2])


def test_a_saved_search_says_its_defaults() -> None:
    """A file is searched again as it was, whatever the defaults are then."""
    spelled = {"seed": 0, "samples": 2048, "starts": 10, "tolerance": 0.005}
    said = document_of(BoxBandit([(0, 1)], GP, GPUCB(), fit="never"))["box"]
    assert {name: said[name] for name in spelled} == spelled


def asked(K: int = 3, **options: float) -> BoxBandit:
    gp = GaussianProcess(Matern((3.0, 0.4), nu=2.5), 0.01)
    box = BoxBandit(
        [(0.0137, 9.9871), (-1.0042, 0.9968)],
        gp,
        GPUCBPE(K),
        samples=64,
        starts=2,
        **options,
        fit="never",
    )  # type: ignore[arg-type]
    box.tell(None, [0.3, 1.0, -0.5], points=[[2.0, 0.1], [7.0, -0.3], [4.0, 0.8]])
    box.ask()
    return box


@pytest.mark.parametrize(
    ("options", "share", "answers"),
    [({}, 0.0049, True), ({}, 0.0051, False), ({"tolerance": 0.0}, 1e-10, False)],
)
def test_the_tolerance_is_a_share_of_each_side(
    options: dict[str, float], share: float, answers: bool
) -> None:
    box = asked(**options)
    pick = box.pending_points[1]
    towards = np.where(pick > box.box.mean(axis=1), -1, 1)
    box.tell(None, [0.5], points=[pick + share * towards * np.ptp(box.box, axis=1)])
    assert (1 not in box.pending) is answers
    assert len(box.process.X) == 4


@pytest.mark.parametrize(
    ("asked", "used", "answered"),
    [
        ([5.0, 5.06, 5.06], [5.05, 5.07], {1, 2}),
        ([5.0, 5.06, 5.06], [5.02, 5.0], {0, 1}),
        ([5.0], [5.0, 5.0, 5.0], {0}),
    ],
)
def test_the_nearest_pair_goes_first(
    asked: list[float], used: list[float], answered: set[int]
) -> None:
    picks, settings = np.array(asked)[:, None] / 10, np.array(used)[:, None] / 10
    found = nearest_picks(settings, range(len(asked)), picks, 0.006)
    assert {j for j in found if j >= 0} == answered
    assert len(found) == len(used)
    pairs = [(picks[j], u) for j, u in zip(found, settings, strict=True) if j >= 0]
    assert all(np.abs(pick - u) < 0.0061 for pick, u in pairs)


def test_of_equal_picks_the_open_batch_is_answered_first() -> None:
    """Without noise and a flat prior, every batch has the same first pick."""
    box = BoxBandit(
        [(0, 1)], GaussianProcess(RBF(0.3), 1e4), GPUCBPE(2), samples=64, starts=2, fit="never"
    )
    box.ask()
    box.tell([1], [1.0])
    second = box.ask()
    used = box.pending_points[:1]
    box.tell([second.indices[1]], [1.0])
    close = np.abs(box.pending_points - used).max(axis=1) <= 0.005
    box.tell(None, [1.0], points=used)
    assert box.pending == ((0,) if close.all() else (2,))


BAD: dict[str, tuple[Callable[[BoxBandit], object], str]] = {
    "unknown number": (lambda box: box.tell([3], [1.0], points=[[0, 0]]), "between 0 and 2"),
    "points": (lambda box: box.tell([0, 1], [1.0, 2.0], points=[[0, 0]]), "as many points"),
    "neither": (lambda box: box.tell(None, [1.0]), "indices of picks, or points"),
    "points of another width": (lambda box: box.tell(None, [1.0], points=[[0.5]]), "column"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_error_changes_nothing(name: str) -> None:
    box = asked()
    decision = box.ask()
    action, message = BAD[name]
    with pytest.raises(InputError, match=message):
        action(box)
    assert box.pending == (0, 1, 2)
    assert len(box.process.X) == 3
    assert box.ask() is decision


def test_a_number_told_already_is_refused() -> None:
    box = asked()
    box.tell([1], [1.0])
    with pytest.raises(InputError, match=r"among \[0, 2\]"):
        box.tell([1], [1.0])


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
