"""Packed arrays: read back by a second implementation, they are what was put in."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from tests.app.export.unpacking import unpacked
from ucbpe_app.export.lesson.arrays import Arrays
from ucbpe_app.export.lesson.values import Values

PICTURE_STEPS, POINT_STEPS = 2**16, 2**20


def roundtrip(*given: np.ndarray) -> list[np.ndarray]:
    """These arrays as one chain, packed and unpacked."""
    arrays = Arrays()
    numbers = [arrays.add(one, "chain") for one in given]
    found = unpacked(*arrays.pack())
    return [found[number] for number in numbers]


@given(
    arrays_of.arrays(
        st.sampled_from([np.uint8, np.int32]),
        arrays_of.array_shapes(max_dims=2, max_side=6),
        elements={"min_value": 0, "max_value": 255},
    )
)
def test_whole_numbers_come_back_exactly(array):
    (again,) = roundtrip(array)
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


numbers = st.floats(-1e9, 1e9, allow_subnormal=False)


@settings(max_examples=60)
@given(st.lists(arrays_of.arrays(float, 4, elements=numbers | st.just(np.nan)), max_size=4))
def test_points_come_back_to_a_millionth_of_their_range_and_nan_as_nan(given):
    for array, again in zip(given, roundtrip(*given), strict=True):
        np.testing.assert_array_equal(np.isnan(again), np.isnan(array))
        known = array[~np.isnan(array)]
        # Where NaN was, the last number before it or 0 stands in, and belongs to the range.
        span = np.ptp([*known, 0.0]) if np.isnan(array).any() else np.ptp(known)
        rounding = 1e-15 * np.abs(known).max(initial=0)
        error = np.abs(again - array)[~np.isnan(array)]
        assert error.max(initial=0) <= span / POINT_STEPS + rounding


def test_a_run_of_pictures_keeps_its_precision_while_it_shrinks_a_hundredfold():
    grid = np.linspace(0, 3, 40)
    field = np.sin(grid)[:, None] * np.cos(grid)[None, :] + 2
    given = [(field * shrink).astype(np.float32) for shrink in np.geomspace(1, 0.01, 12)]
    for array, again in zip(given, roundtrip(*given), strict=True):
        assert again.dtype == np.float32
        assert np.abs(again.astype(float) - array).max() <= np.ptp(array) / PICTURE_STEPS


def test_a_large_offset_costs_no_precision():
    first = 1e9 + np.linspace(0, 1, 50)
    for array, again in zip((first, first + 0.1), roundtrip(first, first + 0.1), strict=True):
        assert np.abs(again - array).max() <= 1 / POINT_STEPS + 1e-6


def test_no_array_is_stored_twice():
    arrays = Arrays()
    one = np.arange(5.0)
    assert arrays.add(one, "a") == arrays.add(one.copy(), "b") == 0
    assert arrays.add(one.astype(np.float32), "a") == 1  # it means another type in the browser
    assert len(arrays) == 2


def test_a_std_that_changes_around_a_pick_takes_a_sixth_of_its_bytes():
    x = np.linspace(-5, 5, 101)
    pictures, field = [], 10 + np.cos(x)[:, None] * np.sin(x)[None, :]
    for place in np.random.default_rng(0).uniform(-4, 4, (20, 2)):
        far = (x[:, None] - place[0]) ** 2 + (x[None, :] - place[1]) ** 2
        field = field * (1 - 0.5 * np.exp(-2 * far))
        pictures.append(field.astype(np.float32))
    arrays = Arrays()
    for picture in pictures:
        arrays.add(picture, "std")
    block = arrays.pack()[1]
    assert len(zlib.compress(block, 9)) < sum(one.nbytes for one in pictures) / 6


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([1.0], ">f8")])
def test_what_a_browser_has_no_use_for_is_refused(array):
    with pytest.raises(TypeError, match="cannot hold numbers of type"):
        Arrays().add(array, "a")


def test_an_infinite_number_is_refused():
    with pytest.raises(ValueError, match="infinite"):
        Arrays().add(np.array([1.0, np.inf]), "a")


def test_values_name_arrays_maps_and_what_json_has_no_number_for():
    values, long = Values(), [float(i) for i in range(100)]
    encoded = values.encode({1.5: "y•", "a": [np.float64(2), np.nan, None, long]}, "chain")
    numbers = [2.0, {"number": "NaN"}, None, {"array": 0}]
    assert encoded == {"map": [[1.5, "y•"], ["a", numbers]]}
    with pytest.raises(TypeError, match="cannot hold a set"):
        values.encode({1}, "chain")


def test_a_value_that_comes_again_is_the_same_place():
    values, kept, which = Values(), list[Any](), list[int]()
    first, second = np.arange(3.0), np.arange(4.0)
    for value in (first, first, second, first.copy()):
        values.put(kept, which, value, "chain")
    assert which == [0, 0, 1, 0]
    assert kept == [{"array": 0}, {"array": 1}]
