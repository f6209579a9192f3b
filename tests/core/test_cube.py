"""Inputs scaled to the unit cube."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import GPUCBPE, RBF, Bandit, GaussianProcess, InputError
from ucbpe_core.cube import UnitCube

from .reference import examples
from .strategies import seeds


@examples(50)
@given(seeds, st.integers(1, 4), st.integers(1, 8))
def test_scale_and_back(seed: int, d: int, n: int) -> None:
    """The box is [0, 1]^d, whatever its units, and `unscale` undoes `scale`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 7, d) + rng.normal(size=d)
    cube = UnitCube.around(X)
    U = cube.scale(X)
    assert U.min() == 0
    assert U.max() <= 1
    np.testing.assert_allclose(cube.unscale(U), X, rtol=1e-12, atol=1e-12)
    varied = np.ptp(X, axis=0) > 0
    np.testing.assert_array_equal(U.max(axis=0)[varied], 1.0)
    np.testing.assert_array_equal(cube.unscale([[0] * d])[0], cube.bounds[:, 0])


def test_outside_and_given_bounds() -> None:
    cube = UnitCube([(0, 10), (-1, 1)])
    np.testing.assert_array_equal(cube.scale([[5, 0], [20, -3]]), [[0.5, 0.5], [2, -1]])
    np.testing.assert_array_equal(
        UnitCube.around([[3.0, 1.0], [3.0, 2.0]]).bounds, [[3, 4], [1, 2]]
    )
    with pytest.raises(ValueError, match="read-only"):
        cube.bounds[0, 0] = 1


def test_one_lengthscale_serves_two_units() -> None:
    """The same picks as with a lengthscale for each input in its own units."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2)) * [300, 0.01] + [20, 5]
    cube = UnitCube.around(X)
    sides = np.ptp(X, axis=0)
    gp = GaussianProcess(RBF(tuple(0.3 * sides)))
    ours = Bandit(cube.scale(X), GaussianProcess(RBF(0.3)), GPUCBPE(3))
    theirs = Bandit(X, gp, GPUCBPE(3))
    for _ in range(3):
        picks = ours.ask().indices
        assert picks.tolist() == theirs.ask().indices.tolist()
        y = np.sin(X[picks, 0] / 50)
        ours.tell(picks, y)
        theirs.tell(picks, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: UnitCube([(1, 1)]),
        lambda: UnitCube.around(np.empty((0, 2))),
        lambda: UnitCube.around([[np.nan]]),
        lambda: UnitCube([(0, 1)]).scale([[0.0, 1.0]]),
        lambda: UnitCube([(0, 1)]).unscale(["a"]),
    ],
)
def test_what_is_refused(make: object) -> None:
    with pytest.raises(InputError):
        make()  # type: ignore[operator]
