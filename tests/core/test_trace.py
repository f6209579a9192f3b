"""The record of a run: frozen, whole, and its regrets those of the true values."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, Trace, problems, regret, simulate


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Six batches of three on 25 candidates."""
    problem = problems.generated_gp(2, noise_variance=0.04, resolution=5)
    return simulate(problem, GPUCBPE(3), batches=6, initial=4, seed=8)


def test_shapes(trace: Trace) -> None:
    """T batches of K, after the initial observations."""
    assert (len(trace.iterations), trace.initial, trace.seed) == (6, 4, 8)
    assert trace.y.shape == (4 + 6 * 3,)
    assert trace.values.shape == (6, 3)
    assert trace.posterior.n == 22


def test_values_are_the_truth_at_the_picks(trace: Trace) -> None:
    """Not what was measured there."""
    for t, iteration in enumerate(trace.iterations):
        expected = trace.problem.values[iteration.decision.indices]
        np.testing.assert_array_equal(iteration.values, expected)
        np.testing.assert_array_equal(trace.values[t], expected)
        assert not np.array_equal(iteration.y, expected)


def test_regrets_are_on_the_truth(trace: Trace) -> None:
    """f* - f(x), initial points not counted."""
    best = trace.problem.values.max()
    gaps = best - trace.values
    np.testing.assert_allclose(trace.simple_regret, gaps.min(axis=1))
    np.testing.assert_allclose(trace.running_minimum, np.minimum.accumulate(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.batch_cumulative_regret, np.cumsum(gaps.min(axis=1)))
    np.testing.assert_allclose(trace.full_cumulative_regret, np.cumsum(gaps.sum(axis=1)))
    np.testing.assert_array_equal(trace.simple_regret, regret.simple(trace.values, best))
    assert (trace.simple_regret >= 0).all()
    assert (np.diff(trace.running_minimum) <= 0).all()
    assert (trace.batch_cumulative_regret <= trace.full_cumulative_regret).all()


def test_stepping_back(trace: Trace) -> None:
    """posterior.at(n) is the belief that each decision was made on."""
    for iteration in trace.iterations:
        made = iteration.decision
        belief = trace.posterior.at(made.n)
        again = trace.policy.decide(belief, made.t, trace.schedule)
        np.testing.assert_array_equal(again.indices, made.indices)
        np.testing.assert_array_equal(again.stds, made.stds)
        assert again.y_dot == made.y_dot
    assert trace.posterior.n == trace.y.size


def test_frozen(trace: Trace) -> None:
    """Neither the records nor their arrays can be changed."""
    with pytest.raises(FrozenInstanceError):
        trace.seed = 1
    with pytest.raises(FrozenInstanceError):
        trace.iterations[0].y = np.zeros(3)
    iteration = trace.iterations[0]
    arrays = [trace.y, trace.values, iteration.y, iteration.values, iteration.decision.indices]
    for array in [*arrays, trace.posterior.mean, trace.problem.values, trace.problem.candidates]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert isinstance(trace.iterations, tuple)


def test_records_that_hold_arrays_compare_by_identity() -> None:
    """Element-wise comparison has no truth value; `==` and hashing must still work."""
    trace = simulate(problems.figure1(), GPUCBPE(batch_size=2), batches=1, initial=0)
    again = simulate(problems.figure1(), GPUCBPE(batch_size=2), batches=1, initial=0)
    for record, other in (
        (trace, again),
        (trace.problem, again.problem),
        (trace.iterations[0].decision, again.iterations[0].decision),
    ):
        assert record == record
        assert record != other
        assert len({record, other}) == 2
