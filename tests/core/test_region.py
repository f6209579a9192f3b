"""The tolerance of R and R+, and what a certificate bounds; `policies` has their definitions."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import problems, simulate, theory
from ucbpe_core.gp.region import certificate, relevant_region
from ucbpe_core.policies import GPUCBPE
from ucbpe_core.support.validation import Direction, sign_of

from .reference import examples
from .strategies import Instance, instances

betas = st.floats(0.01, 20.0)


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


@examples(30)
@given(
    instances(),
    betas,
    st.sampled_from(["maximize", "minimize"]),
    st.lists(st.floats(-1.0, 1.0), min_size=64, max_size=64),
    st.booleans(),
)
def test_a_certificate_bounds_the_regret_of_any_f_in_the_band(
    case: Instance, beta: float, direction: Direction, shares: list[float], given: bool
) -> None:
    """To the last bit, for any candidate; and f can come as close to it as it says."""
    mean, half, sign = case.posterior.mean, math.sqrt(beta) * case.posterior.std, sign_of(direction)
    low, high = mean - half, mean + half
    index = len(mean) // 2 if given else None
    found = certificate(case.posterior, beta, direction, index)
    assert index in (None, found.index)
    f = np.clip(mean + np.resize(shares, len(mean)) * half, low, high)
    best = f.max() if sign > 0 else f.min()
    assert sign * (best - f[found.index]) <= found.regret
    optimist, pessimist = (high, low) if sign > 0 else (low, high)
    worst = optimist.copy()
    worst[found.index] = pessimist[found.index]
    best = worst.max() if sign > 0 else worst.min()
    others = np.delete(sign * optimist, found.index)
    if len(others) and others.max() >= sign * optimist[found.index]:
        assert sign * (best - worst[found.index]) == found.regret
    if not given:  # and no other candidate has a smaller one
        every = [certificate(case.posterior, beta, direction, i) for i in range(len(mean))]
        assert found.regret == min(one.regret for one in every)
        assert (found.bound, found.extreme) == (
            pessimist[found.index],
            max(optimist) if sign > 0 else min(optimist),
        )


def test_the_certificates_of_a_run() -> None:
    """Each from the posterior of its own batch. One that f breaks has left its band."""
    trace = simulate(problems.thin_peak(), GPUCBPE(5), batches=30, initial=3, seed=3)
    band = theory.diagnose(trace)
    pairs = theory.certificates(trace)
    assert len(pairs) == 30
    for decision, (found, true), error, half in zip(
        trace.decisions, pairs, band.error, band.half_width, strict=True
    ):
        start = trace.posterior.at(decision.n)
        again = certificate(start, decision.beta)
        assert (again.index, again.regret) == (found.index, found.regret)
        assert found.bound == decision.y_dot
        assert true == trace.problem.values.max() - trace.problem.values[found.index]
        assert true <= found.regret or error > half
    assert any(true > found.regret for found, true in pairs)


def test_bounds_of_an_approximation_are_moved_outwards() -> None:
    """y. by the error of the lower bound, and R and R+ by those of the upper ones."""
    known = SimpleNamespace(
        mean=np.array([1.0, 0.2, -0.4, -1.5]), std=np.array([0.1, 0.2, 0.2, 0.3]),
        mean_error=np.array([0.01, 0.02, 0.03, 0.04]), std_error=np.array([0.1, 0.1, 0.0, 0.2]),
    )  # fmt: skip
    found = relevant_region(known, 4.0, 9.0)
    lower = [m - 2 * s - (e + 2 * r) for m, s, e, r in zip(*vars(known).values(), strict=True)]
    assert found.y_dot == pytest.approx(max(lower))
    for region, c in ((found.region, 2.0), (found.region_plus, 6.0)):
        upper = [m + c * s + e + c * r for m, s, e, r in zip(*vars(known).values(), strict=True)]
        np.testing.assert_array_equal(region, np.array(upper) >= max(lower))
