"""Simulated runs: an ask/tell loop, common random numbers, the record of a run, and regrets."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.core.reference import examples
from tests.core.runs import assert_equal_fields, told_with
from tests.core.strategies import Floats
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    FiniteBeta,
    InputError,
    Policy,
    Trace,
    problems,
    regret,
    simulate,
    theory,
)
from ucbpe_core.policies import GPUCB, GreedyUCB, LocalPenalization, PureExploration, RandomSearch

ALL = [GPUCBPE(4), GPUCB(), GreedyUCB(4), PureExploration(4), RandomSearch(4)]


def small(noise_variance: float = 0.25) -> problems.Problem:
    """49 candidates in the plane."""
    return problems.generated_gp(
        5, nu=2.5, noise_variance=noise_variance, lengthscale=0.3, resolution=7
    )


def noise(trace: Trace) -> np.ndarray:
    """What measurement added to the truth, shape (initial + T K,)."""
    return trace.y - trace.problem.values[list(trace.posterior.conditioned_indices)]


@pytest.mark.parametrize("policy", ALL, ids=repr)
def test_it_is_the_ask_tell_loop(policy: Policy) -> None:
    """One written by hand, fed with the run's own measurements, has its history but for times."""
    problem, beta = small(), FiniteBeta(delta=0.05, scale=0.2)
    trace = simulate(problem, policy, beta=beta, batches=5, initial=6, seed=3)
    bandit = Bandit(problem.candidates, problem.gp, trace.policy, beta)
    bandit.tell(trace.posterior.conditioned_indices[:6], trace.y[:6])
    for made in trace.decisions:
        decision = bandit.ask()
        assert_equal_fields(decision, made)
        bandit.tell(decision.indices, trace.y[made.n : made.n + policy.batch_size])
    history = bandit.history
    assert trace.history.plans == history.plans
    assert trace.history.trials == tuple(trial._replace(time="") for trial in history.trials)
    assert trace.history.batches == tuple(batch._replace(time="") for batch in history.batches)
    np.testing.assert_array_equal(bandit.posterior.mean, trace.posterior.mean)
    np.testing.assert_array_equal(bandit.posterior.std, trace.posterior.std)


def test_policies_share_their_random_numbers() -> None:
    """With one seed: the same initial points and values, the same noise at each (t, k)."""
    runs = [simulate(small(), policy, batches=4, initial=6, seed=9) for policy in ALL]
    starts = {run.posterior.conditioned_indices[:6] for run in runs}
    assert len(starts) == 1
    for run in runs[1:]:
        np.testing.assert_array_equal(run.y[:6], runs[0].y[:6])
    for run in runs:
        K = run.policy.batch_size
        added = noise(run)[6:].reshape(4, K)
        expected = noise(runs[0])[6:].reshape(4, 4)[:, :K]
        np.testing.assert_allclose(added, expected, atol=1e-12)


def test_noise_is_new_in_each_batch_and_has_the_problems_variance() -> None:
    """2000 measurements with noise variance 4 scatter by 2 about the truth, none like another."""
    added = noise(simulate(small(4.0), RandomSearch(49), batches=41, initial=5, seed=0))
    assert len(np.unique(added.round(9))) == 5 + 41 * 49
    assert added.std() == pytest.approx(2.0, rel=0.06)
    assert added.mean() == pytest.approx(0.0, abs=0.2)
    np.testing.assert_array_equal(noise(simulate(small(0.0), GPUCBPE(3), batches=2)), 0)


def test_the_problems_own_observations_come_first() -> None:
    """Figure 1 starts from its four points, with their printed values."""
    problem = problems.figure1()
    run = simulate(problem, GPUCBPE(2), batches=1, initial=3)
    assert run.initial == 7
    assert run.posterior.conditioned_indices[:4] == tuple(problem.observed)
    np.testing.assert_array_equal(run.y[:4], problem.observed_y)
    assert run.decisions[0].n == 7
    assert simulate(problem, GPUCBPE(2), batches=1, initial=0).initial == 4


def test_a_run_of_several_priors_is_not_taken_for_one_of_one() -> None:
    trace = simulate(small(), GPUCBPE(3), batches=2, initial=5, refit_every=1)
    for use in (theory.first_exit, theory.gain_of_run):
        with pytest.raises(InputError, match=r"one prior.*before batches \[2\]; .*refit_every"):
            use(trace)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"batches": 0}, "batches of at least 1"),
        ({"initial": -1}, "initial of at least 0"),
        ({"seed": -1}, "seed of at least 0"),
        ({"refit_every": 0}, "refit_every of at least 1"),
        ({"policy": "GP-UCB-PE"}, "a Policy; got str"),
        ({"policy": LocalPenalization(50)}, "batch_size of at most 49"),
        ({"problem": np.zeros(3)}, "a Problem; got ndarray"),
        ({"gp": RBF()}, "a GaussianProcess; got RBF"),
    ],
)
def test_bad_runs_are_refused(arguments: dict[str, object], what: str) -> None:
    """Counts below their minimum, more initial points than candidates, the wrong kind."""
    usual = {"problem": small(), "policy": GPUCB(), "batches": 1, "initial": 2}
    with pytest.raises(InputError, match=what):
        simulate(**{**usual, **arguments})


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
