"""The logarithm of the schedules is the nearest float, whatever library NumPy has."""

from __future__ import annotations

import math
from decimal import Context, Decimal

import numpy as np
import pytest

from ucbpe_core.schedules import rounded_log


def test_it_is_the_nearest_float():
    exact = Context(prec=60)
    for x in np.exp(np.random.default_rng(0).uniform(-20, 40, 500)).tolist():
        assert rounded_log(x) == float(Decimal(x).ln(exact))


@pytest.mark.parametrize(
    ("x", "log"), [(2204.72838279134, 7.698359597885815), (1.535954245569327, 0.42915184624100516)]
)
def test_where_a_library_was_off_by_one_place(x, log):
    assert rounded_log(x) == log
    assert abs(math.log(x) - log) <= math.ulp(log)
