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


def test_regrets_are_on_the_truth(trace: Trace) -> None:
    """f* - f(x), initial points not counted."""
    best = trace.problem.values.max()
    gaps = best - trace.values
    np.testing.assert_allclose(trace.simple_regret, gaps.min(axis=1))
    np.testing.assert_allclose(trace.running_minimum, np.minimum.accumulate(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.batch_cumulative_regret, np.cumsum(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.full_cumulative_regret, np.cumsum(gaps.sum(axis=1)))


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
