"""Shares of targets, of gaps made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import _profiles


def test_a_share_of_targets_is_counted_over_runs_and_targets() -> None:
    """One run reaches all 16 at once, the other the 8 that are above 10^-2.1."""
    gaps = np.array([[1.0, 0.0], [1.0, 10**-2.1]])
    assert _profiles.shares(gaps).tolist() == [0.0, (16 + 8) / 32]


def test_gaps_are_relative_to_random_points_of_the_same_seed() -> None:
    functions = {
        1: {"Sobol": np.array([[4.0, 2.0]]), "Recommended": np.array([[2.0, 1e-10]])},
        8: {"Sobol": np.array([[100.0, 50.0]]), "Recommended": np.array([[10.0, 1.0]])},
    }
    found = _profiles.of_functions(functions, "Sobol")
    assert found["Random"].tolist() == [[1.0, 0.5], [1.0, 0.5]]
    assert found["Recommended"] == pytest.approx(np.array([[0.5, 0.0], [0.1, 0.01]]))


def test_a_method_that_lacks_a_function_is_not_drawn() -> None:
    functions = {
        1: {"Sobol": np.ones((1, 4)), "few": np.ones((1, 4))},
        8: {"Sobol": np.ones((1, 4))},
    }
    assert set(_profiles.of_functions(functions, "Sobol")) == {"Random"}
