"""The rule over a box: maxima that are found, the seed, the schedule, and bad arguments."""

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
    Matern,
)
from ucbpe_core.policies import GPUCB
from ucbpe_core.schedules import CompactBeta


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
