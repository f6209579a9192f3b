"""y_dot, R and R+: their definitions and what always holds of them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core.region import relevant_region

from .reference import SlowBatch, assert_mask, examples
from .strategies import Instance, instances

betas = st.floats(0.01, 20.0)
growths = st.floats(1.0, 1.5)


@examples(40)
@given(instances(), betas, growths)
def test_definitions(case: Instance, beta: float, growth: float) -> None:
    """By dense solves: y_dot = max lower, R = {upper >= y_dot}, R+ doubles sqrt(beta_(t+1))."""
    slow = SlowBatch(case.gp, case.candidates, case.members, case.y, beta, beta * growth)
    found = relevant_region(case.posterior, beta, beta * growth)
    assert math.isclose(found.y_dot, slow.y_dot, abs_tol=1e-8)
    assert_mask(found.region, slow.region_margin)
    assert_mask(found.region_plus, slow.region_plus_margin)


def test_the_tolerance_of_the_masks() -> None:
    """(1 + c) times that of the mean; a copy of a posterior without tolerances has none."""
    known = SimpleNamespace(mean=np.array([1.0, 0.0, 0.999, 0.9944]), std=np.zeros(4))
    np.testing.assert_array_equal(
        relevant_region(known, 4.0, 9.0).region, [True, False, False, False]
    )
    known.tolerance = 1e-3
    found = relevant_region(known, 4.0, 9.0)  # (1 + 2) and (1 + 6) thousandths below 1
    np.testing.assert_array_equal(found.region, [True, False, True, False])
    np.testing.assert_array_equal(found.region_plus, [True, False, True, True])
