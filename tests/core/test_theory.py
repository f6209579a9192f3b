"""Information gain, the regret bounds and diagnostics of runs; the proof of Theorem 1; rates."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import examples
from tests.core.runs import small_run
from tests.core.strategies import seeds
from ucbpe_core import (
    GPUCBPE,
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Policy,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.gp.kernels import Linear, RationalQuadratic
from ucbpe_core.policies import GPBUCB, GPUCB, GreedyUCB, RandomSearch, ThompsonSampling
from ucbpe_core.policies.schedules import CompactBeta

BETA, GAMMA = np.array([2.0, 3.0]), np.array([1.0, 1.5])


@examples(25)
@given(seeds, st.sampled_from((0.01, 0.3, 2.0)))
def test_greedy_against_all_sets(seed: int, noise: float) -> None:
    """At least (1 - 1/e) of the best set, so that gamma_bound is above it; first step exact."""
    X = np.random.default_rng(seed).uniform(0, 2, (6, 1))
    gp = GaussianProcess(Matern(0.5, nu=1.5), noise)
    greedy, bound = theory.greedy_information_gain(gp, X, 3), theory.gamma_bound(gp, X, 3)
    for n in (1, 2, 3):
        sets = combinations_with_replacement(range(6), n)
        best = max(theory.information_gain(gp, X[list(chosen)]) for chosen in sets)
        assert (1 - 1 / math.e) * best - 1e-12 <= greedy[n - 1] <= best + 1e-12
        assert bound[n - 1] >= best - 1e-12
    assert greedy[0] == pytest.approx(0.5 * math.log(1 + 1 / noise))
    np.testing.assert_allclose(bound, greedy / (1 - math.exp(-1)))


# K = 3, noise variance 1: log 2 under each root; C2 = pi / sqrt 6 = 1.2825498.
BY_HAND = {
    "theorem1_printed": [
        math.sqrt(5.7707801636 / 3 * 2 * 1 + 1.2825498302),
        math.sqrt(5.7707801636 * 2 / 3 * 3 * 1.5 + 1.2825498302),
    ],
    "theorem1_proved": [
        math.sqrt(11.5415603272 / 3 * 2 * 1) + 4 / 3 * math.sqrt(2),
        math.sqrt(11.5415603272 * 2 / 3 * 3 * 1.5) + 4 / 3 * math.sqrt(3),
    ],
    "full_regret_printed": [
        math.sqrt(51.9370214795 * 3 * 2 * 1 + 1.2825498302),
        math.sqrt(51.9370214795 * 2 * 3 * 3 * 1.5 + 1.2825498302),
    ],
    "full_regret_proved": [
        math.sqrt(103.874042959 * 3 * 2 * 1) + 12 * math.sqrt(2),
        math.sqrt(103.874042959 * 2 * 3 * 3 * 1.5) + 12 * math.sqrt(3),
    ],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_bounds_by_hand(name: str) -> None:
    """In the units of f: of f times 5, both variances are 25 times as large."""
    bound = getattr(theory.RegretBounds(BETA, GAMMA, 3, 1.0), name)
    np.testing.assert_allclose(bound, BY_HAND[name], rtol=1e-9)
    large = getattr(theory.RegretBounds(BETA, GAMMA, 3, 25.0, 25.0), name)
    np.testing.assert_allclose(large, 5 * bound, rtol=1e-13)
    compact = getattr(theory.RegretBounds(BETA, GAMMA, 3, 1.0, compact=True), name)
    times = {"theorem1_proved": 1, "full_regret_proved": 3}.get(name, 0)
    np.testing.assert_allclose(compact - bound, times * math.pi**2 / 6, atol=1e-12)


def test_trivial_bound() -> None:
    """t or t K times the spread, which a worst run attains."""
    np.testing.assert_array_equal(theory.trivial_bound(3, 2.0), [2, 4, 6])
    np.testing.assert_array_equal(theory.trivial_bound(3, 2.0, 5), [10, 20, 30])
    with pytest.raises(InputError, match="spread"):
        theory.trivial_bound(3, -1.0)


def test_gain_of_a_run() -> None:
    """It is I(initial points and picks) - I(initial points), by determinants of whole sets."""
    trace = small_run(batches=4)
    members = list(trace.posterior.conditioned_indices)
    X, gp = trace.problem.candidates, trace.gp
    sizes = [trace.initial + 3 * t for t in range(5)]
    gains = [theory.information_gain(gp, X[members[:n]]) for n in sizes]
    np.testing.assert_allclose(theory.gain_of_run(trace), np.array(gains[1:]) - gains[0])
    assert theory.information_gain(gp, X[:0]) == 0
    assert (theory.gain_of_run(trace) <= theory.gamma_bound(gp, X, 12)[2::3]).all()


def test_bad_input() -> None:
    """Noise 0 has infinite information; counts and shapes are checked."""
    silent = GaussianProcess(RBF(), noise_variance=0.0)
    with pytest.raises(InputError, match="noise_variance above 0"):
        theory.greedy_information_gain(silent, [0.0], 1)
    gp = GaussianProcess(RBF())
    with pytest.raises(InputError, match="n of at least 1"):
        theory.greedy_information_gain(gp, [0.0], 0)
    problem = problems.from_callable(lambda x: float(x[0]), [(0, 1)], size=5, gp=silent)
    trace = simulate(problem, GPUCBPE(2), batches=1, initial=0)
    with pytest.raises(InputError, match="noise_variance above 0"):
        theory.gain_of_run(trace)
    for error, wrong in {
        "one shape": {"gamma": GAMMA[:1]},
        "batch_size": {"batch_size": 0},
        "noise_variance": {"noise_variance": 0.0},
        "prior_variance": {"prior_variance": -1.0},
    }.items():
        given: dict[str, Any] = {"beta": BETA, "gamma": GAMMA, "batch_size": 3, "noise_variance": 1}
        with pytest.raises(InputError, match=error):
            theory.RegretBounds(**given | wrong)


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
    shown = {name for name in vars(course) if f"{name}=" in repr(course)}
    assert shown == {"beta", "beta_next", "y_dot", "prior_variance", "noise_variance"}


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


@given(st.integers(0, 1000), st.sampled_from((1, 3)), st.booleans())
@examples(20)
def test_the_factors_multiply_to_the_bound_over_the_regret_at_every_t(
    seed: int, K: int, compact: bool
) -> None:
    beta = CompactBeta() if compact else None
    problem = problems.multimodal()
    trace = simulate(problem, GPUCBPE(K), beta=beta, batches=4, initial=2, seed=seed)
    run = theory.diagnose(trace)
    gamma = theory.gamma_bound(trace.gp, problem.candidates, 4 * K)[K - 1 :: K]
    values = np.array([one.value for one in theory.proof_steps(run, gamma, compact=compact)])
    np.testing.assert_allclose(values[0], trace.batch_cumulative_regret, rtol=1e-12)
    variances = trace.gp.noise_variance, run.prior_variance
    bounds = theory.RegretBounds(run.beta, gamma, K, *variances, compact=compact)
    known = values[0] > 0
    factors = values[1:, known] / values[:-1, known]
    whole = bounds.theorem1_proved[known] / trace.batch_cumulative_regret[known]
    np.testing.assert_allclose(factors.prod(axis=0), whole, rtol=1e-12)


def test_each_step_is_the_side_of_a_lemma() -> None:
    trace = small_run()
    run = theory.diagnose(trace)
    checks = {check.name: check for check in theory.check_lemmas(run)}
    gamma = theory.gain_of_run(trace)
    steps = {one.name: one.value for one in theory.proof_steps(run, gamma)}
    K, T, s = run.batch_size, len(run.beta), np.sqrt(run.prior_variance)
    root = 2 * np.sqrt(run.beta)
    np.testing.assert_allclose(steps["first"], np.cumsum(checks["lemma1"].left))
    np.testing.assert_allclose(steps["band"], np.cumsum(checks["lemma1"].right))
    np.testing.assert_allclose(steps["beta"], root / K * checks["lemma3_printed"].left)
    rest = (K - 1) * s
    np.testing.assert_allclose(steps["lemma3"], root / K * (checks["lemma3_printed"].right + rest))
    t = np.arange(1, T + 1)
    for name, side in (("cauchy_schwarz", "left"), ("lemma4", "right")):
        total = np.sqrt(t * K * getattr(checks["lemma4"], side))
        np.testing.assert_allclose(steps[name], root / K * (total + rest))
    np.testing.assert_allclose(steps["gamma"], steps["lemma4"])  # gamma is here the gain itself


def test_without_noise_or_with_another_shape_there_is_no_proof() -> None:
    run = theory.diagnose(small_run())
    with pytest.raises(InputError, match="one value for every batch"):
        theory.proof_steps(run, [1.0])
    quiet = simulate(
        problems.multimodal(), GPUCBPE(2), GaussianProcess(RBF(), 0.0), batches=2, initial=2
    )
    with pytest.raises(InputError, match="infinite"):
        theory.proof_steps(theory.diagnose(quiet), [1.0, 2.0])


@pytest.mark.parametrize(
    ("kernel", "d", "power", "logarithm"),
    [(RBF(), 2, 0.0, 3.0), (Matern(nu=2.5), 3, 3 / 8, 5 / 8), (Linear(), 4, 0.0, 1.0)],
)
def test_the_rates(kernel: Kernel, d: int, power: float, logarithm: float) -> None:
    rate = theory.gain_rate(kernel, d)
    assert rate is not None
    assert (rate.power, rate.logarithm) == (power, logarithm)
    n = np.array([50.0, 400.0])
    before, after = n**power * np.log(n) ** logarithm
    assert rate.growth(50, 400) == pytest.approx(after / before)
    assert theory.gain_rate(RationalQuadratic(), d) is None


def test_a_greedy_gain_grows_no_faster_than_its_rate() -> None:
    """A line of points much longer than the lengthscale would need more of them first."""
    x = np.linspace(0, 1, 300)
    for kernel in (RBF(0.3), Matern(0.5, nu=1.5), Matern(0.5, nu=2.5)):
        gain = theory.greedy_information_gain(GaussianProcess(kernel), x, 200)
        rate = theory.gain_rate(kernel, 1)
        assert rate is not None
        assert gain[199] / gain[99] <= rate.growth(100, 200)
