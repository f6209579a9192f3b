"""The record of a run: frozen, whole, and its regrets those of the true values."""

from __future__ import annotations

import hashlib
import struct
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    ConstantBeta,
    InputError,
    Posterior,
    Trace,
    problems,
    regret,
    simulate,
)


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Six batches of three on 25 candidates."""
    problem = problems.generated_gp(2, noise_variance=0.04, resolution=5)
    return simulate(problem, GPUCBPE(3), batches=6, initial=4, seed=8)


def test_shapes(trace: Trace) -> None:
    """T batches of K, after the initial observations."""
    assert (len(trace.decisions), trace.initial, trace.seed) == (6, 4, 8)
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
        again = trace.policy.decide(belief, made.t, trace.beta)
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
        (trace.decisions[0], again.decisions[0]),
    ):
        assert record == record
        assert record != other
        assert len({record, other}) == 2


def changed_pick(trace: Trace, t: int, k: int) -> Trace:
    """`trace` with another candidate as pick k of batch t, in the belief's own record of it."""
    rows, picks = trace.posterior, list(trace.posterior.conditioned_indices)
    n = trace.decisions[t].n + k
    picks[n] = (picks[n] + 1) % len(trace.problem.candidates)
    other = type(rows).prior(trace.gp, trace.problem.candidates).observe(picks, trace.y)
    return replace(trace, posterior=other)


def test_the_digest_is_that_of_the_documented_bytes(trace: Trace) -> None:
    """Packed one number after the other, without NumPy."""
    picks = trace.posterior.conditioned_indices
    betas = [decision.beta for decision in trace.decisions]
    assert picks[4:7] == tuple(trace.decisions[0].indices)
    message = struct.pack("<3q", 4, 6, 3) + struct.pack("<22q", *picks)
    message += struct.pack("<22d", *trace.y) + struct.pack("<6d", *betas)
    assert trace.digest == hashlib.sha256(message).hexdigest()
    noise = [None] * 21 + [0.5]
    rows = Posterior.prior(trace.gp, trace.problem.candidates).observe(picks, trace.y, noise)
    message += struct.pack("<22d", *[-1.0] * 21, 0.5)
    assert replace(trace, posterior=rows).digest == hashlib.sha256(message).hexdigest()


def test_the_same_run_has_the_same_digest(trace: Trace) -> None:
    again = simulate(trace.problem, GPUCBPE(3), batches=6, initial=4, seed=8)
    assert again is not trace
    assert again.digest == trace.digest
    # Another way to ask for the same beta_t makes the same run.
    four, half_of_eight = (
        simulate(trace.problem, GPUCBPE(3), beta=beta, batches=2, initial=4)
        for beta in (ConstantBeta(4.0), ConstantBeta(8.0, scale=0.5))
    )
    assert four.digest == half_of_eight.digest


def test_the_digest_differs_with_the_noise_given_for_measurements(trace: Trace) -> None:
    """And not where what is given is the prior's: those are the same run."""
    prior, chosen = Posterior.prior(trace.gp, trace.problem.candidates), trace.posterior

    def digest(noise: list[float | None] | None) -> str:
        told = prior.observe(chosen.conditioned_indices, trace.y, noise)
        return replace(trace, posterior=told).digest

    n, usual = len(trace.y), trace.gp.noise_variance
    none: list[float | None] = [None] * n
    assert digest(None) == digest(none) == digest([usual] * n) == trace.digest
    different = {trace.digest, digest([2 * usual] * n), digest([3 * usual] * n)}
    different |= {digest([*none[:i], 2 * usual, *none[i + 1 :]]) for i in range(n)}
    assert len(different) == 3 + n
    assert digest([2 * usual, *none[1:]]) == digest([2 * usual, *[usual] * (n - 1)])


def test_the_digest_differs_with_any_pick_measurement_or_beta(trace: Trace) -> None:
    digests = {trace.digest}
    for n in range(trace.y.size):
        y = trace.y.copy()
        y[n] = np.nextafter(y[n], np.inf)
        digests.add(replace(trace, y=y).digest)
    for t in range(6):
        digests.update(changed_pick(trace, t, k).digest for k in range(3))
        decision = trace.decisions[t]
        other = replace(decision, beta=np.nextafter(decision.beta, np.inf))
        iterations = list(trace.iterations)
        iterations[t] = replace(iterations[t], decision=other)
        digests.add(replace(trace, iterations=tuple(iterations)).digest)
    digests.add(replace(trace, initial=1, policy=GPUCBPE(2)).digest)
    assert len(digests) == 1 + 22 + 6 * 3 + 6 + 1


def test_a_run_as_a_table(trace: Trace) -> None:
    """A row for each measurement, with the columns of the CSV."""
    frame = trace.to_frame()
    T, K = trace.values.shape
    assert (frame["t"] == 0).sum() == trace.initial
    np.testing.assert_array_equal(frame["y"], trace.y)
    picks = frame[frame["t"] > 0].reset_index(drop=True)
    assert picks[["t", "k"]].to_numpy().tolist() == [
        [t, k] for t in range(1, T + 1) for k in range(K)
    ]
    np.testing.assert_array_equal(picks["true_value"], trace.values.ravel())
    inputs = frame.filter(regex="^input ")
    np.testing.assert_array_equal(inputs, trace.problem.candidates[frame["candidate"]])
    last = picks.groupby("t").last()
    for name in ("simple_regret", "running_minimum", "batch_cumulative_regret"):
        np.testing.assert_array_equal(last[name], getattr(trace, name))
    np.testing.assert_array_equal(last["full_cumulative_regret"], trace.full_cumulative_regret)


def test_without_pandas_the_error_names_the_extra(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pandas to be installed; .*pip install 'ucbpe\[study\]'"):
        trace.to_frame()
