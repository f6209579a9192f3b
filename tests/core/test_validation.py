"""The checks behind every public entry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ucbpe_core import InputError
from ucbpe_core.validation import (
    count,
    fraction,
    frozen_copy,
    indices,
    non_negative,
    points,
    positive,
    read_only,
    real,
    values,
)


def test_points() -> None:
    """Rows are points; a flat list is points of one dimension."""
    assert points([[1, 2], [3, 4]], "X").dtype == np.float64
    assert points([1, 2, 3], "X").shape == (3, 1)
    assert points([1, 2, 3], "X", 1).shape == (3, 1)
    assert points(np.empty((0, 2)), "X", 2).shape == (0, 2)


@pytest.mark.parametrize(
    ("array", "dimension"),
    [
        (3.0, None),
        ([1.0, 2.0], 2),
        (np.zeros((2, 3)), 2),
        (np.zeros((2, 0)), None),
        (np.zeros((1, 2, 3)), None),
        ([[1.0], [1.0, 2.0]], None),
        ([["a"]], None),
        ([[1.0, None]], None),
        ([[1.0, np.nan]], None),
        ([[np.inf]], None),
        (np.array([[1j]]), None),
        ([10**400], None),
        ({}, None),
    ],
)
def test_bad_points(array: object, dimension: int | None) -> None:
    """Wrong shapes and anything but finite real numbers."""
    with pytest.raises(InputError, match=r"^expected X .*; got .*; "):
        points(array, "X", dimension)


def test_values() -> None:
    """One per point; a single number counts as one."""
    np.testing.assert_array_equal(values([1, 2], "y", 2), [1.0, 2.0])
    np.testing.assert_array_equal(values(5, "y", 1), [5.0])
    assert values([], "y", 0).shape == (0,)


@pytest.mark.parametrize("array", [[1.0], [[1.0, 2.0]], [1.0, np.nan], [1.0, "b"], 3.0, [1, 2j]])
def test_bad_values(array: object) -> None:
    """Wrong shapes and anything but finite real numbers."""
    with pytest.raises(InputError, match=r"^expected y .*; got .*; "):
        values(array, "y", 2)


def test_the_bad_entry_is_named() -> None:
    """The message says which entry is not finite."""
    with pytest.raises(InputError, match="got nan at position 2"):
        values([0.0, 1.0, np.nan], "y", 3)
    with pytest.raises(InputError, match=r"got -inf at position \(1, 0\)"):
        points([[0.0], [-np.inf]], "X")


def test_indices() -> None:
    """Any whole type, any number of them."""
    for array in ([0, 4], np.array([0, 4], np.uint8), (0, 4)):
        np.testing.assert_array_equal(indices(array, 5), [0, 4])
    np.testing.assert_array_equal(indices(3, 5), [3])
    assert indices([], 5).dtype == np.intp


@pytest.mark.parametrize(
    "array", [[5], [-1], [0.0], [True], ["0"], [None], None, [[0]], [[0], [1, 2]], [0, 2**40]]
)
def test_bad_indices(array: object) -> None:
    """Outside 0 .. size - 1 (negative ones too), or no whole numbers."""
    with pytest.raises(InputError, match=r"^expected indices .*; got .*; "):
        indices(array, 5)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (real, [0, -1.5, np.float32(2)], [np.nan, np.inf, "1", None, 10**400, 1j, [1, 2]]),
        (positive, [1e-300, 5], [0, -1, np.nan, "1"]),
        (non_negative, [0, 3.5], [-1e-300, np.inf]),
        (fraction, [0.5, 1e-9], [0, 1, -0.1, 2, np.nan]),
        (count, [1, 7, np.int64(3)], [0, -1, 1.0, "2", None]),
    ],
)
def test_numbers(check: Callable[[object, str], float], good: list, bad: list) -> None:
    """Good numbers come back as they were, bad ones raise with the name they go by."""
    for value in good:
        assert check(value, "size") == value
    for value in bad:
        with pytest.raises(InputError, match=r"^expected size .*; got .*; "):
            check(value, "size")


def test_count_from_a_minimum() -> None:
    """The minimum is part of the message."""
    assert count(0, "initial", minimum=0) == 0
    with pytest.raises(InputError, match="initial of at least 0; got -1"):
        count(-1, "initial", minimum=0)


def test_read_only() -> None:
    """A view that refuses writing; a frozen copy is out of the caller's reach."""
    array = np.zeros(2)
    view, copy = read_only(array), frozen_copy(array)
    array[0] = 1.0
    assert view[0] == 1.0
    assert copy[0] == 0.0
    for shown in (view, copy):
        with pytest.raises(ValueError, match="read-only"):
            shown[1] = 1.0
