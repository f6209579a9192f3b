"""What the lemmas speak of, at every batch, of a run and of its negative."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, Policy, Trace, problems, simulate, theory
from ucbpe_core.policies import GPBUCB, GPUCB, GreedyUCB, RandomSearch, ThompsonSampling

from .runs import small_run

POLICIES = (GPUCBPE(3), GPUCB(), GreedyUCB(3), GPBUCB(3), RandomSearch(3), ThompsonSampling(3))


@pytest.fixture(params=POLICIES, ids=lambda policy: policy.name, scope="module")
def trace(request: pytest.FixtureRequest) -> Trace:
    policy: Policy = request.param
    return small_run(policy)


def test_beliefs_are_those_of_the_run(trace: Trace) -> None:
    found = list(theory.batch_moments(trace))
    ends = [*(decision.n for decision in trace.decisions), trace.posterior.n]
    for belief, n in zip(found, ends, strict=True):
        assert belief.mean.tobytes() == trace.posterior.at(n).mean.tobytes()
        assert belief.std.tobytes() == trace.posterior.at(n).std.tobytes()
        assert not belief.mean.flags.writeable
        assert not belief.std.flags.writeable


def test_a_course_is_read_only_and_knows_its_prior(trace: Trace) -> None:
    course = theory.diagnose(trace)
    assert not course.stds.flags.writeable
    assert not course.outside.flags.writeable
    assert course.batch_size == trace.policy.batch_size
    assert course.prior_variance == pytest.approx(0.9)  # 0.6 + 0.3
    assert course.noise_variance == 0.2


def test_every_maximiser_counts() -> None:
    """A plateau: each of its three points is looked at."""
    f = np.array([0.0, 1.0, 1.0, 0.2, 1.0])
    problem = problems.from_table(np.arange(5.0)[:, None], f, noise_variance=0.1)
    course = theory.diagnose(simulate(problem, GPUCBPE(2), batches=3, initial=1))
    assert course.best_mean.shape == course.best_std.shape == (3, 3)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_cost_has_the_lemmas_of_its_negative(policy: Policy) -> None:
    """The run that maximises -f is the second implementation; a prior mean changes its sign."""
    gp = replace(small_run(policy).gp, mean=0.4)
    gain = replace(small_run(policy).problem, noise_variance=0.0)
    cost = replace(gain, values=-gain.values, direction="minimize")
    run = {"batches": 3, "initial": 4, "seed": 1}
    high = simulate(gain, policy, replace(gp, mean=-0.4), **run)  # type: ignore[arg-type]
    low = simulate(cost, policy, gp, **run)  # type: ignore[arg-type]
    mine, theirs = theory.diagnose(low), theory.diagnose(high)
    for one in fields(theory.RunDiagnostics):
        np.testing.assert_array_equal(getattr(mine, one.name), getattr(theirs, one.name))
    for own, other in zip(theory.check_lemmas(mine), theory.check_lemmas(theirs), strict=True):
        np.testing.assert_array_equal(own.holds, other.holds)
    assert theory.first_exit(low) == theory.first_exit(high)
    for t, (count, decision) in enumerate(zip(mine.outside, high.decisions, strict=True)):
        start = high.posterior.at(decision.n)
        width = decision.sqrt_beta * start.std
        assert count == np.count_nonzero(np.abs(gain.values - start.mean) > width), t


def test_the_first_pick_to_come_is_the_one_that_a_longer_run_makes() -> None:
    """GP-BUCB, whose first three batches initialise: the last batch says what it goes by."""
    problem = problems.multimodal()
    short, longer = (
        theory.diagnose(simulate(problem, GPBUCB(3, C=1.0), batches=T, initial=3, seed=1))
        for T in (5, 6)
    )
    np.testing.assert_array_equal(short.next_std, longer.next_std[:5])
    np.testing.assert_array_equal(short.ahead_mean[:, 0], longer.ahead_mean[:5, 0])
    assert np.isfinite(short.next_std).all()
