"""Rows across block boundaries: what is shared, what is copied."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core.rows import Key, Rows

WIDTH = 21
SIZES = [0, 1, 63, 64, 65, 128, 130]


def numbered(n: int) -> tuple[Rows, np.ndarray]:
    """n random rows, and the same as one array (n, WIDTH)."""
    V = np.random.default_rng(n).normal(size=(n, WIDTH))
    rows = Rows(WIDTH, 1.0)
    for i, row in enumerate(V):
        rows.append(Key(i % WIDTH, b"", None, float(i + 1), V[:i, i % WIDTH], 0.0, 0.0, 0.0), row)
    return rows, V


@pytest.mark.parametrize("n", SIZES)
def test_rows_are_one_array(n: int) -> None:
    """Rows, columns and combinations read as those of V, for every prefix length."""
    rows, V = numbered(n)
    assert len(rows.keys) == n
    for i in range(n):
        np.testing.assert_array_equal(rows[i], V[i])
    for m in {0, n // 2, min(n, 64), n}:
        weights = np.linspace(-1, 1, m)
        np.testing.assert_array_equal(rows.column(3, m), V[:m, 3])
        np.testing.assert_array_equal(rows.columns(np.array([7, 3, 7]), m), V[:m, [7, 3, 7]])
        np.testing.assert_allclose(rows.combine(weights), weights @ V[:m], atol=1e-12)


def test_a_branch_shares_whole_blocks() -> None:
    """Only the last, partly used block is copied."""
    rows, _ = numbered(130)
    branch = rows.branch(100)
    assert np.shares_memory(branch[63], rows[63])
    assert not np.shares_memory(branch[64], rows[64])


def test_keys_are_of_a_candidate_or_of_a_point() -> None:
    """A candidate is known by its index, any other point by its coordinates, both by the noise."""
    candidate, point = (Key(index, b"x", 0.5, 1.0, np.zeros(0), 0.0, 0.0, 0.0) for index in (3, -1))
    assert candidate.is_of(3, b"", 0.5)
    assert not candidate.is_of(4, b"x", 0.5)
    assert not candidate.is_of(-1, b"x", 0.5)
    assert point.is_of(-1, b"x", 0.5)
    assert not point.is_of(-1, b"y", 0.5)
    assert not point.is_of(3, b"x", 0.5)
    for key, index in ((candidate, 3), (point, -1)):
        assert not key.is_of(index, b"x", 0.25)
        assert not key.is_of(index, b"x", None)
