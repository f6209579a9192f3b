"""The proof of Theorem 1 on a run, at every t, and the known rates of the information gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    problems,
    simulate,
    theory,
)
from ucbpe_core.gp.kernels import Linear, RationalQuadratic
from ucbpe_core.policies.schedules import CompactBeta

from .reference import examples
from .runs import small_run


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
