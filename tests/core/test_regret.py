"""Regrets against their definitions, written as loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ucbpe_core import regret

from .reference import examples
from .strategies import Floats

values = arrays(
    float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(-100, 100)
)


@examples(100)
@given(values, st.floats(0, 50))
def test_definitions(values: Floats, above: float) -> None:
    """r_t^K, its running minimum, R_T^K and R_TK, one number at a time."""
    optimum = float(values.max()) + above
    simple, least, batch, full = [], [], [], []
    for row in values.tolist():
        regrets = [optimum - value for value in row]
        simple.append(min(regrets))
        least.append(min(simple))
        batch.append(sum(simple))
        full.append(sum(regrets) + (full[-1] if full else 0.0))
    np.testing.assert_allclose(regret.simple(values, optimum), simple, atol=1e-9)
    np.testing.assert_allclose(regret.running_minimum(values, optimum), least, atol=1e-9)
    np.testing.assert_allclose(regret.batch_cumulative(values, optimum), batch, atol=1e-9)
    np.testing.assert_allclose(regret.full_cumulative(values, optimum), full, atol=1e-9)
