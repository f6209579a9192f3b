"""What the lemmas speak of, against dense solves at every batch."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, Policy, Trace, problems, simulate, theory
from ucbpe_core.policies import GPBUCB, GPUCB, GreedyUCB, RandomSearch, ThompsonSampling

from .reference import SlowBatch, dense, dense_std
from .runs import small_run

POLICIES = (GPUCBPE(3), GPUCB(), GreedyUCB(3), GPBUCB(3), RandomSearch(3), ThompsonSampling(3))


@pytest.fixture(params=POLICIES, ids=lambda policy: policy.name, scope="module")
def trace(request: pytest.FixtureRequest) -> Trace:
    policy: Policy = request.param
    return small_run(policy)


def members_at(trace: Trace, t: int) -> list[int]:
    """Candidates measured before batch t."""
    return list(trace.posterior.conditioned_indices[: trace.iterations[t - 1].decision.n])


def slow(trace: Trace, t: int) -> SlowBatch:
    told = members_at(trace, t)
    decision = trace.iterations[t - 1].decision
    y = trace.y[: len(told)]
    return SlowBatch(trace.gp, trace.problem.candidates, told, y, decision.beta, decision.beta_next)


def test_beliefs_are_those_of_a_dense_solve_and_of_the_run(trace: Trace) -> None:
    X = trace.problem.candidates
    found = list(theory.batch_moments(trace))
    assert len(found) == len(trace.iterations) + 1
    ends = [*(iteration.decision.n for iteration in trace.iterations), trace.posterior.n]
    for belief, n in zip(found, ends, strict=True):
        members = list(trace.posterior.conditioned_indices[:n])
        mean, cov = dense(trace.gp, X[members], trace.y[:n], X)
        np.testing.assert_allclose(belief.mean, mean, atol=1e-9)
        np.testing.assert_allclose(belief.std, np.sqrt(np.diag(cov)), atol=1e-8)
        assert belief.mean.tobytes() == trace.posterior.at(n).mean.tobytes()
        assert belief.std.tobytes() == trace.posterior.at(n).std.tobytes()
        assert not belief.mean.flags.writeable
        assert not belief.std.flags.writeable


def test_deviations_and_regrets(trace: Trace) -> None:
    """std_t^k(x_t^k) given all before it, std_t(x_t^k) at batch start, and f* - f(x_t^k)."""
    course, X = theory.diagnose(trace), trace.problem.candidates
    T, K = len(trace.iterations), trace.policy.batch_size
    assert course.stds.shape == course.start_stds.shape == course.regrets.shape == (T, K)
    for t, iteration in enumerate(trace.iterations, 1):
        picks, before = iteration.decision.indices.tolist(), members_at(trace, t)
        for k, j in enumerate(picks):
            given = dense_std(trace.gp, X[before + picks[:k]], X[[j]])[0]
            start = dense_std(trace.gp, X[before], X[[j]])[0]
            assert course.stds[t - 1, k] == pytest.approx(given, abs=1e-8)
            assert course.start_stds[t - 1, k] == pytest.approx(start, abs=1e-8)
            expected = trace.problem.values.max() - trace.problem.values[j]
            assert course.regrets[t - 1, k] == expected
        np.testing.assert_allclose(course.stds[t - 1], iteration.decision.stds, atol=1e-9)


def test_the_band_and_the_optimum(trace: Trace) -> None:
    course, f = theory.diagnose(trace), trace.problem.values
    best = int(np.argmax(f))
    for t in range(1, len(trace.iterations) + 1):
        batch = slow(trace, t)
        std = batch.std([])
        margin = np.sqrt(batch.beta) * std - np.abs(f - batch.mean)
        found = course.half_width[t - 1] - course.error[t - 1]
        assert found == pytest.approx(margin.min(), abs=1e-8)
        assert course.outside[t - 1] == np.count_nonzero(margin < 0)
        assert course.y_dot[t - 1] == pytest.approx(batch.y_dot, abs=1e-8)
        assert course.best_mean[t - 1] == pytest.approx(batch.mean[best], abs=1e-8)
        assert course.best_std[t - 1] == pytest.approx(std[best], abs=1e-8)


def test_the_next_picks(trace: Trace) -> None:
    """Of batch T + 1 only the maximiser of the upper bound is known, where batches begin so."""
    course, T = theory.diagnose(trace), len(trace.iterations)
    for t in range(1, T + 1):
        batch = slow(trace, t)
        if t < T:
            ahead = trace.iterations[t].decision.indices
            np.testing.assert_allclose(course.ahead_mean[t - 1], batch.mean[ahead], atol=1e-8)
            np.testing.assert_allclose(course.ahead_std[t - 1], batch.std([])[ahead], atol=1e-8)
            expected = slow(trace, t + 1).std([])[ahead[0]]
            assert course.next_std[t - 1] == pytest.approx(expected, abs=1e-8)
    last = trace.iterations[-1].decision
    known = last.roles[0] == "ucb"
    assert np.isfinite(course.next_std[-1]) == np.isfinite(course.ahead_std[-1, 0]) == known
    assert np.isnan(course.ahead_mean[-1, 1:]).all()
    if known:
        longer = trace.policy.decide(trace.posterior, T + 1, trace.schedule)
        assert course.next_std[-1] == pytest.approx(longer.stds[0], abs=1e-12)
        assert course.ahead_mean[-1, 0] == pytest.approx(
            slow(trace, T).mean[longer.indices[0]], abs=1e-8
        )


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


def test_a_noisy_cost_lies_in_its_band() -> None:
    """What is refused of no policy: the minimiser is in R, by the definition of R for a cost."""
    problem = replace(small_run(GPUCBPE(3)).problem, direction="minimize")
    trace = simulate(problem, GPUCBPE(3), batches=4, initial=3, seed=2)
    region = theory.check_lemmas(theory.diagnose(trace))[2]
    assert region.name == "optimum_in_region"
    for t, iteration in enumerate(trace.iterations, 1):
        mean, cov = dense(
            trace.gp,
            problem.candidates[members_at(trace, t)],
            trace.y[: iteration.decision.n],
            problem.candidates,
        )
        width = np.sqrt(iteration.decision.beta * np.diag(cov))
        inside = (mean - width)[problem.optimum_index] <= (mean + width).min()
        assert region.holds[t - 1] == inside == iteration.decision.region[problem.optimum_index]
