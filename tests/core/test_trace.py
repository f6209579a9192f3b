"""The record of a run: frozen, whole, and its regrets those of the true values."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest

from tests.core.runs import told_with
from ucbpe_core import (
    GPUCBPE,
    Trace,
    problems,
    simulate,
)


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Six batches of three on 25 candidates."""
    problem = problems.generated_gp(2, noise_variance=0.04, resolution=5)
    return simulate(problem, GPUCBPE(3), batches=6, initial=4, seed=8)


def test_values_are_the_truth_at_the_picks(trace: Trace) -> None:
    """T batches of K, after the initial observations; not what was measured there."""
    assert (len(trace.decisions), trace.initial, trace.seed) == (6, 4, 8)
    assert (trace.y.shape, trace.values.shape, trace.posterior.n) == ((4 + 6 * 3,), (6, 3), 22)
    expected = [trace.problem.values[decision.indices] for decision in trace.decisions]
    np.testing.assert_array_equal(trace.values, expected)
    assert not np.isclose(trace.y[4:].reshape(6, 3), expected).any()


def test_regrets_are_on_the_truth(trace: Trace) -> None:
    """f* - f(x), initial points not counted."""
    best = trace.problem.values.max()
    gaps = best - trace.values
    np.testing.assert_allclose(trace.simple_regret, gaps.min(axis=1))
    np.testing.assert_allclose(trace.running_minimum, np.minimum.accumulate(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.batch_cumulative_regret, np.cumsum(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.full_cumulative_regret, np.cumsum(gaps.sum(axis=1)))


def test_records_that_hold_arrays_compare_by_identity() -> None:
    """Element-wise comparison has no truth value; `==` and hashing must still work."""
    trace = simulate(problems.figure1(), GPUCBPE(batch_size=2), batches=1, initial=0)
    again = simulate(problems.figure1(), GPUCBPE(batch_size=2), batches=1, initial=0)
    for record, other in (
        (trace, again),
        (trace.problem, again.problem),
        (trace.decisions[0], again.decisions[0]),
    ):
        assert record == record
        assert record != other
        assert len({record, other}) == 2


def test_the_digest_is_that_of_the_documented_bytes(trace: Trace) -> None:
    """Packed one number after the other, without NumPy."""
    picks = trace.posterior.conditioned_indices
    betas = [decision.beta for decision in trace.decisions]
    assert picks[4:7] == tuple(trace.decisions[0].indices)
    message = struct.pack("<3q", 4, 6, 3) + struct.pack("<22q", *picks)
    message += struct.pack("<22d", *trace.y) + struct.pack("<6d", *betas)
    assert trace.digest == hashlib.sha256(message).hexdigest()
    message += struct.pack("<22d", *[-1.0] * 21, 0.5)
    noisy = told_with(trace, [None] * 21 + [0.5])
    assert noisy.digest == hashlib.sha256(message).hexdigest()


def test_the_digest_differs_with_the_noise_given_for_measurements(trace: Trace) -> None:
    """And not where what is given is the prior's: those are the same run."""

    def digest(noise: list[float | None] | None) -> str:
        return told_with(trace, noise).digest

    n, usual = len(trace.y), trace.gp.noise_variance
    none: list[float | None] = [None] * n
    assert digest(None) == digest(none) == digest([usual] * n) == trace.digest
    first = digest([2 * usual, *none[1:]])
    assert first == digest([2 * usual, *[usual] * (n - 1)]) != trace.digest
