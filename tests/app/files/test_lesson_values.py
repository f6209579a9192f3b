"""Values of a recording: read back by a second implementation, they are what was put in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from tests.app.files.unpacking import unpacked
from ucbpe_app.files.recording import Values

PICTURE_STEPS, POINT_STEPS = 2**12, 2**20


def roundtrip(array: np.ndarray) -> np.ndarray:
    """An array, packed and unpacked."""
    values = Values()
    encoded = values.encode(array)
    return unpacked(*values.pack())[encoded["array"]]


@given(
    arrays_of.arrays(
        st.sampled_from([np.uint8, np.int32, np.int64]),
        arrays_of.array_shapes(max_dims=2, max_side=6),
        elements={"min_value": 0, "max_value": 255},
    )
)
def test_whole_numbers_come_back_exactly(array: np.ndarray) -> None:
    again = roundtrip(array)
    assert again.dtype == (np.int32 if array.dtype == np.int64 else array.dtype)
    np.testing.assert_array_equal(again, array)


numbers = st.floats(-1e9, 1e9, allow_subnormal=False)


@settings(max_examples=60)
@given(arrays_of.arrays(float, 4, elements=numbers | st.sampled_from([np.nan, np.inf, -np.inf])))
def test_points_come_back_to_a_millionth_of_their_range(array: np.ndarray) -> None:
    again, known = roundtrip(array), np.isfinite(array)
    np.testing.assert_array_equal(again[~known], array[~known])
    span = np.ptp(array[known]) if known.any() else 0.0
    assert np.abs(again[known] - array[known]).max(initial=0) <= span / POINT_STEPS


def test_a_large_offset_costs_no_precision() -> None:
    near = 1e9 + np.linspace(0, 1, 50)
    assert np.abs(roundtrip(near) - near).max() <= 1 / POINT_STEPS


@pytest.mark.parametrize("shrink", [1.0, 0.1, 0.01, 0.0])
@pytest.mark.parametrize("offset", [0.0, 2.0])
def test_a_picture_has_sixteen_steps_for_each_of_its_colours(shrink: float, offset: float) -> None:
    grid = np.linspace(0, 3, 40)
    picture = (np.sin(grid)[:, None] * np.cos(grid) * shrink + offset).astype(np.float32)
    picture[3, 4] = np.nan
    again = roundtrip(picture)
    assert again.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(again), np.isnan(picture))
    error = np.nanmax(np.abs(again.astype(float) - picture))
    assert error <= np.ptp(picture[~np.isnan(picture)]) / PICTURE_STEPS


def test_values_name_arrays_maps_and_what_json_has_no_number_for() -> None:
    values, long = Values(), [float(i) for i in range(100)]
    encoded = values.encode({1.5: "y•", "a": [np.float64(2), np.nan, None, long]})
    numbers = [2.0, {"number": "NaN"}, None, {"array": 0}]
    assert encoded == {"map": [[1.5, "y•"], ["a", numbers]]}
    with pytest.raises(TypeError, match="cannot hold a set"):
        values.encode({1})


def test_a_value_that_comes_again_is_the_same_place() -> None:
    values, kept, which = Values(), list[Any](), list[int]()
    first, second = np.arange(3.0), np.arange(4.0)
    for value in (first, first, second, first.copy()):
        values.put(kept, which, value, "key")
    assert which == [0, 0, 1, 0]
    assert kept == [{"array": 0}, {"array": 1}]
